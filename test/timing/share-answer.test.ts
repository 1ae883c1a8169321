import { shareAnswer } from '../../timing/share-answer.ts';

it('asks once for all who ask at the same time or soon after, and again later, after a failure too', async () => {
  let nowMs = 0;
  let asked = 0;
  const read = shareAnswer(
    async () => {
      asked += 1;
      if (asked === 2) throw new Error('away');
      return asked;
    },
    1_000,
    () => nowMs,
  );
  expect(await Promise.all([read(), read()])).toEqual([1, 1]);
  nowMs = 999;
  expect(await read()).toBe(1);
  nowMs = 1_000;
  await expect(read()).rejects.toThrow('away');
  await expect(read()).rejects.toThrow('away');
  nowMs = 2_000;
  expect(await read()).toBe(3);
});
