import { waitUntil } from '../../../main/embedded/wait-until.ts';

const never = () => new Promise<boolean>(() => undefined);

it('asks until the answer is true, and takes a fault for not yet', async () => {
  const answers = [() => false, () => Promise.reject(new Error('refused')), () => true];
  await waitUntil('the third answer', () => (answers.shift() as () => boolean)(), {
    timeoutMs: 60_000,
    intervalMs: 1,
  });
  expect(answers).toEqual([]);
});

it('says what did not happen, and the last fault', async () => {
  await expect(
    waitUntil('an answer', () => Promise.reject(new Error('refused')), {
      timeoutMs: 20,
      intervalMs: 1,
    }),
  ).rejects.toThrow('an answer did not happen within 0.02 s (refused)');
});

it('asks once even where no time is left', async () => {
  await waitUntil('an answer', () => true, { timeoutMs: 0 });
});

it('a question that is never answered does not outlast the time', async () => {
  await expect(waitUntil('an answer', never, { timeoutMs: 20 })).rejects.toThrow(
    'an answer did not happen within 0.02 s',
  );
});

it('a signal ends the wait in the middle of a question, and between two', async () => {
  for (const condition of [never, () => false]) {
    const interruption = new AbortController();
    const waiting = waitUntil('an answer', condition, {
      timeoutMs: 60_000,
      intervalMs: 60_000,
      signal: interruption.signal,
    });
    interruption.abort(new Error('Ctrl-C'));
    await expect(waiting).rejects.toThrow('Ctrl-C');
  }
});

it('asks nothing where the signal has come already', async () => {
  let asked = 0;
  const ask = () => Boolean((asked += 1));
  const signal = AbortSignal.abort(new Error('Ctrl-C'));
  await expect(waitUntil('an answer', ask, { timeoutMs: 60_000, signal })).rejects.toThrow(
    'Ctrl-C',
  );
  expect(asked).toBe(0);
});
