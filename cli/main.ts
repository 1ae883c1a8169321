import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Interrupted } from './command-error.ts';
import { EXIT } from './exit-code.ts';
import { openFileOutput } from './output/file-output.ts';
import { outputError, reportError } from './report-error.ts';
import { optionsIn, runCommandLine } from './run-command-line.ts';
import { patientFetch } from './server/patient-fetch.ts';

declare const AIRLINE_VERSION: string;

const interruption = new AbortController();
// Not SIGHUP: nohup has it ignored, and whoever listens to it hears it again.
const INTERRUPTING = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;
for (const [signal, exit] of Object.entries(INTERRUPTING))
  process.on(signal, () => {
    if (interruption.signal.aborted) {
      // A second Ctrl-C ends it at once; a second SIGTERM may be the first one again, as timeout(1) sends it.
      if (signal === 'SIGINT') process.exit(exit);
      return;
    }
    interruption.abort(new Interrupted(undefined, exit));
    // What has not ended by then would hold the user's terminal.
    setTimeout(() => process.exit(exit), 3_000).unref();
  });
const args = process.argv.slice(2);
// oxlint-disable-next-line node/no-process-env
const env = process.env;
const { stderr } = process;
const stdout = openFileOutput(process.stdout.fd) ?? process.stdout;
/** A reader that has seen enough, such as `head`. What was asked for may not have come to its end. */
const isReaderGone = ({ code }: NodeJS.ErrnoException) => code === 'EPIPE';
stdout.on('error', (error) => {
  if (isReaderGone(error)) process.exit(EXIT.unread);
  const said = { stderr, env, interruption: interruption.signal };
  process.exit(reportError(said, outputError(error), optionsIn(args)));
});
// There is nowhere left to say it.
stderr.on('error', (error) => process.exit(isReaderGone(error) ? EXIT.unread : EXIT.failed));

/** Undefined for a user of no name, as in some containers, where HOME is not set. */
function homeDirectory(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

/** The built command lies in dist/cli/ of the clone, or of a package made of it. */
const clone = fileURLToPath(new URL('../..', import.meta.url));

process.exitCode = await runCommandLine({
  args,
  env,
  stdin: process.stdin,
  stdout,
  stderr,
  homeDirectory: homeDirectory(),
  version: AIRLINE_VERSION,
  cloneDirectory: existsSync(join(clone, 'admin/replay.ts')) ? clone : undefined,
  fetch: patientFetch,
  now: () => new Date(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
  interruption: interruption.signal,
  runProgram: (command, args, more = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        stdio: 'inherit',
        env: { ...env, ...more },
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
  readProgram: (command, args, { cwd } = {}) =>
    new Promise((resolve, reject) => {
      if (interruption.signal.aborted) throw new Interrupted();
      // What gpg asks for a passphrase with needs the terminal.
      const child = spawn(command, args, {
        stdio: ['inherit', 'pipe', 'pipe'],
        cwd,
        env,
        signal: interruption.signal,
      });
      const said = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const)
        child[name].setEncoding('utf8').on('data', (part: string) => (said[name] += part));
      child.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') resolve(undefined);
        // What it writes to is removed once it has ended.
        else if (!interruption.signal.aborted) reject(error);
      });
      child.once('close', (code) => {
        // An interruption ends the program, too: that says nothing of its files.
        if (interruption.signal.aborted) reject(new Interrupted());
        else resolve({ code: code ?? EXIT.interrupted, ...said });
      });
    }),
});
// Connections that are kept open for a next call must not hold the process.
// A stream that has failed ends the process itself, with another code.
stdout.write('', (error) => {
  if (!error) process.exit();
});
