import { chmod, mkdir, mkdtemp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { assertIsolates, openIsolation, type Bounds } from '../../../sandbox/isolation.ts';
import type { ReadDisk } from '../../../sandbox/disk-room.ts';
import { instanceName } from '../../../sandbox/instance-name.ts';
import type { RunGroups } from '../../../sandbox/run-groups.ts';
import { assertReachable, createUnprivileged, type RunAs } from '../../../sandbox/unprivileged.ts';
import type { DataStore } from '../../../store/store.ts';
import { assertDiskHas } from '../free-disk.ts';
import {
  ImageProblem,
  whatRanOut,
  type TestContext,
  type TestRequest,
  type TestMachine,
  type TestOutcome,
  type RunContext,
} from '../test-machine.ts';
import { readMirrors, readSources, type SourceOptions } from './apt-sources.ts';
import { openImageCache } from './image-cache.ts';
import { makeBase, makeLanding } from './make-images.ts';
import { assertMakesSquashfs, makeSquashfs } from './make-squashfs.ts';
import { packOutput } from './pack-output.ts';
import { readOutcome } from './read-outcome.ts';

/** Its folder is removed in any case: it need not clean up after itself. */
const KILL_AFTER_MS = 5_000;
/**
 * Of the time for a run: what autopkgtest leaves to one test, so that one that hangs is the test's failure. That does
 * not hold where the test bed and the tests before it took the other half.
 */
const TEST_SHARE = 0.5;
/** What autopkgtest itself gives to one (autopkgtest(1), `--timeout-test`). */
const MAX_TEST_S = 10_000;
/** Name of the folder that autopkgtest writes to. */
const OUTPUT = 'output';
/** Of the room that has to be there before: what has to be left while it is used. */
const ROOM_SHARE = 0.5;

export type AutopkgtestOptions = SourceOptions & {
  name: string;
  architecture: string;
  /** Told apart from other testers with the same cache. */
  instance: string;
  cacheDir: string;
  runAs: RunAs | undefined;
  /** Bound the memory of whole runs; without them that of each process is bounded. */
  groups: RunGroups | undefined;
  /** Whether it makes squashfs files. */
  squashfs: boolean;
  store: DataStore;
  limits: {
    imageMs: number;
    testMs: number;
    memoryBytes: number;
    diskBytes: number;
    artifactsMaxBytes: number;
    cacheBytes: number;
  };
  /** How full the disk is; unset: asked of the system. */
  readDisk?: ReadDisk;
};

/**
 * Makes images with mmdebstrap and runs tests with autopkgtest, as a user of its own and without a network but for the
 * packages. What an earlier process of the same instance has left is removed first.
 *
 * @throws Error where this machine cannot isolate tests, has no tools for squashfs files that are wanted, or the user
 * cannot reach the folder
 */
export async function openAutopkgtestMachine(options: AutopkgtestOptions): Promise<TestMachine> {
  const { name, architecture, cacheDir, runAs, store, repositoryOf, limits } = options;
  await assertIsolates(runAs);
  if (options.squashfs) await assertMakesSquashfs();
  const unprivileged = createUnprivileged(runAs);
  const root = join(cacheDir, 'tests');
  const workDir = join(root, instanceName(options.instance));
  await unprivileged.removeDirectory(workDir);
  await mkdir(workDir, { recursive: true, mode: 0o755 });
  await assertReachable(workDir, runAs);
  const { cacheBytes: maxBytes } = limits;
  const images = await openImageCache(join(root, 'images'), join(workDir, 'images'), {
    store,
    maxBytes,
  });

  const makeFolder = async () => {
    await assertDiskHas(limits.diskBytes, workDir, options.readDisk);
    const folder = await mkdtemp(join(workDir, 'run-'));
    await chmod(folder, 0o755);
    return folder;
  };
  const boundsOf = ({ signal, onOutput }: RunContext, timeoutMs: number): Bounds => ({
    signal,
    onOutput,
    timeoutMs,
    killAfterMs: KILL_AFTER_MS,
    memoryBytes: limits.memoryBytes,
    groups: options.groups,
    fileBytes: limits.diskBytes,
    roomBytes: limits.diskBytes * ROOM_SHARE,
    readDisk: options.readDisk,
  });
  /** The folder of an image stays only where the image does. */
  const inFolder = async <T>(make: (folder: string) => Promise<T>): Promise<T> => {
    const folder = await makeFolder();
    try {
      return await make(folder);
    } catch (error) {
      await unprivileged.removeDirectory(folder);
      throw error;
    }
  };

  return {
    name,
    architecture,
    makeFolder,
    removeFolder: (path) =>
      unprivileged.removeDirectory(
        join(workDir, path.slice(workDir.length + 1).split('/')[0] ?? ''),
      ),
    close: () => unprivileged.removeDirectory(workDir),
    makeBase: (place, context) =>
      inFolder(async (folder) => {
        if (place.architecture !== architecture)
          throw new ImageProblem(`This tester makes images of ${architecture} alone.`);
        const bounds = boundsOf(context, limits.imageMs);
        const mirrors = await readSources(place, options);
        return makeBase(folder, place, { mirrors, unprivileged }, bounds);
      }),
    makeLanding: (base, layer, context) =>
      inFolder((folder) =>
        images.use(base, context.signal, async (basePath) => {
          const key = await options.fetchKey(layer.ppa);
          const repository = repositoryOf(layer.ppa);
          const mirrors = await readMirrors(layer, options);
          return makeLanding(
            folder,
            basePath,
            layer,
            { repository, key, mirrors, unprivileged },
            boundsOf(context, limits.imageMs),
          );
        }),
      ),
    makeSquashfs: options.squashfs
      ? (image, context) =>
          inFolder((folder) =>
            images.use(image, context.signal, (path) =>
              makeSquashfs(folder, path, unprivileged, boundsOf(context, limits.imageMs)),
            ),
          )
      : undefined,
    runTest: (request, context) =>
      images.use(request.image, AbortSignal.any([context.signal, context.deadline]), (tarball) =>
        testIn(tarball, request, context),
      ),
  };

  async function testIn(
    tarball: string,
    request: TestRequest,
    context: TestContext,
  ): Promise<TestOutcome> {
    const { ppa, directory, dsc } = request;
    const { deadline } = context;
    const signal = AbortSignal.any([context.signal, deadline]);
    const { addresses, upstreamOf } = await readMirrors(request, options);
    const isolation = await openIsolation(directory, unprivileged, {
      addresses: [...addresses, ...(ppa ? [repositoryOf(ppa)] : [])],
      upstreamOf,
      files: [tarball, dirname(dsc)],
    });
    try {
      const testS = Math.min(Math.floor((limits.testMs / 1_000) * TEST_SHARE), MAX_TEST_S);
      const bounds = boundsOf({ ...context, signal }, limits.testMs);
      await context.begin();
      const ended = await isolation.run(
        'autopkgtest',
        [
          '--output-dir',
          join(isolation.own, OUTPUT),
          '--no-built-binaries',
          `--timeout-test=${testS}`,
          '--needs-internet=skip',
          `--copy=${isolation.aptConfiguration}:/etc/apt/apt.conf.d/zz-airline-proxy`,
          dsc,
          '--',
          'unshare',
          '--tarball',
          tarball,
        ],
        bounds,
      );
      context.signal.throwIfAborted();
      const { exitCode, wasKilled, ranOutOfDisk } = ended;
      const fault = whatRanOut(ended, 'The tests', bounds);
      const output = await isolation.take(OUTPUT);
      const left = await readOutcome(output);
      // All else on the disk needs the room now, and what is left would be packed on it.
      if (ranOutOfDisk)
        for (const each of [isolation.own, output]) await unprivileged.removeDirectory(each);
      const artifacts = ranOutOfDisk
        ? null
        : await packOutput(directory, output, {
            unprivileged,
            maxBytes: limits.artifactsMaxBytes,
            killAfterMs: KILL_AFTER_MS,
            signal: context.signal,
          });
      return {
        ...left,
        exitCode: wasKilled ? null : exitCode,
        ...(wasKilled && deadline.aborted ? { overMs: limits.testMs } : {}),
        ...(fault === undefined ? {} : { fault }),
        artifacts,
      };
    } finally {
      await isolation.stop();
    }
  }
}
