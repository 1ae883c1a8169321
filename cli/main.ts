import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EXIT } from './exit-code.ts';
import { runCommandLine } from './run-command-line.ts';

declare const AIRLINE_VERSION: string;

const interruption = new AbortController();
process.once('SIGINT', () => {
  interruption.abort();
  // What has not ended by then would hold the user's terminal; a second Ctrl-C ends it at once.
  setTimeout(() => process.exit(130), 3_000).unref();
  process.once('SIGINT', () => process.exit(130));
});
// A reader that has seen enough, such as `head`.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });

/** The built command lies in dist/cli/ of the clone, or of a package made of it. */
const clone = fileURLToPath(new URL('../..', import.meta.url));

process.exitCode = await runCommandLine({
  args: process.argv.slice(2),
  // oxlint-disable-next-line node/no-process-env
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  homeDirectory: homedir(),
  version: AIRLINE_VERSION,
  cloneDirectory: existsSync(join(clone, 'admin/replay.ts')) ? clone : undefined,
  fetch,
  now: () => new Date(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
  interruption: interruption.signal,
  runProgram: (command, args, env = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        stdio: 'inherit',
        // oxlint-disable-next-line node/no-process-env
        env: { ...process.env, ...env },
        signal: interruption.signal,
        // Temporal's runtime takes every other one for a wish to end at some time.
        killSignal: 'SIGKILL',
      });
      child.once('error', (error) => {
        if (interruption.signal.aborted) resolve(EXIT.interrupted);
        else reject(error);
      });
      child.once('close', (code) => resolve(code ?? EXIT.interrupted));
    }),
});
// Connections that are kept open for a next call must not hold the process.
process.stdout.write('', () => process.exit());
