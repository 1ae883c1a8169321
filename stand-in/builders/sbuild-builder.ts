import { chmod, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suiteOf } from '../../domain/packages/archive.ts';
import type { ArchiveState } from '../archive/archive-state.ts';
import { buildLogName, createBuildLogs } from './build-log.ts';
import type { Builder, BuildOutcome, BuildRun } from './builder.ts';
import { ChrootProblem, openChroots, removeAbandonedWork } from './chroot.ts';
import { archiveOf, repositoryAddress, type Layout } from '../archive/layout.ts';
import { instanceName } from '../../sandbox/instance-name.ts';
import type { Machine } from '../../sandbox/machine.ts';
import { takeOut } from '../../sandbox/take-out.ts';
import type { StandInLimits } from '../options.ts';
import type { Build } from '../archive/records.ts';
import type { RepositoryKey } from '../archive/signing-key.ts';
import {
  assertReachable,
  createUnprivileged,
  type ProcessEnd,
  type RunAs,
  type Unprivileged,
} from '../../sandbox/unprivileged.ts';

// Launchpad gives up a build that has printed nothing for this long (launchpad-buildd).
const STALLED_MINUTES = 150;
const SESSION = 'chroot-session.sh';
/** Copied to where the unprivileged user can read it, which need not be so here. */
const CHROOT_SESSION = fileURLToPath(new URL(SESSION, import.meta.url));

export type SbuildDependencies = {
  state: ArchiveState;
  layout: Layout;
  cacheDir: string;
  machine: Machine;
  runAs: RunAs | undefined;
  /** Runs sbuild; unset: as that user. */
  unprivileged?: Unprivileged;
  /** Root of the web service, where a chroot finds the archive's own repository. */
  webUrl: string;
  key: RepositoryKey;
  limits: StandInLimits;
};

/**
 * Builds with `sbuild` in a chroot of the machine's own series, in a user namespace. Another series is a Chroot
 * problem, another architecture is never dispatched: its builds wait, as on a Launchpad without such builders.
 */
export async function openSbuildBuilder(dependencies: SbuildDependencies): Promise<Builder> {
  const { state, layout, cacheDir, machine, runAs, webUrl, key, limits } = dependencies;
  const { buildMs, chrootMs, killAfterMs, logMaxBytes } = limits;
  const { unprivileged = createUnprivileged(runAs) } = dependencies;
  // Several stand-ins may share a cache.
  const workDir = join(cacheDir, 'builds', instanceName(layout.root));
  await unprivileged.removeDirectory(workDir);
  await mkdir(workDir, { recursive: true });
  await assertReachable(workDir, runAs);
  // What the builds' chroots have in common. It goes with this stand-in: the user could not delete it without us.
  const unpackedDir = join(workDir, 'unpacked');
  await unprivileged.makeDirectory(unpackedDir);
  const chrootsDir = join(cacheDir, 'chroots');
  await removeAbandonedWork({ chrootsDir, unprivileged }, chrootMs + killAfterMs);
  const chroots = openChroots({
    chrootsDir,
    workDir,
    machine,
    unprivileged,
    timeoutMs: chrootMs,
    killAfterMs,
  });
  const logs = createBuildLogs(layout, logMaxBytes);
  const directoryOf = ({ id }: Build) => join(workDir, String(id));

  const runSbuild = async (
    { build, publication, signal }: BuildRun,
    tarball: string,
    onOutput: (chunk: Buffer) => void,
  ): Promise<ProcessEnd & { builtDir: string }> => {
    const directory = directoryOf(build);
    const builtDir = join(directory, 'built');
    const temporaryDir = join(directory, 'tmp');
    const takenDir = join(directory, 'taken');
    // The user has other builds, too, which could put links into a folder of its own.
    for (const path of [directory, takenDir]) await mkdir(path);
    for (const path of [builtDir, temporaryDir]) await unprivileged.makeDirectory(path);
    const copyIn = async (from: string, name: string, mode: number) => {
      await copyFile(from, join(directory, name));
      await chmod(join(directory, name), mode);
    };
    for (const { name } of publication.files)
      await copyIn(layout.poolFile(build.archive, build.source, name), name, 0o644);
    await copyIn(CHROOT_SESSION, SESSION, 0o755);
    const session = join(directory, SESSION);
    const configPath = join(directory, 'sbuild.conf');
    await writeFile(
      configPath,
      [
        // The explainer would hide in which stage a build failed.
        `$bd_uninstallable_explainer = '';`,
        `$stalled_pkg_timeout = ${STALLED_MINUTES};`,
        `$autopkgtest_virt_server = ${perlString(session)};`,
        `$autopkgtest_virt_server_options = [${['serve', tarball, unpackedDir, join(temporaryDir, 'root')].map(perlString).join(', ')}];`,
        '1;',
        '',
      ].join('\n'),
    );
    const dsc = publication.files.find((file) => file.name.endsWith('.dsc'))?.name ?? '';
    const end = await unprivileged.run(
      'sbuild',
      [
        '--chroot-mode=autopkgtest',
        `--dist=${build.series}`,
        `--arch=${build.architecture}`,
        build.buildsArchitectureAll ? '--arch-all' : '--no-arch-all',
        '--no-run-lintian',
        '--no-run-piuparts',
        '--no-run-autopkgtest',
        // As on Launchpad: what is in the chroot goes with it.
        '--purge-build=never',
        '--purge-deps=never',
        '--purge-session=always',
        '--nolog',
        ...(await ownRepository(build)),
        join(directory, dsc),
      ],
      {
        cwd: builtDir,
        temporaryDir,
        // Launchpad's PPAs publish no debug symbols unless they are told to.
        env: {
          SBUILD_CONFIG: configPath,
          DEB_BUILD_OPTIONS: 'noautodbgsym',
        },
        signal,
        timeoutMs: buildMs,
        killAfterMs,
        onOutput,
      },
    );
    for (const name of await readdir(builtDir)) await takeOut(join(builtDir, name), takenDir);
    return { ...end, builtDir: takenDir };
  };

  /** What the archive has published already can be a build dependency. */
  const ownRepository = async (build: Build): Promise<string[]> => {
    const hasPublished = state
      .binaries(build.archive)
      .some(
        ({ series, pocket, status }) =>
          series === build.series && pocket === build.pocket && status === 'Published',
      );
    if (!hasPublished) return [];
    const keyPath = join(directoryOf(build), 'repository.asc');
    await writeFile(keyPath, key.publicKey);
    return [
      `--extra-repository=deb ${webUrl}${repositoryAddress(build.archive)} ${suiteOf(build.series, build.pocket)} main`,
      `--extra-repository-key=${keyPath}`,
    ];
  };

  return {
    canBuild: (build) => build.architecture === machine.architecture,
    async build(run): Promise<BuildOutcome> {
      const { build, report, signal } = run;
      report('Currently building');
      const log = await logs.open(build);
      const say = (text: string) => log.stream.write(`${text}\n`);
      try {
        const { distribution } = archiveOf(build.archive);
        if (distribution !== machine.distribution || build.series !== machine.series)
          throw new ChrootProblem(
            `There is no chroot of ${distribution} ${build.series}: this machine runs ${machine.distribution} ${machine.series}, and builds for that alone.`,
          );
        const tarball = await chroots.tarball(signal, (chunk) => log.stream.write(chunk));
        const end = await runSbuild(run, tarball, (chunk) => log.stream.write(chunk));
        if (end.wasKilled && !signal.aborted)
          say(`The build took longer than ${buildMs} ms and was ended.`);
        report('Gathering build output');
        // What sbuild sums up at its end may not have passed into the log yet.
        await log.close();
        return judge(end, log.tail(), buildLogName(build));
      } catch (error) {
        if (!(error instanceof ChrootProblem)) throw error;
        say(error.message);
        return { state: 'Chroot problem', log: buildLogName(build) };
      } finally {
        await log.close();
      }
    },
    logTail: logs.logTail,
    clean: (build) => unprivileged.removeDirectory(directoryOf(build)),
    stop: () => unprivileged.removeDirectory(workDir),
  };
}

