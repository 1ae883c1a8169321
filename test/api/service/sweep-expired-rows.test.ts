import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { startRowSweep } from '../../../api/service/sweep-expired-rows.ts';
import { query } from '../../../models/sql/query.ts';
import type { Build } from '../../../models/builds/build.ts';
import { fakeDate } from '../../support/fake-date.ts';
import { useDatabase } from '../../models/use-database.ts';
import { addBuild, addLanding, addWebhook, report, retryBuild } from '../../support/rows.ts';
import { until } from '../../support/until.ts';

const database = useDatabase();
const logger = pino({ level: 'silent' });
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const addKeys = (count: number, expiresInMs: number) =>
  database.now.IdempotencyKey.bulkCreate(
    Array.from({ length: count }, (_, index) => ({
      id: randomBytes(32),
      actor: 'lander',
      key: String(index),
      fingerprint: randomBytes(32),
      status: 201,
      headers: {},
      body: null,
      needsRead: false,
      createdAt: new Date(),
      expiresAt: new Date(Date.now() + expiresInMs),
    })),
  );

afterEach(() => void jest.useRealTimers());

/** A build whose events are all published, and which ended days ago. */
async function addEndedBuild(days: number): Promise<Build> {
  const build = await addBuild(database.now);
  await report(database.now, build, 'STARTED');
  await report(database.now, build, 'COMPLETE');
  const { sequelize } = database.now;
  const times = [build.id, new Date(Date.now() - days * DAY_MS)];
  await query(
    sequelize,
    'UPDATE progress_event SET created_at = $2, published_at = $2 WHERE build_id = $1',
    times,
  );
  await query(sequelize, 'UPDATE build SET finished_at = $2 WHERE id = $1', times);
  return build;
}

const seqsOf = async ({ id }: Build) =>
  (await database.now.ProgressEvent.findAfter(id, 0, 10)).map(({ seq }) => seq);

