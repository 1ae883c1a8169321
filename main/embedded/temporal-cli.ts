import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { makeDirectory } from './directories.ts';
import { buildWithGo } from './go-build.ts';
import { makeOnce } from './make-once.ts';
import type { PartName, StartContext, Step } from './part.ts';
import { isAtLeast } from './program-version.ts';
import { PartFailure } from './part-failure.ts';
import { renameWhole } from './rename-whole.ts';
import type { Account } from './unprivileged-user.ts';

/** The CLI that is downloaded; `tools/go.mod` pins the same for the build. */
export const CLI_VERSION = '1.8.2';
/** The oldest server that the workflows were run against. */
const MIN_SERVER = [1, 31] as const;
const DOWNLOAD_MS = 300_000;

/** Where the CLI was found, and the server in it. */
export type TemporalCli = { path: string; serverVersion: string };

/**
 * Finds the Temporal CLI: on PATH, in the cache, by the SDK's own download, or built with Go. Each way
 * that fails is noted and the next one tried.
 *
 * @param options.found takes the result
 */
export function temporalCliStep(options: {
  cacheDir: string;
  projectDir: string;
  /** Environment of the download and the build: PATH, HOME, proxies. */
  environment: Readonly<Record<string, string>>;
  account: Account | undefined;
  found: (cli: TemporalCli) => void;
}): Step<PartName> {
  const cached = join(options.cacheDir, `temporal-${CLI_VERSION}`);
  const accept = (path: string) => usableCli(path, options.account);
  return {
    kind: 'step',
    name: 'temporal-cli',
    needs: [],
    perform: async (context) => {
      const ways: [string, () => Promise<string> | string][] = [
        ['PATH', () => onPath(options.environment['PATH'] ?? '')],
        ['the cache', () => cached],
        ['a download by the Temporal SDK', () => download(options, cached, context)],
        ['a build with Go', () => build(options, cached, context)],
      ];
      const failures: string[] = [];
      for (const [way, find] of ways) {
        try {
          const cli = accept(await find());
          options.found(cli);
          return `server ${cli.serverVersion}, from ${way}: ${cli.path}`;
        } catch (error) {
          context.signal.throwIfAborted();
          failures.push(`${way}: ${(error as Error).message}`);
        }
      }
      throw new Error(
        [
          'There is no Temporal CLI, which holds the development server. What was tried:',
          ...failures.map((line) => `- ${line}`),
          `Put the program temporal ${CLI_VERSION} (https://docs.temporal.io/cli) on PATH, or Go (https://go.dev/dl), which builds it; or set AIRLINE_TEMPORAL_ADDRESS to a Temporal of your own.`,
        ].join('\n'),
      );
    },
  };
}

/**
 * Whether a file is a Temporal CLI that we can use.
 *
 * @throws Error that says why not
 */
export function usableCli(path: string, account: Account | undefined): TemporalCli {
  const [file = '', ...args] = account
    ? ['setpriv', `--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', path]
    : [path];
  if (!existsSync(path)) throw new Error(`${path} does not exist`);
  const { status, stdout, stderr, error } = spawnSync(file, [...args, '--version'], {
    encoding: 'utf8',
    timeout: 20_000,
    env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' },
  });
  if (error) throw error;
  if (status !== 0)
    throw new Error(
      `${path} --version failed${account ? ` as user ${account.name}` : ''}: ${stderr}`,
    );
  const serverVersion = /\(Server (\d+\.\d+\.\d+)/i.exec(stdout)?.[1];
  if (serverVersion === undefined)
    throw new Error(`${path} does not say which server it has: ${stdout.slice(0, 200)}`);
  if (!isAtLeast(serverVersion, MIN_SERVER))
    throw new Error(
      `${path} has server ${serverVersion}; at least ${MIN_SERVER.join('.')} is needed`,
    );
  return { path, serverVersion };
}

/** Whether a file works at all: one that only its user cannot reach is not built again. */
function isUsable(path: string): boolean {
  try {
    usableCli(path, undefined);
    return true;
  } catch {
    return false;
  }
}

function onPath(path: string): string {
  const found = path
    .split(delimiter)
    .filter((directory) => directory.startsWith('/'))
    .map((directory) => join(directory, 'temporal'))
    .find(existsSync);
  if (found === undefined) throw new Error('it has no program named temporal');
  return found;
}

type Source = {
  cacheDir: string;
  projectDir: string;
  environment: Readonly<Record<string, string>>;
};

async function download(source: Source, cached: string, context: StartContext): Promise<string> {
  await makeOnce({
    unfinished: `${cached}.download`,
    limitMs: DOWNLOAD_MS,
    signal: context.signal,
    isThere: () => isUsable(cached),
    make: () => downloadAlone(source, cached, context),
  });
  return cached;
}

async function downloadAlone(
  { projectDir, environment }: Source,
  cached: string,
  { run, note }: StartContext,
): Promise<void> {
  note(`downloading the Temporal CLI ${CLI_VERSION}`);
  const directory = makeDirectory(`${cached}.download.${process.pid}`);
  try {
    await run(
      {
        file: process.execPath,
        args: ['--import', 'tsx', 'main/embedded/download-temporal.ts', directory, CLI_VERSION],
        cwd: projectDir,
        environment,
      },
      DOWNLOAD_MS,
    );
    const program = join(directory, `temporal-v${CLI_VERSION}`);
    chmodSync(program, 0o755);
    renameWhole(program, cached);
  } catch (error) {
    throw error instanceof PartFailure ? new Error(reasonOf(error)) : error;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function build(
  { projectDir, environment }: Source,
  cached: string,
  context: StartContext,
): Promise<string> {
  context.note(`building the Temporal CLI ${CLI_VERSION} with Go: once, for some minutes`);
  await buildWithGo(
    {
      projectDir,
      module: 'tools',
      program: 'github.com/temporalio/cli/cmd/temporal',
      target: cached,
      isUsable,
      environment,
    },
    context,
  );
  return cached;
}

/** The failure's last log line, which has the cause. */
function reasonOf(failure: PartFailure): string {
  return failure.message.trimEnd().split('\n').at(-1)?.trim() ?? failure.message;
}
