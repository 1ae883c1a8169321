import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/**
 * Reads one signed repository with an apt of the test's own, which knows no other.
 *
 * @param directory made here; `download` and `source` put their files into it
 * @param repository.key armoured public key
 * @returns runs apt-get, and gives what it says
 */
export async function openApt(
  directory: string,
  { uri, suite, key, architecture }: Record<'uri' | 'suite' | 'key' | 'architecture', string>,
): Promise<(...args: string[]) => Promise<string>> {
  for (const folder of ['lists/partial', 'cache/archives/partial', 'parts'])
    mkdirSync(join(directory, folder), { recursive: true });
  const keyPath = join(directory, 'key.asc');
  writeFileSync(keyPath, key);
  const lines = ['deb', 'deb-src'].map(
    (type) => `${type} [signed-by=${keyPath}] ${uri} ${suite} main\n`,
  );
  writeFileSync(join(directory, 'sources.list'), lines.join(''));
  const options = [
    `Dir::Etc::SourceList=${join(directory, 'sources.list')}`,
    `Dir::Etc::SourceParts=${join(directory, 'parts')}`,
    `Dir::State::Lists=${join(directory, 'lists')}`,
    `Dir::Cache=${join(directory, 'cache')}`,
    `APT::Architecture=${architecture}`,
    'APT::Sandbox::User=',
  ].flatMap((option) => ['-o', option]);
  const run = async (...args: string[]) =>
    (await execute('apt-get', [...options, ...args], { cwd: directory, timeout: 300_000 })).stdout;
  await run('--error-on=any', 'update');
  return run;
}
