import { readCommandLine, refuseCall } from '../../scripts/command-line.ts';
import { serveApi } from '../api/serve.ts';
import { startSharedStack, stopSharedStack } from '../support/stack/shared-stack.ts';
import { fuzz, summaryOf } from './fuzz.ts';
import { seedRows } from './seed-rows.ts';

const USAGE = `npm run fuzz -- [--requests N] [--seed N] [--phases NAMES]

Sends requests made from our OpenAPI document, good and bad ones, to an API on a database of its own, and checks
every answer: no 5xx, no undocumented status, nothing that breaks its schema, and the other checks of schemathesis.

  --requests  at least so many (default: 10000)
  --seed      of the requests (default: 1); the same seed makes the same requests of the same document
  --phases    of examples,coverage,fuzzing,stateful (default: all)
  --help      this text

Exit code: 0 when every check passed, 1 when one failed, 2 when it could not run.`;

const { values } = readCommandLine(USAGE, {
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    phases: { type: 'string', default: 'examples,coverage,fuzzing,stateful' },
  },
});
const requests = Number(values.requests);
const seed = Number(values.seed);
if (!Number.isSafeInteger(requests) || requests < 1 || !Number.isSafeInteger(seed))
  refuseCall(USAGE);

try {
  // On a signal it ends the stack and whatever was started here.
  await startSharedStack();
  const api = await serveApi();
  try {
    await seedRows(api);
    const fuzzed = await fuzz({
      url: api.url,
      requests,
      seed,
      phases: values.phases,
    });
    console.log(`${fuzzed.output}\n${summaryOf(fuzzed)}`);
    process.exitCode = fuzzed.passed ? 0 : 1;
  } finally {
    await api.close();
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
} finally {
  await stopSharedStack();
}
