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
import type { Logger } from 'pino';
import { compareVersions } from '../../domain/debian-version.ts';
import type { ArchiveState } from './archive-state.ts';
import { run } from '../builders/command.ts';
import { poolFolder, ppaOf, type Layout } from './layout.ts';
import { now, type BinaryPublication, type SourcePublication, type StoredFile } from './records.ts';
import type { ScriptFile } from '../script/script.ts';
import type { RepositoryKey } from './signing-key.ts';

const compress = promisify(gzip);
const FTPARCHIVE_MS = 10 * 60_000;

export type PublisherDependencies = {
  state: ArchiveState;
  layout: Layout;
  key: RepositoryKey;
  architectures: readonly string[];
  script: ScriptFile | undefined;
  logger: Logger;
};

type Suite = { archive: string; series: string };
type Publication = SourcePublication | BinaryPublication;

/**
 * Publishes what is pending: writes and signs the apt repository of every series that has changed, then marks
 * publications as Published and older ones as Superseded. What fails stays pending for the next run.
 *
 * @returns the suites that have changed
 */
export async function publishPending(dependencies: PublisherDependencies): Promise<Suite[]> {
  const { logger } = dependencies;
  const published: Suite[] = [];
  for (const suite of pendingSuites(dependencies)) {
    try {
      await publishSuite(suite, dependencies);
      published.push(suite);
    } catch (error) {
      logger.error({ err: error, ...suite }, 'publishing failed; it is tried again');
    }
  }
  return published;
}

function pendingSuites({ state, script }: PublisherDependencies): Suite[] {
  const suites = new Map<string, Suite>();
  const due = state.binaries().filter((binary) => !isHeldBack(binary, script));
  for (const { status, archive, series } of [...state.sources(), ...due])
    if (status === 'Pending') suites.set(`${archive} ${series}`, { archive, series });
  return [...suites.values()];
}

function isHeldBack(binary: BinaryPublication, script: ScriptFile | undefined): boolean {
  if (binary.status !== 'Pending') return false;
  const waitMs = script?.source(binary.source)?.publishAfterMs ?? 0;
  return Date.now() < Date.parse(binary.createdAt) + waitMs;
}

async function publishSuite(suite: Suite, dependencies: PublisherDependencies): Promise<void> {
  const { state, script, logger } = dependencies;
  const { archive, series } = suite;
  const isOfSuite = (publication: Publication) => publication.series === series;
  const sources = dominate(state.sources(archive).filter(isOfSuite), (one) => one.source);
  const binaries = dominate(
    state.binaries(archive).filter((one) => isOfSuite(one) && !isHeldBack(one, script)),
    (one) => `${one.name} ${one.architecture}`,
  );
  await writeSuite(suite, sources.live, binaries.live, dependencies);
  state.transact(({ put }) => {
    const publishedAt = now();
    for (const one of sources.live)
      if (one.status === 'Pending') put('source', { ...one, status: 'Published', publishedAt });
    for (const one of binaries.live)
      if (one.status === 'Pending') put('binary', { ...one, status: 'Published', publishedAt });
    const superseded = { status: 'Superseded', supersededAt: publishedAt } as const;
    for (const one of binaries.superseded) put('binary', { ...one, ...superseded });
    for (const one of sources.superseded) {
      put('source', { ...one, ...superseded });
      for (const build of state.buildsOfSource(one.id))
        if (build.state === 'Needs building' || build.state === 'Dependency wait')
          put('build', { ...build, state: 'Build for superseded Source', dependencies: null });
    }
  });
  logger.info(
    { ...suite, sources: sources.live.length, binaries: binaries.live.length },
    'repository published',
  );
}

/** Launchpad's domination: of each name only the highest version lives; the others are superseded. */
function dominate<Kind extends Publication>(
  publications: Kind[],
  nameOf: (publication: Kind) => string,
): { live: Kind[]; superseded: Kind[] } {
  const live = new Map<string, Kind>();
  const superseded: Kind[] = [];
  for (const publication of publications) {
    if (publication.status !== 'Pending' && publication.status !== 'Published') continue;
    const name = nameOf(publication);
    const rival = live.get(name);
    if (!rival) live.set(name, publication);
    else if (compareVersions(publication.version, rival.version) > 0) {
      superseded.push(rival);
      live.set(name, publication);
    } else superseded.push(publication);
  }
  return { live: [...live.values()], superseded };
}

/** Writes `dists/<series>` beside the one that is served, then puts it in its place at once. */
async function writeSuite(
  { archive, series }: Suite,
  sources: readonly SourcePublication[],
  binaries: readonly BinaryPublication[],
  { layout, key, architectures }: PublisherDependencies,
): Promise<void> {
  const repository = layout.repositoryDir(archive);
  await mkdir(join(repository, 'dists'), { recursive: true });
  const work = await mkdtemp(join(repository, `.${series}-`));
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
    const ppa = ppaOf(archive);
    const release = await run(
      'apt-ftparchive',
      [
        ...Object.entries({
          Origin: `LP-PPA-${ppa.owner}-${ppa.name}`,
          Label: `${ppa.name} of ${ppa.owner}`,
          Suite: series,
          Codename: series,
          Components: 'main',
          Architectures: architectures.join(' '),
        }).flatMap(([name, value]) => ['-o', `APT::FTPArchive::Release::${name}=${value}`]),
        'release',
        '.',
      ],
      { timeoutMs: FTPARCHIVE_MS, cwd: dists },
    );
    await writeFile(join(dists, 'Release'), release);
    await writeFile(join(dists, 'InRelease'), await key.clearSign(release), { flush: true });
    await swap(repository, series, dists);

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
      const text = await run('apt-ftparchive', [kind, 'pool'], {
        timeoutMs: FTPARCHIVE_MS,
        cwd: farm,
      });
      const target = join(dists, 'main', path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text);
      await writeFile(`${target}.gz`, await compress(text));
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function swap(repository: string, series: string, dists: string): Promise<void> {
  const generations = join(repository, 'generations');
  await mkdir(generations, { recursive: true });
  const generation = `${series}-${Date.now()}`;
  await rename(dists, join(generations, generation));
  const served = join(repository, 'dists', series);
  const before = await readlink(served).catch(() => undefined);
  await rm(`${served}.new`, { force: true });
  await symlink(join('..', 'generations', generation), `${served}.new`);
  await rename(`${served}.new`, served);
  // The generation before stays, for clients that have read its InRelease and fetch its indexes now.
  for (const old of await readdir(generations))
    if (old.startsWith(`${series}-`) && old !== generation && !before?.endsWith(`/${old}`))
      await rm(join(generations, old), { recursive: true, force: true });
}
