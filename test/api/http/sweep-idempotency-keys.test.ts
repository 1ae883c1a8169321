import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { startKeySweep } from '../../../api/http/sweep-idempotency-keys.ts';
import { useDatabase } from '../../models/use-database.ts';
import { until } from '../../support/until.ts';

const database = useDatabase();
const logger = pino({ level: 'silent' });
const NOW = new Date('2026-05-04T12:00:00Z');
const LATER = new Date(NOW.getTime() + 1);

const addKeys = (count: number, expiresAt: Date) =>
  database.now.IdempotencyKey.bulkCreate(
    Array.from({ length: count }, (_, index) => ({
      id: randomBytes(32),
      actor: 'lander',
      key: String(index),
      fingerprint: randomBytes(32),
      status: 201,
      headers: {},
      body: null,
      createdAt: NOW,
      expiresAt,
    })),
  );

describe('the sweep of idempotency keys', () => {
  it('removes all that have expired and no other, whatever went wrong before', async () => {
    const { IdempotencyKey } = database.now;
    const remove = jest
      .spyOn(IdempotencyKey, 'removeExpired')
      .mockRejectedValueOnce(new Error('the database is away'));
    await addKeys(1_001, NOW);
    await addKeys(2, LATER);
    const keys = startKeySweep({ database: database.now, intervalMs: 5, logger, now: () => NOW });
    await until('two keys to be left', async () => (await IdempotencyKey.count()) === 2);
    await keys.stop();
    const removed = await Promise.all(
      remove.mock.results.slice(1).map(({ value }) => value as Promise<number>),
    );
    expect(removed.slice(0, 2)).toEqual([1_000, 1]);
    expect(await IdempotencyKey.count()).toBe(2);
  });
});