function perlString(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

/** Maps sbuild's exit code as Launchpad's builders do (launchpad-buildd, `binarypackage.py` and `debian.py`). */
export function judge(
  { exitCode, wasKilled, builtDir }: ProcessEnd & { builtDir: string },
  text: string,
  log: string,
): BuildOutcome {
  if (wasKilled) return { state: 'Failed to build', log };
  const stage = /^Fail-Stage: (\S+)/m.exec(text)?.[1];
  switch (exitCode) {
    case 0:
      return { state: 'Successfully built', log, builtDir };
    case 3: {
      // The mirror's fault, not the package's: Launchpad's builders update a chroot before they call sbuild.
      if (stage?.startsWith('apt-get-')) return { state: 'Chroot problem', log };
      const dependencies = stage === 'install-deps' ? unmetDependencies(text) : [];
      return dependencies.length > 0
        ? { state: 'Dependency wait', log, dependencies: dependencies.join(', ') }
        : { state: 'Failed to build', log };
    }
    case 2:
      return { state: 'Failed to build', log };
    default:
      return { state: 'Chroot problem', log };
  }
}

/**
 * What apt misses, in the form of a dependency field. A line may begin with the `E` of an error: apt writes errors to
 * another stream, and a piece at a time.
 *
 * Which words of apt mean that a package is missing is launchpad-buildd's (`APT_MISSING_DEP_PATTERNS`). Of what apt is
 * not going to install, Launchpad takes only what the build itself needs and no known version satisfies. Here the
 * versions are not known: one is taken to be missing where the build needs a certain one.
 */
export function unmetDependencies(text: string): string[] {
  const unmet = new Set<string>();
  let dependant = '';
  for (const [, named, name, relation, but = ''] of text.matchAll(UNMET)) {
    dependant = named ?? dependant;
    const isOwn = dependant.startsWith('sbuild-build-depends-') && relation !== undefined;
    if (MISSING.test(but) || (isOwn && but.startsWith('it is not going to be installed')))
      unmet.add([name, relation].filter(Boolean).join(' '));
  }
  return [...unmet];
}

/** A line of apt. Of several of one package, the first alone names it. */
const UNMET =
  /^(?:E(?:: )?)?(?: (\S+) : |[ \t]+)(?:Pre)?Depends: (\S+)(?: (\([^)\n]*\)))? but (.+)$/gm;
const MISSING =
  /^(?:it is not installable|it is a virtual package|\S+ is installed|\S+ is to be installed)/;
