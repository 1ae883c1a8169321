import { patiently } from '../../../activities/testing/patiently.ts';
import { keepLog } from '../activity.ts';

const NEVER = new AbortController().signal;

/** Work that fails so many times. */
function failing(times: number) {
  let tries = 0;
  const work = async () => {
    tries += 1;
    if (tries <= times) throw new Error(`fault ${tries}`);
    return 'stored';
  };
  return { work, tries: () => tries };
}

it('does what fails at first again after pauses, which grow', async () => {
  const { logger, lines } = keepLog();
  const pauses: number[] = [];
  const pause = async (ms: number) => void pauses.push(ms);
  const { work } = failing(7);
  expect(await patiently({ logger, signal: NEVER, pause }, work)).toBe('stored');
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(lines).toHaveLength(7);
});

it('gives up after some minutes, with the last fault', async () => {
  let waitedMs = 0;
  const pause = async (ms: number) => void (waitedMs += ms);
  const { work, tries } = failing(Infinity);
  const { logger } = keepLog();
  await expect(patiently({ logger, signal: NEVER, pause }, work)).rejects.toThrow('fault 20');
  expect(tries()).toBe(20);
  expect(waitedMs).toBeGreaterThan(5 * 60_000);
  expect(waitedMs).toBeLessThan(10 * 60_000);
});

it('does it once where nobody waits for it any more', async () => {
  const { work, tries } = failing(1);
  const { logger } = keepLog();
  const signal = AbortSignal.abort();
  await expect(patiently({ logger, signal }, work)).rejects.toThrow('fault 1');
  expect(tries()).toBe(1);
});

it('ends while it pauses as soon as nobody waits for it', async () => {
  const cancelling = new AbortController();
  const { logger } = keepLog();
  const work = async () => {
    setImmediate(() => cancelling.abort(new Error('cancelled')));
    throw new Error('away');
  };
  const { signal } = cancelling;
  await expect(patiently({ logger, signal }, work)).rejects.toMatchObject({ name: 'AbortError' });
});
