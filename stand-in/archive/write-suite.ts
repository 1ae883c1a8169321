import {
  link,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzip } from 'node:zlib';
import { promisify } from 'node:util';
import { isPpa, suiteOf, type Archive, type Pocket } from '../../domain/packages/archive.ts';
import { run } from '../../sandbox/command.ts';
import { archiveOf, poolFolder, type Layout } from './layout.ts';
import { linkByHash } from './link-by-hash.ts';
import type { BinaryPublication, SourcePublication, StoredFile } from './records.ts';
import type { RepositoryKey } from './signing-key.ts';

const compress = promisify(gzip);
const FTPARCHIVE_MS = 10 * 60_000;

/** One pocket of one series of an archive. */
export type Suite = { archive: string; series: string; pocket: Pocket };

export type SuiteDependencies = {
  layout: Layout;
  key: RepositoryKey;
  architectures: readonly string[];
};

/** Writes `dists/<suite>` of an archive beside the one that is served, then puts it in its place at once. */
export async function writeSuite(
  { archive, series, pocket }: Suite,
  sources: readonly SourcePublication[],
  binaries: readonly BinaryPublication[],
  { layout, key, architectures }: SuiteDependencies,
): Promise<void> {
  const suite = suiteOf(series, pocket);
  const repository = layout.repositoryDir(archive);
  await mkdir(join(repository, 'dists'), { recursive: true });
  const work = await mkdtemp(join(repository, `.${suite}-`));
  try {
    const dists = join(work, 'dists');
    await index(
      'sources',
      sources.flatMap((one) => one.files.map((file) => [one.source, file] as const)),
      'source/Sources',
    );
    for (const architecture of architectures)
      await index(
        'packages',
        binaries
          .filter((one) => one.architecture === 'all' || one.architecture === architecture)
          .map((one) => [one.source, one.file] as const),
        `binary-${architecture}/Packages`,
      );
    const release = await run(
      'apt-ftparchive',
      [
        ...Object.entries({
          ...nameOf(archiveOf(archive)),
          Suite: suite,
          Codename: series,
          Components: 'main',
          Architectures: architectures.join(' '),
          'Acquire-By-Hash': 'yes',
        }).flatMap(([name, value]) => ['-o', `APT::FTPArchive::Release::${name}=${value}`]),
        'release',
        '.',
      ],
      { timeoutMs: FTPARCHIVE_MS, cwd: dists },
    );
    await writeFile(join(dists, 'Release'), release);
    await writeFile(join(dists, 'InRelease'), await key.clearSign(release), { flush: true });
    for (const folder of await readdir(join(dists, 'main')))
      await linkByHash(
        join(dists, 'main', folder),
        join(repository, 'dists', suite, 'main', folder),
      );
    await swap(repository, suite, dists);

    async function index(
      kind: 'sources' | 'packages',
      files: readonly (readonly [source: string, file: StoredFile])[],
      path: string,
    ): Promise<void> {
      // apt-ftparchive indexes whole folders; the pool also holds what is superseded.
      const farm = join(work, path.replaceAll('/', '-'));
      await mkdir(join(farm, 'pool'), { recursive: true });
      for (const [source, file] of files) {
        const link_ = join(farm, poolFolder(source), file.name);
        await mkdir(dirname(link_), { recursive: true });
        await link(layout.poolFile(archive, source, file.name), link_);
      }
      const text =
        files.length === 0
          ? ''
          : await run('apt-ftparchive', [kind, 'pool'], { timeoutMs: FTPARCHIVE_MS, cwd: farm });
      const target = join(dists, 'main', path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text);
      await writeFile(`${target}.gz`, await compress(text));
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** What apt pins by: Launchpad's names of a PPA, and Debian's of a distribution. */
function nameOf(archive: Archive): { Origin: string; Label: string } {
  if (isPpa(archive))
    return {
      Origin: `LP-PPA-${archive.owner}-${archive.name}`,
      Label: `${archive.name} of ${archive.owner}`,
    };
  const name = archive.distribution.replace(/^./, (letter) => letter.toUpperCase());
  return { Origin: name, Label: name };
}

async function swap(repository: string, suite: string, dists: string): Promise<void> {
  const generations = join(repository, 'generations');
  await mkdir(generations, { recursive: true });
  const generation = `${suite}-${Date.now()}`;
  await rename(dists, join(generations, generation));
  const served = join(repository, 'dists', suite);
  const before = await readlink(served).catch(() => undefined);
  await rm(`${served}.new`, { force: true });
  await symlink(join('..', 'generations', generation), `${served}.new`);
  await rename(`${served}.new`, served);
  // The generation before stays, for the requests that are being answered from it.
  for (const old of await readdir(generations))
    if (old.replace(/-\d+$/, '') === suite && old !== generation && !before?.endsWith(`/${old}`))
      await rm(join(generations, old), { recursive: true, force: true });
}
