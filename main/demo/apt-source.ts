import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readAptSources } from '../../sandbox/machine.ts';
import { machineSeries } from './machine-series.ts';
import { runCommand } from './run-command.ts';

/**
 * Downloads a source package with `apt-get source` from the mirrors of this machine, with lists and cache of its
 * own, so that the system's apt is neither needed with `deb-src` nor changed.
 *
 * @param directory made where it is absent; the files are put into it
 * @returns path of the `.dsc`
 * @throws Error with what apt said, also where one of the mirrors does not answer
 */
export async function fetchSource(name: string, directory: string): Promise<string> {
  const apt = join(directory, 'apt');
  const files = join(directory, 'files');
  for (const folder of ['lists/partial', 'cache/archives/partial', 'sources.list.d'])
    await mkdir(join(apt, folder), { recursive: true });
  await mkdir(files);
  await writeSourceLists(join(apt, 'sources.list.d'));
  const options = [
    `Dir::Etc::SourceList=/dev/null`,
    `Dir::Etc::SourceParts=${join(apt, 'sources.list.d')}`,
    `Dir::State::Lists=${join(apt, 'lists')}`,
    `Dir::Cache=${join(apt, 'cache')}`,
    'Acquire::Languages=none',
    'APT::Sandbox::User=root',
    'Acquire::Retries=3',
    // A mirror that does not answer is no fault of `update` to apt; `source` would then say that there is no deb-src.
    'APT::Update::Error-Mode=any',
  ].flatMap((option) => ['-o', option]);
  await runCommand('apt-get', [...options, '-q', 'update'], { cwd: files });
  await runCommand('apt-get', [...options, '-q', 'source', '--download-only', name], {
    cwd: files,
  });
  const dsc = (await readdir(files)).find((file) => file.endsWith('.dsc'));
  if (!dsc) throw new Error(`apt-get source ${name} brought no .dsc.`);
  return join(files, dsc);
}

/** Writes the machine's apt sources with `deb` turned into `deb-src` (sources.list(5), both formats). */
async function writeSourceLists(target: string): Promise<void> {
  const { series } = await machineSeries();
  const sources = await readAptSources(series);
  if (sources.length === 0) throw new Error(`/etc/apt names no mirror to fetch ${series} from.`);
  for (const { name, text } of sources)
    await writeFile(
      join(target, name),
      text.replace(/^Types:.*$/gim, 'Types: deb-src').replace(/^deb(?=\s)/gm, 'deb-src'),
    );
}
