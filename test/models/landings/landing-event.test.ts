import { randomUUID } from 'node:crypto';
import { DEFAULT_LANDING_POLICY } from '../../../domain/landings/landing-policy.ts';
import { openLandingBuild } from '../../../models/landings/landing-build.ts';
import { judgeLandingTests } from '../../../models/landings/landing-tests.ts';
import { waitsForLock } from '../../support/lock-waits.ts';
import {
  addImage,
  addLanding,
  addSubticket,
  addTestRun,
  addTicket,
  TESTS,
} from '../../support/rows.ts';
import { until } from '../../support/until.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

describe('the workflow of an earlier landing that had the same id', () => {
  /** A landing, what its own workflow is given, and what one from before the database was set back was given. */
  async function stage() {
    const landing = await addLanding(database.now);
    const { landingId, attempt, attemptKey } = landing.toInput();
    const own = { landingId, attempt, ...(attemptKey ? { attemptKey } : {}) };
    return { landing, own, stale: { landingId, attempt, attemptKey: randomUUID() } };
  }

  it('reports nothing of the later one', async () => {
    const { landing, own, stale } = await stage();
    const { LandingEvent } = database.now;
    const report = { key: '1 failed', phase: 'failed' } as const;
    expect(await LandingEvent.record({ ...stale, ...report })).toBeNull();
    expect(await landing.reload()).toMatchObject({ finishedAt: null, phase: 'queued' });
    expect(await LandingEvent.record({ ...own, ...report })).not.toBeNull();
    // Nor is it told what the later one reported by the same key.
    expect(await LandingEvent.record({ ...stale, ...report })).toBeNull();
  });

  it('builds nothing for the later one', async () => {
    const { landing, own, stale } = await stage();
    const source = landing.packages[0]?.source ?? '';
    const open = (of: typeof own) =>
      openLandingBuild(database.now.sequelize, database.now, { ...of, source });
    await expect(open(stale)).rejects.toMatchObject({ code: 'conflict' });
    expect(await open(own)).toMatchObject({ landingId: landing.id });
  });

  it('takes no PPA of the pool for the later one', async () => {
    const { sequelize, PoolPpa, PpaLease } = database.now;
    const ppa = { owner: 'team', distribution: 'debian', name: 'silo' };
    const row = await sequelize.transaction((transaction) => PoolPpa.add(ppa, transaction));
    await PoolPpa.endCleaning({ poolPpaId: row.id, cleaning: row.cleaning }, null);
    const { own, stale } = await stage();
    await expect(PpaLease.take(stale)).rejects.toMatchObject({ code: 'conflict' });
    expect(await PpaLease.take(own)).toEqual({ ppa });
  });

  it('is that of another attempt, too: each has a key of its own', async () => {
    const { landing, own } = await stage();
    const { sequelize, Landing, LandingEvent } = database.now;
    await LandingEvent.record({ ...own, key: '1 failed', phase: 'failed' });
    const request = { policy: DEFAULT_LANDING_POLICY, requestedBy: 'ann', requestId: 'r' };
    await sequelize.transaction((transaction) => Landing.retry(landing.id, request, transaction));
    const { attemptKey } = (await landing.reload()).toInput();
    expect(attemptKey).toBeDefined();
    expect(attemptKey).not.toBe(own.attemptKey);
  });

  it('reports as before where one of the two has no key', async () => {
    const { landing, own } = await stage();
    const { LandingEvent } = database.now;
    const { landingId, attempt } = own;
    const report = { key: '1 leasing', phase: 'leasing' } as const;
    expect(await LandingEvent.record({ landingId, attempt, ...report })).not.toBeNull();
    await landing.update({ attemptKey: null });
    expect(await LandingEvent.record({ ...own, key: '2', phase: 'building' })).not.toBeNull();
  });
});

