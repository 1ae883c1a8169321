import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { unprivilegedUser } from '../../../main/embedded/unprivileged-user.ts';
import { openChroots } from '../../../stand-in/builders/chroot.ts';
import { readMachine } from '../../../sandbox/machine.ts';
import { createUnprivileged } from '../../../sandbox/unprivileged.ts';
import { TRIAL_PACKAGES, type TrialPackage } from './trial-packages.ts';
import { writeSource } from './write-source.ts';

// Builds the trial packages with sbuild, one after another, and writes `<name>.txt` beside this file:
//   node --import tsx test/diagnosis/build-logs/make.ts [name...]
// Without a name it makes the logs that are not there. The chroot is the stand-in's, or the tarball that TRIAL_CHROOT
// names: with debhelper and apt's lists in it, a build takes seconds. Sources are unpacked under TMPDIR.

const CACHE_DIRECTORY = '/var/cache/airline';
const BUILD_MS = 900_000;
const QUICK_CHROOT = process.env['TRIAL_CHROOT'];
const HERE = import.meta.dirname;

const user = unprivilegedUser(console.error);
const unprivileged = createUnprivileged(user);
const machine = await readMachine();
const chroots = openChroots({
  chrootsDir: join(CACHE_DIRECTORY, 'chroots'),
  workDir: join(CACHE_DIRECTORY, 'builds'),
  machine,
  unprivileged,
  timeoutMs: BUILD_MS,
  killAfterMs: 5_000,
});

const asked = process.argv.slice(2);
for (const trial of asked.length > 0 ? asked.map(named) : TRIAL_PACKAGES) {
  const path = join(HERE, `${trial.name}.txt`);
  if (asked.length === 0 && (await isThere(path))) continue;
  const startedAt = Date.now();
  const { log, exitCode } = await build(trial);
  await writeFile(path, log);
  console.log(`${trial.name}: ${exitCode}, ${log.length} bytes, ${Date.now() - startedAt} ms`);
}

async function build(trial: TrialPackage): Promise<{ log: string; exitCode: number | null }> {
  const work = join(tmpdir(), `trial-${randomUUID()}`);
  try {
    const sources = join(work, 'source');
    const temporaryDir = join(work, 'tmp');
    const builtDir = join(work, 'built');
    for (const path of [work, temporaryDir, builtDir]) await unprivileged.makeDirectory(path);
    await mkdir(sources, { recursive: true });
    for (const path of await writeSource(trial, sources)) {
      const target = join(work, basename(path));
      await copyFile(path, target);
      await unprivileged.give(target);
    }
    const configPath = join(work, 'sbuild.conf');
    await writeFile(
      configPath,
      [
        `$bd_uninstallable_explainer = '';`,
        `$stalled_pkg_timeout = ${trial.stalledMinutes ?? 150};`,
        `$unshare_tmpdir_template = '${temporaryDir}/root.XXXXXXXXXX';`,
        '1;',
        '',
      ].join('\n'),
    );
    const chunks: Buffer[] = [];
    const onOutput = (chunk: Buffer) => void chunks.push(chunk);
    const tarball =
      trial.chroot ??
      QUICK_CHROOT ??
      (await chroots.tarball(AbortSignal.timeout(BUILD_MS), onOutput));
    const { exitCode } = await unprivileged.run(
      'sbuild',
      [
        '--chroot-mode=unshare',
        `--chroot=${tarball}`,
        `--dist=${machine.series}`,
        `--arch=${machine.architecture}`,
        '--arch-all',
        '--no-run-lintian',
        '--no-run-piuparts',
        '--no-run-autopkgtest',
        '--nolog',
        ...(QUICK_CHROOT === undefined
          ? []
          : ['--no-apt-update', '--no-apt-upgrade', '--no-apt-distupgrade']),
        ...(trial.sbuildOptions ?? []),
        join(work, `${trial.name}_1.0-1.dsc`),
      ],
      {
        cwd: builtDir,
        temporaryDir,
        env: { SBUILD_CONFIG: configPath, DEB_BUILD_OPTIONS: 'noautodbgsym' },
        signal: AbortSignal.timeout(BUILD_MS),
        timeoutMs: BUILD_MS,
        killAfterMs: 5_000,
        onOutput,
      },
    );
    return { log: scrubbed(Buffer.concat(chunks).toString('utf8'), work), exitCode };
  } finally {
    await unprivileged.removeDirectory(work);
  }
}

function named(name: string): TrialPackage {
  const trial = TRIAL_PACKAGES.find((one) => one.name === name);
  if (!trial) throw new Error(`There is no trial package ${name}.`);
  return trial;
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Without what tells of the machine that the log was made on; as many lines as before. */
function scrubbed(log: string, work: string): string {
  return log
    .replaceAll(work, '/srv/build')
    .replaceAll(CACHE_DIRECTORY, '/srv')
    .replaceAll(QUICK_CHROOT ?? CACHE_DIRECTORY, '/srv/chroot.tar')
    .replaceAll(/http:\/\/[^\s/]+(?=\/(?:debian|ubuntu))/g, 'http://mirror.example')
    .replaceAll(/^Kernel: .*$/gm, 'Kernel: Linux')
    .replaceAll(new RegExp(`\\b${hostname()}\\b`, 'g'), 'builder');
}
