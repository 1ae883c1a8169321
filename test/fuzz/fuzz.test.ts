import { useApi } from '../api/serve.ts';
import { fuzz, summaryOf } from './fuzz.ts';
import { seedRows } from './seed-rows.ts';

const REQUESTS = 500;
// Its processor time is that of a minute; a busy machine gives it a tenth of a processor.
const LIMIT_MS = 1_800_000;

describe('requests made from the OpenAPI document', () => {
  const api = useApi();
  beforeAll(() => seedRows(api.now));

  it(
    'are all answered as it says, and none with 5xx',
    async () => {
      const fuzzed = await fuzz({
        url: api.now.url,
        requests: REQUESTS,
        seed: 1,
        // `npm run fuzz` has all phases, and as many requests as are wanted; that of coverage alone makes thousands.
        phases: 'examples,fuzzing,stateful',
      });
      expect(fuzzed.passed ? '' : `${fuzzed.output}\n${summaryOf(fuzzed)}`).toBe('');
      expect([...fuzzed.statuses.keys()].filter((status) => status === 0 || status >= 500)).toEqual(
        [],
      );
      expect(fuzzed.requests).toBeGreaterThanOrEqual(REQUESTS);
    },
    LIMIT_MS,
  );
});
