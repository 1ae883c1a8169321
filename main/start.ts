import { createProgressPrinter, printAddresses } from './embedded/terminal.ts';
import { loadEmbeddedConfig } from './embedded/environment.ts';
import { startStack } from './embedded/stack.ts';
import { openFilesToOthers } from './embedded/unprivileged-user.ts';

openFilesToOthers();

// Whoever reads our output may leave first; the stack is stopped in order all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  // npm passes Ctrl-C on although the terminal has sent it already: more than one is one.
  process.on(signal, () => interruption.abort(signal));

try {
  const stack = await startStack({
    config: loadEmbeddedConfig(),
    report: createProgressPrinter(process.stdout),
    signal: interruption.signal,
  });
  printAddresses(stack, process.stdout);
  const failure = await Promise.race([
    stack.failed,
    new Promise<undefined>((resolve) => {
      if (interruption.signal.aborted) resolve(undefined);
      interruption.signal.addEventListener('abort', () => resolve(undefined), { once: true });
    }),
  ]);
  if (failure) throw failure;
  console.log('stopping');
  await stack.stop();
} catch (error) {
  if (interruption.signal.aborted && error === interruption.signal.reason) {
    console.log('stopped before everything was up');
  } else {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
