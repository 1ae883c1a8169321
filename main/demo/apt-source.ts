import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './run-command.ts';

/**
 * Downloads a source package with `apt-get source` from the mirrors of this machine, with lists and cache of its
 * own, so that the system's apt is neither needed with `deb-src` nor changed.
 *
 * @param directory made where it is absent; the files are put into it
 * @returns path of the `.dsc`
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
  ].flatMap((option) => ['-o', option]);
  await runCommand('apt-get', [...options, '-q', 'update'], { cwd: files });
  await runCommand('apt-get', [...options, '-q', 'source', '--download-only', name], {
    cwd: files,
  });
  const dsc = (await readdir(files)).find((file) => file.endsWith('.dsc'));
  if (!dsc) throw new Error(`apt-get source ${name} brought no .dsc.`);
  return join(files, dsc);
}

/** Copies the machine's apt sources with `deb` turned into `deb-src` (sources.list(5), both formats). */
async function writeSourceLists(target: string): Promise<void> {
  const parts = await readdir('/etc/apt/sources.list.d').catch(() => []);
  const paths = [
    '/etc/apt/sources.list',
    ...parts.map((part) => `/etc/apt/sources.list.d/${part}`),
  ];
  let found = 0;
  for (const path of paths) {
    const text = await readFile(path, 'utf8').catch(() => '');
    // Other vendors' repositories often hold no sources; Debian's and Ubuntu's keep theirs under these names.
    const entries = path.endsWith('.sources')
      ? text
          .split(/\n\s*\n/)
          .filter((paragraph) => /\/(?:debian|ubuntu|debian-security)\b/.test(paragraph))
          .map((paragraph) => paragraph.replace(/^Types:.*$/m, 'Types: deb-src'))
          .join('\n\n')
      : text
          .split('\n')
          .filter((line) => /^deb\s.*\/(?:debian|ubuntu|debian-security)\b/.test(line))
          .map((line) => line.replace(/^deb\s/, 'deb-src '))
          .join('\n');
    if (entries === '') continue;
    const extension = path.endsWith('.sources') ? 'sources' : 'list';
    await writeFile(join(target, `${found++}.${extension}`), `${entries}\n`);
  }
  if (found === 0)
    throw new Error('/etc/apt names no Debian or Ubuntu mirror to fetch sources from.');
}
