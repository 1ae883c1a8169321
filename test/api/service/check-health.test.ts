import { createHealthCheck } from '../../../api/service/check-health.ts';

function startCheck() {
  const looks = { database: 0, temporal: 0, broker: 0 };
  const clock = { nowMs: 0 };
  let finish = () => {};
  const check = createHealthCheck(
    {
      database: async () => void (looks.database += 1),
      temporal: async () => {
        looks.temporal += 1;
        throw new Error('no route to 10.1.2.3');
      },
      broker: () => {
        looks.broker += 1;
        return new Promise((resolve) => (finish = resolve));
      },
    },
    60_000,
    { maxAgeMs: 2_000, now: () => clock.nowMs },
  );
  return { check, looks, clock, finish: () => finish() };
}

it('looks once for all who ask meanwhile and soon after, and again later', async () => {
  const { check, looks, clock, finish } = startCheck();
  const asked = [check(), check(), check()];
  clock.nowMs = 60_000;
  asked.push(check());
  finish();
  for (const parts of await Promise.all(asked))
    expect(parts).toMatchObject({
      database: { healthy: true },
      temporal: { healthy: false, error: 'no route to 10.1.2.3' },
      broker: { healthy: true },
    });
  clock.nowMs += 1_999;
  await check();
  expect(looks).toEqual({ database: 1, temporal: 1, broker: 1 });
  clock.nowMs += 1;
  const again = check();
  finish();
  await again;
  expect(looks).toEqual({ database: 2, temporal: 2, broker: 2 });
});
