import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { completionScript } from '../../cli/completion/completion-script.ts';
import { bundleCommand } from '../bundle-command.ts';
import { describedCommand } from '../described-command.ts';
import { debianFiles } from './debian-files.ts';
import { manPages } from './man-pages.ts';

const run = promisify(execFile);
const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const NAME = 'airline-cli';

const README = `# airline

The command of Airline: submit source packages, build them in a PPA, follow the builds.

    npm install -g ./${NAME}-*.tgz
    airline login --url https://airline.example
    airline --help

It needs Node 20.19 or newer and nothing else. The manual pages are airline(1) and airline-build(1) and its neighbours.
`;

/**
 * Packs the command as packages that need no clone.
 *
 * @param folder where they are written
 * @returns the paths of the npm package and of the Debian source package's `.dsc`
 */
export async function packageCommand(folder: string): Promise<{ tarball: string; dsc: string }> {
  const { version, license, engines, description } = JSON.parse(
    await readFile(join(PROJECT, 'package.json'), 'utf8'),
  ) as { version: string; license: string; engines: { node: string }; description: string };
  const root = describedCommand(version);
  const pages = manPages(root, version);
  const source = join(folder, `${NAME}-${version}`);
  const write = async (name: string, text: string, mode = 0o644) => {
    await mkdir(join(source, name, '..'), { recursive: true });
    await writeFile(join(source, name), text, { mode });
  };
  await bundleCommand(join(source, 'airline.mjs'));
  await copyFile(join(PROJECT, 'LICENSE'), join(source, 'LICENSE'));
  await write('README.md', README);
  for (const [name, text] of pages) await write(`man/${name}`, text);
  await write('completion/airline', completionScript('bash', root));
  await write('completion/_airline', completionScript('zsh', root));
  await write(
    'package.json',
    `${JSON.stringify(
      {
        name: NAME,
        version,
        description: `The command of Airline. ${description}`,
        license,
        engines,
        type: 'module',
        bin: { airline: 'airline.mjs' },
        man: [...pages.keys()].map((name) => `man/${name}`),
        files: ['airline.mjs', 'man', 'completion'],
      },
      null,
      2,
    )}\n`,
  );
  await run('npm', ['pack', '--pack-destination', folder], { cwd: source });
  for (const [name, { text, mode }] of debianFiles(version))
    await write(`debian/${name}`, text, mode);
  await run('dpkg-source', ['--build', source], { cwd: folder });
  await rm(source, { recursive: true });
  return {
    tarball: join(folder, `${NAME}-${version}.tgz`),
    dsc: join(folder, `${NAME}_${version}.dsc`),
  };
}
