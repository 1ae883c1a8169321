import { whileHoldingLock } from '../../../models/sql/hold-lock.ts';
import { useDatabase } from '../use-database.ts';

const SLOTS = 4;
/** One for each slot, and one for the work, as a tester has at least. */
const database = useDatabase(SLOTS + 1);

test('work under a lock gets on while every other slot waits for that lock', async () => {
  const { signal } = new AbortController();
  let atOnce = 0;
  const work = async (): Promise<number> => {
    atOnce += 1;
    await database.now.Image.count();
    return atOnce--;
  };
  const slots = Array.from({ length: SLOTS }, () =>
    whileHoldingLock(database.now.sequelize, 'an image', signal, work),
  );
  expect(await Promise.all(slots)).toEqual([1, 1, 1, 1]);
});
