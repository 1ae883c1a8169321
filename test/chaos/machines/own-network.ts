import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../../main/config/config.ts';
import { resolveDirectories } from '../../../main/embedded/directories.ts';
import { endMarked } from '../../../main/embedded/stale-processes.ts';
import { createSupervisor } from '../../../main/embedded/supervisor.ts';
import { unprivilegedUser } from '../../../main/embedded/unprivileged-user.ts';
import { s3ProgramStep } from '../../support/s3-part.ts';
import { makeRunDirectory } from '../../support/stack/run-directory.ts';
import { temporalProgramsStep } from '../../support/stack/temporal-cluster.ts';
import { stateDirOf } from '../chaos-stack.ts';

const PROJECT_DIR = fileURLToPath(new URL('../../..', import.meta.url));
/** Names the directory of the run to the process that has the network of its own. */
const VARIABLE = 'CHAOS_DIRECTORY';
/** Another one than Node has for itself. */
const COULD_NOT_RUN = 2;

/** The directory of the run, where this process has a network of its own; undefined where it has not. */
export function ownNetworkDirectory(): string | undefined {
  return process.env[VARIABLE];
}

/**
 * Runs this very program again, in a network namespace of its own: nothing of the machine's own network is touched, and
 * nothing is left of the other when its last process has ended. What the program leaves behind, it may have been
 * killed, is ended here.
 *
 * @param say takes a line for each thing that happens
 * @returns its exit code
 * @throws Error where this machine lets us make no networks
 */
export async function runInOwnNetwork(say: (line: string) => void): Promise<number> {
  assertRights();
  const directory = makeRunDirectory('airline-chaos-');
  const stateDir = stateDirOf(directory);
  await makePrograms(directory, say);
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const child = spawn(
    'setpriv',
    ['--pdeathsig', 'TERM', '--', 'unshare', '--net', '--', ...again],
    { stdio: 'inherit', env: { ...process.env, [VARIABLE]: directory } },
  );
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'exit')) as [number | null];
  await endMarked(stateDir);
  return code ?? COULD_NOT_RUN;
}

/** @throws Error that says what lacks */
function assertRights(): void {
  if (process.getuid?.() !== 0)
    throw new Error('--machines makes network namespaces, which only root may: run it as root.');
  const { status, stderr } = spawnSync(
    'unshare',
    ['--net', '--', 'ip', 'link', 'set', 'lo', 'up'],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0)
    throw new Error(`--machines makes network namespaces, and this machine lets us not: ${stderr}`);
}

/** Builds what the machines run and no package has; they have no way to fetch anything themselves. */
async function makePrograms(directory: string, say: (line: string) => void): Promise<void> {
  const config = loadConfig(
    process.env['AIRLINE_CACHE_DIR'] ? { AIRLINE_CACHE_DIR: process.env['AIRLINE_CACHE_DIR'] } : {},
  );
  const { cache: cacheDir } = resolveDirectories(
    config,
    unprivilegedUser(() => undefined),
  );
  const work = join(directory, 'programs');
  const [runDir, logDir] = ['run', 'logs'].map((name) => join(work, name)) as [string, string];
  for (const folder of [runDir, logDir]) mkdirSync(folder, { recursive: true });
  const supervisor = createSupervisor(
    { stateDir: work, runDir, logDir },
    ({ kind, part, text }) => {
      if (kind === 'note') say(`${part}: ${text}`);
    },
  );
  const options = { cacheDir, directory: work, projectDir: PROJECT_DIR };
  await supervisor.start([temporalProgramsStep(options), s3ProgramStep(options)]);
  await supervisor.stop();
}
