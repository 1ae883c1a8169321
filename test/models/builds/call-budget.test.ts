import {
  countCalls,
  markAnswered,
  markFailed,
  pauseCalls,
  takeSpareTurn,
  takeTurn,
} from '../../../models/builds/call-budget.ts';
import { until } from '../../support/until.ts';
import { useDatabase } from '../use-database.ts';

const RATE = { perSecond: 10, maxWaitMs: 1_000, callMs: 60_000 };
const database = useDatabase();

const take = () => takeTurn(database.now.sequelize, RATE);
const set = (columns: string) => database.now.sequelize.query(`UPDATE call_budget SET ${columns}`);
/** As long ago as that, nothing has happened since. */
const pass = (ms: number) =>
  set(
    `refilled_at = refilled_at - ${ms} * interval '1 ms', closed_until = closed_until - ${ms} * interval '1 ms',
     closed_at = closed_at - ${ms} * interval '1 ms'`,
  );
const closedMs = async () => {
  const { closedUntil } = await countCalls(database.now.sequelize);
  return closedUntil ? closedUntil.getTime() - Date.now() : 0;
};
const fail = async (times: number) => {
  for (let time = 0; time < times; time++) await markFailed(database.now.sequelize);
};

beforeEach(() =>
  set(
    `tokens = 0, refilled_at = clock_timestamp(), failures_in_a_row = 0,
     pauses_in_a_row = 0, closed_until = NULL, closed_at = NULL, is_probing = false, calls = 0, failed_calls = 0`,
  ),
);

describe('the budget of calls that all workers share', () => {
  /** No time passes but that which the test lets pass. */
  const frozen = () => set(`tokens = 0, refilled_at = clock_timestamp()`);

  it('gives each call that comes too early its own time, and refuses what would wait for too long', async () => {
    const turns = [];
    await frozen();
    for (let call = 0; call < 3; call++) turns.push(await take());
    const waits = turns.map((turn) => ('waitMs' in turn ? turn.waitMs : NaN));
    // What passes meanwhile makes a wait shorter, never longer.
    for (const [index, waitMs] of waits.entries()) {
      expect(waitMs).toBeLessThanOrEqual((index + 1) * 100);
      expect(waitMs).toBeGreaterThanOrEqual(0);
    }
    await set('tokens = -1000');
    expect(await take()).toEqual({ refusedMs: RATE.maxWaitMs, why: 'rate' });
    expect((await countCalls(database.now.sequelize)).calls).toBe(3);
  });

  it('lets no more through at once after a quiet time than five seconds give', async () => {
    await frozen();
    await pass(3_600_000);
    expect(await take()).toMatchObject({ waitMs: 0 });
    const [rows] = await database.now.sequelize.query('SELECT tokens FROM call_budget');
    expect((rows as { tokens: number }[])[0]?.tokens).toBe(49);
  });
});

describe("a database's clock that is set back by an hour", () => {
  it('does not keep calls waiting until it is there again', async () => {
    await set(`tokens = -9.5`);
    await pass(-3_600_000);
    expect(await take()).toMatchObject({ waitMs: expect.any(Number) });
  });

  it('does not make a pause longer', async () => {
    await pauseCalls(database.now.sequelize, 30_000);
    expect(await take()).toMatchObject({ why: 'closed' });
    await pass(-3_600_000);
    expect((await countCalls(database.now.sequelize)).closedUntil).toBeNull();
    expect(await take()).toMatchObject({ waitMs: expect.any(Number) });
  });
});

describe('a web service that does not answer', () => {
  beforeEach(() => set(`tokens = 0, refilled_at = clock_timestamp() - interval '1 hour'`));

  it('is left alone after five failures in a row, and not after five with an answer between', async () => {
    await fail(4);
    await markAnswered(database.now.sequelize);
    await fail(4);
    expect(await take()).toMatchObject({ isRecovering: true });
    await fail(1);
    expect(await take()).toMatchObject({ why: 'closed' });
    expect(await closedMs()).toBeGreaterThan(0);
  });

  it('is not left alone for longer because many calls were under way', async () => {
    await fail(60);
    expect(await closedMs()).toBeLessThanOrEqual(5_000);
    expect((await countCalls(database.now.sequelize)).failedCalls).toBe(60);
  });

  it('is tried by one call after the pause; a failure makes the next one longer, an answer ends it', async () => {
    await fail(5);
    await pass(5_000);
    expect(await take()).toMatchObject({ isRecovering: true });
    expect(await take()).toMatchObject({ why: 'closed' });
    await fail(1);
    expect(await closedMs()).toBeGreaterThan(5_000);
    expect(await closedMs()).toBeLessThanOrEqual(10_000);

    await pass(10_000);
    await take();
    await markAnswered(database.now.sequelize);
    expect(await closedMs()).toBe(0);
    expect(await take()).toMatchObject({ isRecovering: false });
  });

  it('is tried again by another call where the one that tried it has died', async () => {
    await fail(5);
    await pass(5_000);
    await take();
    await pass(RATE.callMs);
    expect(await take()).toMatchObject({ isRecovering: true });
  });

  it('gets the pause that it asks for, whatever else it answers', async () => {
    await pauseCalls(database.now.sequelize, 30_000);
    await markAnswered(database.now.sequelize);
    expect(await take()).toMatchObject({ why: 'closed' });
    await pass(30_000);
    expect(await take()).toMatchObject({ isRecovering: false });
  });
});

describe('a call that nobody waits for', () => {
  const takeSpare = () => takeSpareTurn(database.now.sequelize, RATE.perSecond);

  it('gets its turn while more than half of the budget is left', async () => {
    await until('a call that comes too early to be refused', async () => {
      // A turn comes in all the while: the call may be in time where the machine is slow between the two.
      await set('tokens = 24, refilled_at = clock_timestamp()');
      return !(await takeSpare());
    });
    await set('tokens = 40, refilled_at = clock_timestamp()');
    expect(await takeSpare()).toBe(true);
  });

  it('gets none while the web service fails', async () => {
    await set(`tokens = 50, refilled_at = clock_timestamp() - interval '1 hour'`);
    await fail(1);
    expect(await takeSpare()).toBe(false);
    await markAnswered(database.now.sequelize);
    expect(await takeSpare()).toBe(true);
  });
});
