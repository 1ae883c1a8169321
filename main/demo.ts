import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readCommandLine, refuseCall } from '../scripts/command-line.ts';
import { fetchSource } from './demo/apt-source.ts';
import { buildPackage } from './demo/build-package.ts';
import { landPackages } from './demo/landing/land-packages.ts';
import { loadEmbeddedConfig } from './embedded/environment.ts';
import { startStack, type Stack } from './embedded/stack.ts';
import { openFilesToOthers, unprivilegedUser } from './embedded/unprivileged-user.ts';
import { createProgressPrinter, printAddresses } from './embedded/terminal.ts';

const USAGE = `npm run demo -- [--package NAME | --package FILE.dsc | --land] [--keep]

Starts the whole stack, makes a new version of a Debian source package, builds it in the local PPA and shows
what happens. Exit 0 only if a package, its logs and a gap-free stream of progress came out.

With --land, a ticket with two small packages lands itself: they are built in order, tested in an image that is made
for them, approved, published in the local archive, and installed from there.

  --package  source package of this machine's series, or path of a .dsc (default: hello)
  --land     land a ticket with two packages
  --keep     leave the stack running at the end, until Ctrl-C
  --help     this text`;

const { values } = readCommandLine(USAGE, {
  options: {
    package: { type: 'string' },
    land: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
if (values.land && values.package !== undefined)
  refuseCall(USAGE, '--land brings its own packages: leave out --package.');

openFilesToOthers();
const startedAtMs = Date.now();
const say = (line: string) =>
  console.log(`${((Date.now() - startedAtMs) / 1_000).toFixed(1).padStart(7)} s  ${line}`);
const interruption = new AbortController();
const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      interruption.abort(new Error(`stopped by ${signal}`));
      reject(interruption.signal.reason as Error);
    });
});
interrupted.catch(() => undefined);

let stack: Stack | undefined;
const fetchedDir = await mkdtemp(join(tmpdir(), 'airline-demo-'));
try {
  // Before the stack starts: where there is no such package, nobody waits for it.
  const dsc = values.land ? undefined : await findSource(values.package ?? 'hello');
  if (dsc !== undefined) say(`source package: ${dsc}`);
  stack = await startStack({
    config: loadEmbeddedConfig(),
    report: createProgressPrinter(process.stdout),
    signal: interruption.signal,
  });
  const { addresses, directories } = stack;
  const directory = join(directories.state, 'demo');
  await rm(directory, { recursive: true, force: true });
  const partFailed = stack.failed.then((failure) => Promise.reject(failure));
  partFailed.catch(() => undefined);
  const { api: apiUrl, amqpUrl, launchpadUrl } = addresses;
  const shared = {
    apiUrl,
    launchpadUrl,
    keysDirectory: join(directories.state, 'stand-in', 'keys'),
    directory,
    say,
  };
  const shown =
    dsc === undefined
      ? landPackages({ ...shared, runAs: unprivilegedUser(say) })
      : buildPackage({ ...shared, amqpUrl, dsc });
  await Promise.race([interrupted, partFailed, shown]);
  if (values.keep) {
    printAddresses(stack, process.stdout);
    await Promise.race([interrupted, partFailed]).catch((error: unknown) => {
      if (error !== interruption.signal.reason) throw error;
    });
  } else say('`npm start` serves these pages again');
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  say('stopping');
  await stack?.stop();
  await rm(fetchedDir, { recursive: true, force: true });
  say(process.exitCode === 1 ? 'failed' : 'done');
}

/** @returns path of the `.dsc` @throws Error where there is none */
async function findSource(name: string): Promise<string> {
  if (!name.endsWith('.dsc')) return Promise.race([interrupted, fetchSource(name, fetchedDir)]);
  const path = resolve(name);
  if (!existsSync(path)) throw new Error(`There is no file ${path}.`);
  return path;
}

// A step that was under way when the demonstration was stopped must not hold the process.
process.exit();
