import { until } from './until.ts';

it('asks again until it is answered, and hands the answer over', async () => {
  const answers = [undefined, false, 0];
  expect(await until('a number', () => answers.shift())).toBe(0);
  expect(answers).toEqual([]);
});

it('a question that is never answered does not outlast the time', async () => {
  await expect(until('an answer', () => new Promise<true>(() => undefined), 20)).rejects.toThrow(
    'not within 20 ms: an answer',
  );
});

it('an answer that is there at once counts even where no time is left', async () => {
  expect(await until('an answer', async () => 'yes', 0)).toBe('yes');
});