it('tells the workflow of an attempt that has ended nothing but how it ended', async () => {
  const { sequelize, Landing, LandingEvent } = database.now;
  const landing = await addLanding(database.now);
  const { landingId, attempt, attemptKey } = landing.toInput();
  const own = { landingId, attempt, ...(attemptKey ? { attemptKey } : {}) };
  const publishing = { ...own, key: '1 publishing', phase: 'publishing' } as const;
  const failed = { ...own, key: '2 failed', phase: 'failed' } as const;
  const begun = await LandingEvent.record(publishing);
  expect(begun).not.toBeNull();
  expect(await LandingEvent.record(publishing)).toEqual(begun);
  const end = await LandingEvent.record(failed);
  expect(await LandingEvent.record(publishing)).toBeNull();
  expect(await LandingEvent.record(failed)).toEqual(end);

  const request = { policy: DEFAULT_LANDING_POLICY, requestedBy: 'ann', requestId: 'r' };
  await sequelize.transaction((transaction) => Landing.retry(landing.id, request, transaction));
  // One whose key is unknown is of the attempt all the same.
  for (const key of [attemptKey, undefined]) {
    const of = { landingId, attempt, ...(key ? { attemptKey: key } : {}) };
    expect(await LandingEvent.record({ ...publishing, ...of })).toBeNull();
    expect(await Landing.isUnderWay(of)).toBe(false);
  }
  expect(await Landing.isUnderWay((await landing.reload()).toInput())).toBe(true);
});

it('leaves a subticket Complete that becomes so while the landing goes on', async () => {
  const { sequelize, Subticket, LandingEvent } = database.now;
  const ticket = await addTicket(database.now);
  const one = await addSubticket(database.now, ticket);
  const other = await addSubticket(database.now, ticket);
  const packages = [one, other].map(({ id }) => ({
    subticketId: id,
    source: `package-${id}`,
    version: '1',
    files: [],
  }));
  const landing = await addLanding(database.now, { ticketId: ticket.id, packages });
  const complete = { currentWorkflowStep: 1000, status: 1000 } as const;
  const held = await sequelize.transaction();
  await Subticket.updateOne(one.id, complete, { ...TESTS, transaction: held });
  const { landingId, attempt } = landing.toInput();
  const recorded = LandingEvent.record({ landingId, attempt, key: '1', phase: 'building' });
  await until('it waits for the ticket', () => waitsForLock(sequelize));
  await held.commit();
  await recorded;
  expect(await one.reload()).toMatchObject(complete);
  expect(await other.reload()).toMatchObject({ currentWorkflowStep: 200 });
});

describe('a report of a landing', () => {
  it('and who lands its ticket anew do not wait for each other', async () => {
    const { sequelize, Landing, LandingEvent, Ticket } = database.now;
    const landing = await addLanding(database.now);
    const { landingId, attempt } = landing.toInput();
    const request = await sequelize.transaction();
    await Ticket.lock(landing.ticketId, request);
    const recorded = Promise.allSettled([
      LandingEvent.record({ landingId, attempt, key: '1', phase: 'building' }),
    ]);
    await until('the report waits for the ticket', () => waitsForLock(sequelize));
    const { id: _, ...again } = landing.get({ plain: true });
    const accepted = await Promise.allSettled([
      Landing.accept({ ...again, policy: DEFAULT_LANDING_POLICY, requestId: 'r' }, request),
    ]);
    await request.rollback();
    expect([...accepted, ...(await recorded)]).toMatchObject([
      { status: 'rejected', reason: { code: 'conflict' } },
      { status: 'fulfilled', value: { phase: 'building' } },
    ]);
  });

  it('that ends it, and the judgement of its tests, do not wait for each other', async () => {
    const { sequelize, LandingEvent, Ticket } = database.now;
    const landing = await addLanding(database.now);
    const { landingId, attempt } = landing.toInput();
    const { id: imageId } = await addImage(database.now);
    const { id: runId } = await addTestRun(database.now, landing, imageId);
    const held = await sequelize.transaction();
    await Ticket.lock(landing.ticketId, held);
    const ended = LandingEvent.record({ landingId, attempt, key: '1', phase: 'cancelled' });
    await until('its end waits for the ticket', () => waitsForLock(sequelize));
    const judged = judgeLandingTests(database.now, {
      landingId,
      attempt,
      images: [{ architecture: 'amd64', imageId, baseImageId: imageId }],
      left: 0,
      ran: [{ runId }],
      testBedTries: 2,
      baselineMaxAgeDays: 30,
    });
    await until('the judgement waits, too', () => waitsForLock(sequelize, 2));
    await held.commit();
    expect(await Promise.allSettled([ended, judged])).toMatchObject([
      { status: 'fulfilled', value: { phase: 'cancelled' } },
      { status: 'fulfilled' },
    ]);
  });
});
