import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRest, type Rest } from '../main/demo/rest.ts';
import { loadEmbeddedConfig } from '../main/embedded/environment.ts';
import type { PartName } from '../main/embedded/part.ts';
import { startStack, type Stack } from '../main/embedded/stack.ts';
import type { ProcessRecord } from '../main/embedded/stale-processes.ts';
import { createProgressPrinter } from '../main/embedded/terminal.ts';
import { canAccess, unprivilegedUser } from '../main/embedded/unprivileged-user.ts';
import { freePorts, portVariables } from '../test/support/stack/free-ports.ts';

const GIBIBYTE = 2 ** 30;

/** A whole Airline with a state of its own, as `npm start` runs it. */
export type BenchStack = {
  stack: Stack;
  rest: Rest;
  /** A folder for what the measurement needs; it goes when the stack goes. */
  scratchDir: string;
  /** Where the stand-in looks for the keys of developers. */
  keysDir: string;
  /** Process of a part. */
  pidOf: (part: PartName) => number;
  /** Gives the stand-in, started with a script, another one. */
  play: (script: object) => void;
};

/**
 * Starts the embedded stack with its defaults on free ports, lets it be measured, and leaves nothing of it behind.
 * It is run as it ships: durable, and with the machine's cache of chroots and programs.
 *
 * @param options.script what the PPA does instead of building with sbuild
 * @param options.files contents of files that variables name
 * @param options.environment variables that are to differ from the defaults
 * @param options.prepare fills the folder of the state before anything starts
 * @param options.only these parts and those they need; unset: all
 * @param options.neededBytes free disk space that the measurement needs
 * @throws what `measure` throws, the failure of a part, or the signal's reason
 */
export async function withBenchStack<T>(
  options: {
    script?: object;
    files?: Readonly<Record<string, string>>;
    environment?: Readonly<Record<string, string>>;
    prepare?: (stateDir: string) => void;
    only?: readonly PartName[];
    neededBytes: number;
    signal: AbortSignal;
  },
  measure: (bench: BenchStack) => Promise<T>,
): Promise<T> {
  const { signal } = options;
  const cacheDir = process.env['AIRLINE_CACHE_DIR'];
  const directory = await makeDirectory(options.neededBytes);
  let stack: Stack | undefined;
  try {
    const scratchDir = join(directory, 'scratch');
    mkdirSync(scratchDir);
    const scriptPath = join(directory, 'script.json');
    const play = (script: object) => {
      writeFileSync(`${scriptPath}.new`, JSON.stringify(script));
      renameSync(`${scriptPath}.new`, scriptPath);
    };
    if (options.script) play(options.script);
    const files = Object.entries(options.files ?? {}).map(([variable, content]) => {
      const path = join(directory, variable.toLowerCase());
      writeFileSync(path, content);
      return [variable, path] as const;
    });
    const stateDir = join(directory, 'state');
    if (options.prepare) {
      mkdirSync(stateDir);
      options.prepare(stateDir);
    }
    stack = await startStack({
      config: loadEmbeddedConfig({
        ...portVariables(await freePorts()),
        ...(cacheDir ? { AIRLINE_CACHE_DIR: cacheDir } : {}),
        AIRLINE_STATE_DIR: stateDir,
        AIRLINE_LOG_FORMAT: 'json',
        ...(options.script ? { AIRLINE_STAND_IN_SCRIPT: scriptPath } : {}),
        ...Object.fromEntries(files),
        ...options.environment,
      }),
      report: createProgressPrinter(process.stdout),
      ...(options.only ? { only: options.only } : {}),
      signal,
    });
    const { addresses, directories, failed } = stack;
    const measuring = measure({
      stack,
      rest: createRest(addresses.api),
      scratchDir,
      keysDir: join(directories.state, 'stand-in', 'keys'),
      pidOf: (part) => {
        const record = readFileSync(join(directories.state, 'run', `${part}.json`), 'utf8');
        return (JSON.parse(record) as ProcessRecord).pid;
      },
      play,
    });
    return await Promise.race([
      measuring,
      failed.then((failure) => Promise.reject(failure)),
      aborted(signal),
    ]);
  } finally {
    await stack?.stop();
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A new directory with room on a disk, which the unprivileged user can reach. */
async function makeDirectory(neededBytes: number): Promise<string> {
  const account = unprivilegedUser(() => undefined);
  // /var/tmp first: /tmp is memory on some machines.
  for (const parent of ['/var/tmp', tmpdir(), '/tmp']) {
    if (!canAccess(account, 'x', parent)) continue;
    const { bavail, bsize } = await statfs(parent);
    if (bavail * bsize < neededBytes) continue;
    const made = mkdtempSync(join(parent, 'airline-bench-'));
    chmodSync(made, 0o755);
    return made;
  }
  throw new Error(
    `Neither /var/tmp nor TMPDIR has ${Math.ceil(neededBytes / GIBIBYTE)} GiB free, which this measurement needs.`,
  );
}

async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}
