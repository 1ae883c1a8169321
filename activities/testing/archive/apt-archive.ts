import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  BINARY_FIELDS,
  createArchiveIndexer,
  SOURCE_FIELDS,
} from '../../../domain/packages/archive-index.ts';
import { createStanzaReader } from '../../../domain/packages/control-stanza.ts';
import { placeName, type ImagePlace } from '../../../domain/testing/image.ts';
import type { PackageVersion } from '../../../domain/packages/source-file.ts';
import { instanceName } from '../../../sandbox/instance-name.ts';
import type { AptSources } from '../../../sandbox/machine.ts';
import type { Unprivileged } from '../../../sandbox/unprivileged.ts';
import { assertDiskHas } from '../free-disk.ts';
import { openAptRoot, removeUnusedRoots, type AptRoot } from './apt-root.ts';
import type { TestArchive } from './test-archive.ts';

/** Source packages that one call of apt fetches: it takes a second to begin with. */
const AT_ONCE = 10;

export type AptArchiveOptions = {
  /** Told apart from other testers with the same cache. */
  instance: string;
  /** For the lists, and for sources while they are fetched. Testers alone write there. */
  cacheDir: string;
  /** The apt sources of a place, for binary packages, and the options that apt needs for them. */
  mirrorsOf: (
    place: ImagePlace,
  ) => Promise<{ sources: readonly AptSources[]; options: readonly string[] }>;
  targetRelease: TestArchive['targetRelease'];
  /** Who runs apt: nobody that runs tests, which could change what apt takes for the archive's. */
  unprivileged: Unprivileged;
  /** For one command of apt. */
  timeoutMs: number;
  /** What has to be free on the disk before sources are fetched. */
  diskBytes: number;
};

/**
 * The archive of the mirrors that it is given. Its lists stay on the disk; what uses them takes turns. Sources that an
 * earlier process of the same instance has left there are removed first.
 */
export function createAptArchive(options: AptArchiveOptions): TestArchive {
  const { cacheDir, mirrorsOf, targetRelease, unprivileged, diskBytes } = options;
  const fetched = join(cacheDir, `sources-${instanceName(options.instance)}`);
  const removeFetched = () => rm(fetched, { recursive: true, force: true });
  // Where that fails, whoever fetches says so.
  let turn: Promise<unknown> = removeFetched().catch(() => undefined);

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work, work);
    turn = mine.catch(() => undefined);
    return mine;
  };
  const rootOf = async (place: ImagePlace): Promise<AptRoot> => {
    const { series, architecture } = place;
    const { sources, options: aptOptions } = await mirrorsOf(place);
    if (sources.length === 0) throw new Error(`No apt source is known for ${series}.`);
    const roots = join(cacheDir, 'apt');
    await removeUnusedRoots(roots, unprivileged);
    const directory = join(roots, placeName(place));
    return openAptRoot({ ...options, directory, sources, aptOptions, architecture });
  };

  return {
    targetRelease,

    readIndex: (place, signal) =>
      inTurn(async () => {
        const root = await rootOf(place);
        await root.update(signal);
        const { addSource, addBinary, index } = createArchiveIndexer();
        await root.read('Sources', createStanzaReader(SOURCE_FIELDS, addSource), signal);
        await root.read('Packages', createStanzaReader(BINARY_FIELDS, addBinary), signal);
        return { releases: await root.releases(), index: index() };
      }),

    fetchSources: (place, packages, take, signal) =>
      inTurn(async () => {
        const root = await rootOf(place);
        /** @returns what apt says against it; undefined where all of them are taken */
        const fetchTogether = async (some: readonly PackageVersion[]) => {
          await assertDiskHas(diskBytes, cacheDir);
          await unprivileged.makeDirectory(fetched);
          try {
            const names = some.map(({ source, version }) => `${source}=${version}`);
            const fault = await root.download(names, fetched, signal);
            if (fault === undefined) for (const each of some) await take(each, fetched);
            return fault;
          } finally {
            await removeFetched();
          }
        };
        const faults = new Map<string, string>();
        for (let start = 0; start < packages.length; start += AT_ONCE) {
          const some = packages.slice(start, start + AT_ONCE);
          if ((await fetchTogether(some)) === undefined) continue;
          // The lists may be too old, or of a machine that never fetched them. Where the mirror is away, this says so.
          await root.update(signal);
          for (const each of some) {
            if ((await fetchTogether([each])) === undefined) continue;
            // The mirror may have gone away since: only right after an update is a fault the source's own.
            await root.update(signal);
            const fault = await fetchTogether([each]);
            if (fault !== undefined) faults.set(each.source, fault);
          }
        }
        return faults;
      }),
  };
}
