import { landingMessageId } from '../../../domain/landings/landing.ts';
import { messageId } from '../../../domain/builds/progress.ts';
import type { Build } from '../../../models/builds/build.ts';
import { resendLostEvents } from '../../../models/events/resend-lost-events.ts';
import { ADVISORY_LOCKS } from '../../../models/sql/advisory-locks.ts';
import { query } from '../../../models/sql/query.ts';
import { addBuild, addLanding, report, retryBuild } from '../../support/rows.ts';
import { until } from '../../support/until.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();
const gone = () => Promise.resolve(true);
let queue: string;
let queues = 0;
beforeEach(() => {
  queue = `lost-${(queues += 1)}`;
});
afterEach(() => publishAll());

const accept = (progressTrigger = queue) => addBuild(database.now, { progressTrigger });
const resend = (isGone: () => Promise<boolean> = gone) =>
  resendLostEvents(database.now.sequelize, queue, isGone);
const publishNext = (publish: () => Promise<void> = async () => {}) =>
  database.now.ProgressEvent.publishNextBuild(publish);

/** Publishes what waits, and gives the message ids in their order. */
async function publishAll(): Promise<string[]> {
  const { ProgressEvent, LandingEvent } = database.now;
  const ids: string[] = [];
  while (
    (await ProgressEvent.publishNextBuild(async (body) => void ids.push(messageId(body)))) ||
    (await LandingEvent.publishNextLanding(async (body) => void ids.push(landingMessageId(body))))
  );
  return ids;
}
const idsOf = ({ id }: Build, ...seqs: number[]) => seqs.map((seq) => `${id}:${seq}`);

describe('the events that are sent again for a lost queue', () => {
  it('are those of the builds that report to the queue and go on', async () => {
    const [first, second, ended] = [await accept(), await accept(), await accept()];
    await accept('another queue');
    await report(database.now, first, 'STARTED');
    await report(database.now, ended, 'FAILURE');
    await publishAll();

    await resend();

    expect(await publishAll()).toEqual([...idsOf(first, 1, 2), ...idsOf(second, 1)]);
  });

  it('are those of a build, too, whose end is still to be published', async () => {
    const build = await accept();
    await report(database.now, build, 'STARTED');
    await publishAll();
    await report(database.now, build, 'COMPLETE');

    await resend();

    expect(await publishAll()).toEqual(idsOf(build, 1, 2, 3));
  });

  it('are those of the latest attempt, unless the end of the one before is still to be published', async () => {
    const [told, untold] = [await accept(), await accept()];
    await report(database.now, told, 'FAILURE');
    await publishAll();
    await report(database.now, untold, 'FAILURE');
    for (const build of [told, untold]) await retryBuild(database.now, build);
    await publishNext();

    await resend();

    expect(await publishAll()).toEqual([...idsOf(told, 3), ...idsOf(untold, 1, 2, 3)]);
  });

  it('are those of landings that have named the queue, and of no others', async () => {
    const named = await addLanding(database.now, { progressTrigger: queue, isQueueNamed: true });
    const other = await addLanding(database.now, { progressTrigger: queue });
    for (const { id: landingId } of [named, other])
      for (const phase of ['queued', 'building'] as const)
        await database.now.LandingEvent.record({ landingId, attempt: 1, key: phase, phase });
    await publishAll();

    await resend();

    expect(await publishAll()).toEqual([1, 2].map((seq) => `landing:${named.id}:${seq}`));
  });

  it('are those of a hundred builds in each statement, however many there are', async () => {
    const builds: Build[] = [];
    while (builds.length < 101) builds.push(await accept());
    await publishAll();
    const { sequelize } = database.now;
    await sequelize.query(`
      CREATE FUNCTION refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF (SELECT count(*) FROM changed) > 100 THEN RAISE 'too many'; END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER refuse_many AFTER UPDATE ON progress_event REFERENCING NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_many()`);
    try {
      await resend();
    } finally {
      await sequelize.query('DROP FUNCTION refuse_many CASCADE');
    }

    expect(await publishAll()).toEqual(builds.flatMap((build) => idsOf(build, 1)));
  });

  it('are none where another process has made the queue meanwhile', async () => {
    await accept();
    await publishAll();
    await resend(() => Promise.resolve(false));
    expect(await publishAll()).toEqual([]);
  });

  it('have in them what somebody was sending; meanwhile nobody sends to the queue, but to others', async () => {
    const [build, other] = [await accept(), await accept('another queue')];
    await publishAll();
    for (const one of [build, other]) await report(database.now, one, 'STARTED');
    let resent: Promise<void> | undefined;
    let published: unknown[] = [];
    await publishNext(async () => {
      resent = resend(async () => {
        await report(database.now, build, 'INPROGRESS');
        published = [await publishNext(), await publishNext()];
        return true;
      });
      await until('it waits for who is sending', async () => {
        const { sequelize } = database.now;
        const waiting = await query(
          sequelize,
          `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
         WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted`,
        );
        return waiting.length === 1;
      });
    });
    await resent;

    expect(published).toEqual([expect.objectContaining({ id: other.id }), null]);
    expect(await publishAll()).toEqual(idsOf(build, 1, 2, 3));
  });

  it('hold up no other queue, however many builds report to the lost one', async () => {
    for (let builds = 0; builds <= 100; builds++) await accept();
    const other = await accept('another queue');
    let published: unknown;
    let locked: unknown;
    const countLocked = async () => {
      locked = await query(
        database.now.sequelize,
        `SELECT count(*)::integer AS builds FROM pg_locks JOIN pg_database ON pg_database.oid = database
         WHERE datname = current_database() AND locktype = 'advisory' AND classid = $1`,
        [ADVISORY_LOCKS.buildEvents],
      );
    };
    await resend(async () => {
      published = await publishNext(countLocked);
      return false;
    });
    expect(published).toMatchObject({ id: other.id, published: 1 });
    // Of the others, none: there may be more than PostgreSQL has room for.
    expect(locked).toEqual([{ builds: 1 }]);
  });
});
