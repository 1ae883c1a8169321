import { loadConfig } from '../../../main/config/config.ts';
import type { PartName } from '../../../main/embedded/part.ts';
import { startStack } from '../../../main/embedded/stack.ts';

/*
 * `main/start.ts` with only the parts named on the command line: it writes the addresses as a JSON line
 * when they are up, and ends as `npm start` does.
 */
const stack = await startStack({
  config: loadConfig(),
  report: ({ part, kind, text }) => process.stderr.write(`${part} ${kind}: ${text}\n`),
  only: process.argv.slice(2) as PartName[],
}).catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
});
// Before the addresses: who has them may stop it at once.
process.once('SIGTERM', () => void stack.stop().then(() => process.exit(0)));
process.stdout.write(`${JSON.stringify(stack.addresses)}\n`);
const failure = await stack.failed;
process.stderr.write(`${failure.message}\n`);
process.exitCode = 1;