describe('the sweep of expired rows', () => {
  it("removes all idempotency keys that have expired by the database's clock and no other, whatever went wrong before", async () => {
    const { IdempotencyKey } = database.now;
    const remove = jest
      .spyOn(IdempotencyKey, 'removeExpired')
      .mockRejectedValueOnce(new Error('the database is away'));
    await addKeys(1_001, -1);
    await addKeys(2, HOUR_MS);
    fakeDate(Date.now() + 2 * DAY_MS);
    const keys = startRowSweep({ database: database.now, intervalMs: 5, logger });
    await until('two keys to be left', async () => (await IdempotencyKey.count()) === 2);
    await keys.stop();
    const removed = await Promise.all(
      remove.mock.results.slice(1).map(({ value }) => value as Promise<number>),
    );
    expect(removed.slice(0, 2)).toEqual([1_000, 1]);
    expect(await IdempotencyKey.count()).toBe(2);
  });

  it('goes on with the rest where a step fails each time, and says which', async () => {
    const { sequelize, IdempotencyKey } = database.now;
    const warnings: string[] = [];
    const noisy = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
    await addKeys(1, -1);
    const before = await IdempotencyKey.count();
    await query(sequelize, 'ALTER TABLE change_notice RENAME TO change_notice_away');
    const sweep = startRowSweep({ database: database.now, intervalMs: 5, logger: noisy });
    try {
      await until('the key is gone', async () => (await IdempotencyKey.count()) === before - 1);
    } finally {
      await sweep.stop();
      await query(sequelize, 'ALTER TABLE change_notice_away RENAME TO change_notice');
    }
    const steps = new Set(warnings.map((line) => JSON.parse(line).step));
    expect([...steps]).toEqual(['notices']);
  });

  it("removes notices of changes after five minutes by the database's clock, whatever its own says", async () => {
    const { sequelize } = database.now;
    await query(
      sequelize,
      `INSERT INTO change_notice (kind, object_id, noted_at)
       SELECT 'ticket', id, clock_timestamp() - age
       FROM (VALUES (1, interval '0 s'), (2, interval '301 s')) notice (id, age)`,
    );
    fakeDate(Date.now() + HOUR_MS);
    const rows = startRowSweep({ database: database.now, intervalMs: 5, logger });
    const left = () => query(sequelize, 'SELECT object_id FROM change_notice');
    await until('one is removed', async () => (await left()).length < 2);
    await rows.stop();
    expect(await left()).toEqual([{ object_id: 1 }]);
  });

  it('removes notices of changes in batches, each by a statement of its own', async () => {
    const { sequelize } = database.now;
    await query(sequelize, 'TRUNCATE change_notice');
    await query(
      sequelize,
      `INSERT INTO change_notice (kind, object_id, noted_at)
       SELECT 'ticket', id, clock_timestamp() - interval '301 s' FROM generate_series(1, 5) AS id`,
    );
    const left = () => query(sequelize, 'SELECT object_id FROM change_notice');
    const statements = jest.spyOn(sequelize, 'query');
    const rows = startRowSweep({
      database: database.now,
      intervalMs: HOUR_MS,
      noticesAtOnce: 2,
      logger,
    });
    await until('all are removed', async () => (await left()).length === 0);
    await rows.stop();
    const texts = (statements.mock.calls as unknown as [string][]).map(([text]) => text);
    statements.mockRestore();
    expect(texts.filter((text) => text.includes('DELETE FROM change_notice'))).toHaveLength(3);
  });

  it('gives up the messages that no queue has taken for long after the end, and says whose they are', async () => {
    const { sequelize, ProgressEvent, LandingEvent } = database.now;
    const giveUpMessagesMs = DAY_MS;
    const endedAgo = (owner: 'build' | 'landing', id: number, hours: number) =>
      query(
        sequelize,
        `UPDATE ${owner} SET finished_at = now() - $2 * interval '1 hour' WHERE id = $1`,
        [id, hours],
      );
    const add = async (hours: number) => {
      const build = await addBuild(database.now, { progressTrigger: 'refused' });
      await report(database.now, build, 'FAILURE');
      await endedAgo('build', build.id, hours);
      return build.id;
    };
    const late = await add(25);
    await add(23);
    await addBuild(database.now, { progressTrigger: 'refused' });
    const landing = await addLanding(database.now, {
      progressTrigger: 'refused-too',
      isQueueNamed: true,
    });
    const end = { landingId: landing.id, attempt: 1, key: 'end', phase: 'failed' } as const;
    await LandingEvent.record(end);
    await endedAgo('landing', landing.id, 25);
    const alarms: Record<string, unknown>[] = [];
    const write = (line: string) => void alarms.push(JSON.parse(line) as Record<string, unknown>);
    const sweep = startRowSweep({
      database: database.now,
      intervalMs: 5,
      giveUpMessagesMs,
      logger: pino({ level: 'error' }, { write }),
    });
    await until('the landing is told of', () => alarms.some(({ landings }) => landings));
    await sweep.stop();

    // Two of one that has ended a little later, and one of one that goes on.
    expect(await ProgressEvent.unpublished()).toBe(3);
    expect(await LandingEvent.unpublished()).toBe(0);
    const alarm = 'progress_given_up';
    expect(alarms).toMatchObject([
      { alarm, queue: 'refused', builds: [late], events: 2 },
      { alarm, queue: 'refused-too', landings: [landing.id], events: 1 },
    ]);
    // The events stay.
    expect(await ProgressEvent.findAfter(late, 0, 10)).toHaveLength(2);
    await query(sequelize, 'TRUNCATE landing, build CASCADE');
  });

  it("removes the events of builds that ended long ago by the database's clock, but for the final ones and those to be sent", async () => {
    const { sequelize } = database.now;
    const keepEventsMs = DAY_MS;
    const webhook = await addWebhook(database.now);
    const waiting = await addEndedBuild(3);
    // What was sent goes as it would without a webhook.
    await database.now.WebhookDelivery.update(
      { state: 'delivered' },
      { where: { buildId: waiting.id, seq: [2, 3] } },
    );
    await webhook.update({ isActive: false });
    const [unsent, retried, young, old, oldToo] = [
      await addEndedBuild(3),
      await addEndedBuild(3),
      await addEndedBuild(0.5),
      await addEndedBuild(3),
      await addEndedBuild(3),
    ];
    await query(
      sequelize,
      'UPDATE progress_event SET published_at = NULL WHERE build_id = $1 AND seq = 2',
      [unsent.id],
    );
    await query(sequelize, 'UPDATE build SET finished_at = NULL WHERE id = $1', [retried.id]);
    fakeDate(Date.now() + 400 * DAY_MS);
    const sweep = startRowSweep({ database: database.now, intervalMs: 5, keepEventsMs, logger });
    await until('they are removed', async () => (await seqsOf(oldToo)).length === 1);
    await sweep.stop();
    expect(await Promise.all([waiting, unsent, retried, young, old].map(seqsOf))).toEqual([
      [1, 3],
      [2, 3],
      [1, 2, 3],
      [1, 2, 3],
      [3],
    ]);
  });

  it('removes later what was still to be sent when it came by', async () => {
    const { sequelize, WebhookDelivery } = database.now;
    const webhook = await addWebhook(database.now);
    const waiting = await addEndedBuild(3);
    await webhook.update({ isActive: false });
    const [unsent, last] = [await addEndedBuild(3), await addEndedBuild(3)];
    const publish = (publishedAt: Date | null) =>
      query(sequelize, 'UPDATE progress_event SET published_at = $2 WHERE build_id = $1', [
        unsent.id,
        publishedAt,
      ]);
    await publish(null);
    const sweep = startRowSweep({
      database: database.now,
      intervalMs: 5,
      keepEventsMs: DAY_MS,
      passEventsMs: 1,
      logger,
    });
    await until('it has come by', async () => (await seqsOf(last)).length === 1);
    expect(await Promise.all([waiting, unsent].map(seqsOf))).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    await WebhookDelivery.update({ state: 'delivered' }, { where: { buildId: waiting.id } });
    await publish(new Date());
    const left = async () => (await Promise.all([waiting, unsent].map(seqsOf))).flat();
    await until('the final ones are left', async () => (await left()).length === 2);
    await sweep.stop();
    expect(await left()).toEqual([3, 3]);
  });

  it('adds up how many builds have ended, which is counted right all the while', async () => {
    const { Build, sequelize } = database.now;
    const counted = async () => {
      const rows = await query<{ state: string; count: number }>(
        sequelize,
        'SELECT state, count(*)::integer AS count FROM build GROUP BY state',
      );
      expect(await Build.countByState()).toEqual(
        Object.fromEntries(rows.map(({ state, count }) => [state, count])),
      );
      const [{ number: cancelled } = { number: 0 }] = await query<{ number: number }>(
        sequelize,
        "SELECT count(*)::integer AS number FROM build WHERE phase = 'cancelled'",
      );
      expect(await Build.countEnded()).toMatchObject({ cancelled });
      const [{ rows: kept } = { rows: 0 }] = await query<{ rows: number }>(
        sequelize,
        'SELECT count(*)::integer AS rows FROM ended_builds',
      );
      return kept;
    };
    const before = await counted();
    const build = await addBuild(database.now);
    await addBuild(database.now);
    await report(database.now, build, 'FAILURE');
    expect(await counted()).toBe(before + 1);
    await retryBuild(database.now, build);
    expect(await counted()).toBe(before + 2);
    await report(database.now, build, 'COMPLETE', { attempt: 2 });
    for (let changes = 0; changes < 60; changes++)
      for (const phase of ['failed', 'cancelled'] as const)
        await Build.update({ state: 'failed', phase }, { where: { id: build.id } });
    expect(await counted()).toBeGreaterThan(200);

    const sweep = startRowSweep({ database: database.now, intervalMs: 5, logger });
    await until('they are added up', async () => (await counted()) <= 3);
    await sweep.stop();
  });
});
