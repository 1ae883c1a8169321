import { createHash } from 'node:crypto';
import { fakeDate } from '../../support/fake-date.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();
const IN_FLIGHT_MS = 10_000;
const DAY_MS = 86_400_000;
const at = (minute: number) => new Date(Date.UTC(2026, 4, 4, 12, minute));
const idOf = (key: string) => createHash('sha256').update(key).digest();

/** An answer that was made at minute 0. */
const answerTo = (key: string) => ({
  id: idOf(key),
  actor: 'lander',
  key,
  fingerprint: idOf('the request'),
  status: 201,
  headers: { ETag: '"1"' },
  body: Buffer.from([0, 255, 10]),
  needsRead: false,
});

const keep = (key: string, minutes: number, now?: Date) =>
  database.now.sequelize.transaction((transaction) =>
    database.now.IdempotencyKey.keep(answerTo(key), minutes * 60_000, transaction, now),
  );
const answerOf = (key: string, now?: Date) =>
  database.now.sequelize.transaction((transaction) =>
    database.now.IdempotencyKey.answerOf(idOf(key), transaction, now),
  );

afterEach(() => void jest.useRealTimers());

describe('an idempotency key', () => {
  it('belongs to one transaction at a time, and nobody waits for it', async () => {
    const { sequelize, IdempotencyKey } = database.now;
    const claimIn = (transaction: Awaited<ReturnType<typeof sequelize.transaction>>, key: string) =>
      IdempotencyKey.claim(idOf(key), IN_FLIGHT_MS, transaction);
    const [first, second] = [await sequelize.transaction(), await sequelize.transaction()];
    expect(await claimIn(first, 'a')).toBe(true);
    expect(await claimIn(second, 'a')).toBe(false);
    expect(await claimIn(second, 'b')).toBe(true);
    await first.rollback();
    expect(await claimIn(second, 'a')).toBe(true);
    await second.commit();
    const third = await sequelize.transaction();
    expect([await claimIn(third, 'a'), await claimIn(third, 'b')]).toEqual([true, true]);
    await third.rollback();
  });

  it('has its answer until it expires, and then takes another', async () => {
    const first = { ...answerTo('answered'), createdAt: at(0), expiresAt: at(10) };
    await keep('answered', 10, at(0));
    expect(await answerOf('answered', at(9))).toEqual(first);
    expect(await answerOf('answered', at(10))).toBeNull();
    await keep('answered', 10, at(10));
    const second = { ...first, createdAt: at(10), expiresAt: at(20) };
    expect(await answerOf('answered', at(10))).toEqual(second);
    expect(await answerOf('another', at(0))).toBeNull();
  });

  it('is removed after it has expired, the oldest first, no more than so many at once', async () => {
    const { IdempotencyKey } = database.now;
    await IdempotencyKey.destroy({ where: {} });
    for (const minute of [3, 1, 2, 30]) await keep(`minute ${minute}`, minute, at(0));
    const left = async () =>
      (await IdempotencyKey.findAll({ order: ['expiresAt'] })).map(({ key }) => key);
    expect(await IdempotencyKey.removeExpired(2, at(3))).toBe(2);
    expect(await left()).toEqual(['minute 3', 'minute 30']);
    expect(await IdempotencyKey.removeExpired(2, at(3))).toBe(1);
    expect(await IdempotencyKey.removeExpired(2, at(3))).toBe(0);
    expect(await left()).toEqual(['minute 30']);
  });

  it("lasts by the database's clock, whatever that of a process says", async () => {
    const { IdempotencyKey } = database.now;
    await IdempotencyKey.destroy({ where: {} });
    fakeDate(Date.now() - 2 * DAY_MS);
    await keep('of a process that is behind', 10);
    fakeDate(Date.now() + 4 * DAY_MS);
    expect(await answerOf('of a process that is behind')).toMatchObject({ status: 201 });
    expect(await IdempotencyKey.removeExpired(1)).toBe(0);
    jest.useRealTimers();
    expect(await answerOf('of a process that is behind')).toMatchObject({ status: 201 });
  });
});
