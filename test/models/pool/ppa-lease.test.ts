import { landingFailureOf } from '../../../domain/landings/landing-failure.ts';
import type { LandingPhase } from '../../../domain/landings/landing-phase.ts';
import { assertOutsidePool } from '../../../api/requests/assert-outside-pool.ts';
import { DEFAULT_LANDING_POLICY } from '../../../domain/landings/landing-policy.ts';
import type { Landing } from '../../../models/landings/landing.ts';
import { openLandingBuild } from '../../../models/landings/landing-build.ts';
import type { PoolPpa } from '../../../models/pool/pool-ppa.ts';
import { addLanding, report as reportBuild } from '../../support/rows.ts';
import { waitsForLock } from '../../support/lock-waits.ts';
import { until } from '../../support/until.ts';
import { useDatabase } from '../use-database.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const database = useDatabase();
let distributions = 0;

/** A pool of its own: so many free PPAs of a distribution of their own. */
async function pool(size: number) {
  const { sequelize, PoolPpa, PpaLease, TicketPpa } = database.now;
  const distribution = `debian-${(distributions += 1)}`;
  const ppas: PoolPpa[] = [];
  for (let index = 0; index < size; index++) {
    const ppa = { owner: 'team', distribution, name: `silo-${index}` };
    const row = await sequelize.transaction((transaction) => PoolPpa.add(ppa, transaction));
    await PoolPpa.endCleaning({ poolPpaId: row.id, cleaning: row.cleaning }, null);
    ppas.push(row);
  }
  const now = async () => {
    const rows = await PoolPpa.findAll({ where: { distribution }, order: ['id'] });
    return rows.map(({ state, landingId }) => (landingId === null ? state : landingId));
  };
  return {
    ppas,
    now,
    /** A landing that takes one of them. */
    landing: () => addLanding(database.now, { ppa: null, archive: distribution }),
    take: ({ id, attempt }: Landing) => PpaLease.take({ landingId: id, attempt }),
    ofTicket: async ({ ticketId }: Landing) =>
      (await TicketPpa.findAll({ where: { ticketId } })).map(({ ppa }) => ppa),
    /** Takes back what is due, and makes it free again. */
    async keep(keepMs = HOUR_MS): Promise<number[]> {
      const returned = await PpaLease.returnDue(keepMs, 100);
      for (const { id, cleaning } of ppas)
        await PoolPpa.endCleaning({ poolPpaId: id, cleaning: cleaning + 1 }, null);
      return returned;
    },
  };
}

let reports = 0;
const report = ({ id, attempt }: Landing, phase: LandingPhase, more: object = {}) => {
  const key = `test-${(reports += 1)}`;
  return database.now.LandingEvent.record({ landingId: id, attempt, key, phase, ...more });
};
const fail = (landing: Landing, failureClass: 'build_failed' | 'dependency_cycle') =>
  report(landing, 'failed', { failure: landingFailureOf(failureClass, 'building', 'no') });
const retry = async (landing: Landing): Promise<Landing> => {
  const { sequelize, Landing: Landings } = database.now;
  const request = { requestedBy: 'ann', requestId: 'r', policy: DEFAULT_LANDING_POLICY };
  await sequelize.transaction((transaction) => Landings.retry(landing.id, request, transaction));
  return landing.reload();
};
const build = ({ id, attempt, packages }: Landing) =>
  openLandingBuild(database.now.sequelize, database.now, {
    landingId: id,
    attempt,
    source: packages[0]?.source ?? '',
  });

describe('a PPA of the pool', () => {
  it('is for one landing at a time, and on its ticket while that holds it', async () => {
    const { landing, take, now, ofTicket, keep, ppas } = await pool(1);
    const [first, second] = [await landing(), await landing()];
    const reference = { ppa: ppas[0]?.reference };
    expect(await take(first)).toEqual(reference);
    expect(await take(first)).toEqual(reference);
    expect(await take(second)).toEqual({
      ahead: [{ landing_id: first.id, ticket_id: first.ticketId }],
      waitsFor: `a PPA of the pool that never had its packages: ${ppas[0]?.ppa} is held by landing ${first.id}`,
    });
    expect(await ofTicket(first)).toEqual([ppas[0]?.ppa]);
    expect((await first.reload()).ppa).toBe(ppas[0]?.ppa);
    await report(first, 'complete');
    expect(await keep()).toEqual([first.id]);
    expect(await ofTicket(first)).toEqual([]);
    expect(await take(second)).toEqual(reference);
    expect(await now()).toEqual([second.id]);
  });

  it('is one of many: the landing names 20 that it waits for, and says how many more there are', async () => {
    const { landing, take, ppas } = await pool(22);
    for (const ppa of ppas) await ppa.update({ state: 'quarantined' });
    expect(await take(await landing())).toMatchObject({
      waitsFor: expect.stringMatching(/silo-19 is quarantined and 2 more$/),
    });
  });

  it('is in its latest cleaning alone, and in none while a landing has it', async () => {
    const { PoolPpa, PpaLease } = database.now;
    const { landing, take, ppas } = await pool(1);
    const { id: poolPpaId = 0, cleaning: first = 0 } = ppas[0] ?? {};
    const isIn = (cleaning: number) => PoolPpa.isInCleaning({ poolPpaId, cleaning });
    const holder = await landing();
    await take(holder);
    expect([await isIn(first), await isIn(first + 1)]).toEqual([false, false]);
    await report(holder, 'complete');
    await PpaLease.returnDue(HOUR_MS, 100);
    expect([await isIn(first), await isIn(first + 1)]).toEqual([false, true]);
  });

  it('is never given twice, whoever asks at once', async () => {
    const { landing, take, now } = await pool(3);
    const landings = await Promise.all(Array.from({ length: 6 }, () => landing()));
    const answers = await Promise.all(landings.map(take));
    const got = answers.flatMap((answer) => ('ppa' in answer ? [answer.ppa.name] : []));
    expect(new Set(got).size).toBe(got.length);
    expect((await now()).filter((one) => typeof one === 'number')).toHaveLength(got.length);
  });

  it('is not for a landing whose packages it ever had', async () => {
    const { landing, take, ppas } = await pool(2);
    const one = await landing();
    const had = one.packages.map(({ source, version }) => ({ source, version }));
    await database.now.PpaPast.record(ppas[0]?.ppa ?? '', had, null);
    expect(await take(one)).toEqual({ ppa: ppas[1]?.reference });
    const other = await landing();
    await database.now.PpaPast.record(ppas[0]?.ppa ?? '', other.packages, null);
    expect(await take(other)).toMatchObject({
      waitsFor: expect.stringContaining(`${ppas[0]?.ppa} had one of them`),
    });
  });

  it('is the last to be taken where it had another version, whose upstream tarball may be in the way', async () => {
    const { landing, take, ppas } = await pool(2);
    const [one, other] = [await landing(), await landing()];
    for (const { packages } of [one, other]) {
      const earlier = packages.map(({ source }) => ({ source, version: '0.9' }));
      await database.now.PpaPast.record(ppas[0]?.ppa ?? '', earlier, null);
    }
    expect(await take(one)).toEqual({ ppa: ppas[1]?.reference });
    expect(await take(other)).toEqual({ ppa: ppas[0]?.reference });
  });

  it('knows what a landing uploads to it', async () => {
    const { landing, take, ppas } = await pool(1);
    const one = await landing();
    await take(one);
    await build(await one.reload());
    const { source, version } = one.packages[0] ?? { source: '', version: '' };
    expect(await database.now.PpaPast.ofLandings(ppas[0]?.ppa ?? '', [source])).toEqual([
      { source, version },
    ]);
  });

  it('goes to those that wait longer first', async () => {
    const { landing, take } = await pool(1);
    const [early, late] = [await landing(), await landing()];
    await report(early, 'leasing');
    await report(late, 'leasing');
    expect(await take(late)).toHaveProperty('waitsFor');
    expect(await take(early)).toHaveProperty('ppa');
  });

  it('goes to none that is paused, until it is resumed', async () => {
    const { landing, take, ppas } = await pool(1);
    const [paused, other] = [await landing(), await landing()];
    const { sequelize, Landing } = database.now;
    await report(paused, 'leasing');
    await report(other, 'leasing');
    await sequelize.transaction((transaction) => Landing.pause(paused.id, 'ann', transaction));
    expect(await take(paused)).toEqual({ ahead: [], waitsFor: 'ann, who paused it' });
    await sequelize.transaction((transaction) => Landing.resume(paused.id, 'ann', transaction));
    expect(await take(other)).toHaveProperty('waitsFor');
    expect(await take(paused)).toEqual({ ppa: ppas[0]?.reference });
  });

  it('stays with a landing that failed for a retry, and goes back after a time', async () => {
    const { landing, take, keep, ppas } = await pool(2);
    const one = await landing();
    const first = await take(one);
    await fail(one, 'build_failed');
    expect(await keep()).toEqual([]);
    expect(await take(await retry(one))).toEqual(first);
    await fail(one, 'build_failed');
    // A process whose clock is wrong takes nothing back: what counts is the database's.
    const farAhead = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 400 * 24 * HOUR_MS);
    expect(await keep()).toEqual([]);
    farAhead.mockRestore();
    expect(await keep(-1)).toEqual([one.id]);
    const again = await retry(one);
    expect(again.ppa).toBeNull();
    expect(await take(again)).toEqual({ ppa: ppas[1]?.reference });
  });

  it('is known later for what the landing has uploaded to it', async () => {
    const { PpaLease, PpaPast } = database.now;
    const { landing, take, keep, ppas } = await pool(2);
    const [one, other] = [await landing(), await landing()];
    await take(one);
    await PpaPast.record(ppas[0]?.ppa ?? '', [{ source: 'found', version: '1' }], null);
    await reportBuild(database.now, await build(await one.reload()), 'FAILURE');
    await fail(one, 'build_failed');
    await keep(-1);
    await take(other);
    await PpaPast.record(ppas[1]?.ppa ?? '', [{ source: 'later', version: '1' }], other.id);
    await retry(one);
    const { source, version } = one.packages[0] ?? {};
    expect(await PpaLease.uploadsOf(one.id)).toEqual([{ ppa: ppas[0]?.ppa, source, version }]);
  });

  it('goes back at once where the landing is cancelled, cannot be retried, or its ticket is landed anew', async () => {
    const { landing, take, keep } = await pool(3);
    const [cancelled, circle, renewed] = [await landing(), await landing(), await landing()];
    for (const one of [cancelled, circle, renewed]) await take(one);
    await report(cancelled, 'cancelled', {
      failure: landingFailureOf('cancelled', 'building', 'by ann'),
    });
    await fail(circle, 'dependency_cycle');
    await fail(renewed, 'build_failed');
    const { ticketId, packages } = renewed;
    await addLanding(database.now, { ticketId, packages });
    expect(new Set(await keep())).toEqual(new Set([cancelled.id, circle.id, renewed.id]));
  });

  it('goes back at once where an earlier landing of its ticket is retried', async () => {
    const { landing, take, keep } = await pool(1);
    const earlier = await landing();
    await fail(earlier, 'build_failed');
    const { ticketId, packages, archive } = earlier;
    const later = await addLanding(database.now, { ticketId, packages, ppa: null, archive });
    await take(later);
    await fail(later, 'build_failed');
    expect(await keep()).toEqual([]);
    await retry(earlier);
    expect(await keep()).toEqual([later.id]);
  });

  it('does not go back while a build of the landing is under way', async () => {
    const { landing, take, keep } = await pool(1);
    const one = await landing();
    await take(one);
    const { id } = await build(await one.reload());
    await report(one, 'cancelled', {
      failure: landingFailureOf('cancelled', 'building', 'by ann'),
    });
    expect(await keep()).toEqual([]);
    await database.now.Build.update({ finishedAt: new Date() }, { where: { id } });
    expect(await keep()).toEqual([one.id]);
  });

  it('does not go back while the retry of a build is on its way into the database', async () => {
    const { sequelize, Build } = database.now;
    const { landing, take, keep, now } = await pool(1);
    const one = await landing();
    await take(one);
    const failed = await build(await one.reload());
    await reportBuild(database.now, failed, 'FAILURE');
    await fail(one, 'build_failed');
    const transaction = await sequelize.transaction();
    await assertOutsidePool(database.now, failed, transaction);
    await Build.retry(failed.id, { requestedBy: 'ann', maxAttempts: 9 }, transaction);
    let isOver = false;
    const returned = keep(-1).finally(() => {
      isOver = true;
    });
    await until('it waits for the retry', async () => isOver || (await waitsForLock(sequelize)));
    await transaction.commit();
    expect(await returned).toEqual([]);
    expect(await now()).toEqual([one.id]);
  });

  it('that its landing takes is not waited for by who lands the ticket anew', async () => {
    const { sequelize, PoolPpa, Ticket } = database.now;
    const { landing, take, ppas } = await pool(1);
    const [{ reference }] = ppas as [PoolPpa];
    const one = await landing();
    const request = await sequelize.transaction();
    await Ticket.lock(one.ticketId, request);
    const taken = Promise.allSettled([take(one)]);
    await until('the landing waits for the ticket', () => waitsForLock(sequelize));
    const named = await Promise.allSettled([PoolPpa.lockShared(reference, request)]);
    await request.rollback();
    expect([...named, ...(await taken)]).toMatchObject([
      { status: 'fulfilled', value: { state: 'free' } },
      { status: 'fulfilled', value: { ppa: reference } },
    ]);
  });

  describe('of a landing that has failed, while another waits for one', () => {
    const failedAgo = async (landing: Landing, ms: number) => {
      await fail(landing, 'build_failed');
      await landing.update({ finishedAt: new Date(Date.now() - ms) });
    };

    it('goes to the one that waits after an hour, in which it can be retried', async () => {
      const { landing, take, keep, ppas } = await pool(1);
      const [failed, other] = [await landing(), await landing()];
      await take(failed);
      await report(other, 'leasing');
      await failedAgo(failed, 0.9 * HOUR_MS);
      expect(await keep(DAY_MS)).toEqual([]);
      await failedAgo(failed, 1.1 * HOUR_MS);
      expect(await keep(DAY_MS)).toEqual([failed.id]);
      expect(await take(other)).toEqual({ ppa: ppas[0]?.reference });
    });

    it('goes back for as many as wait, the one that failed first before the others', async () => {
      const { landing, take, keep, now } = await pool(3);
      const [late, early, later] = [await landing(), await landing(), await landing()];
      for (const one of [late, early, later]) await take(one);
      await failedAgo(late, 2 * HOUR_MS);
      await failedAgo(early, 3 * HOUR_MS);
      await failedAgo(later, 2 * HOUR_MS - 1);
      await report(await landing(), 'leasing');
      expect(await keep(DAY_MS)).toEqual([early.id]);
      expect(await keep(DAY_MS)).toEqual([]);
      expect(await now()).toEqual([late.id, 'free', later.id]);
      await report(await landing(), 'leasing');
      expect(await keep(DAY_MS)).toEqual([late.id]);
    });

    it('stays where another is free or is being cleaned, and where it does not help', async () => {
      const { landing, take, keep, ppas } = await pool(2);
      const [failed, other] = [await landing(), await landing()];
      await take(failed);
      await failedAgo(failed, 2 * HOUR_MS);
      await report(other, 'leasing');
      expect(await keep(DAY_MS)).toEqual([]);
      await ppas[1]?.update({ state: 'cleaning' });
      expect(await database.now.PpaLease.returnDue(DAY_MS, 100)).toEqual([]);
      await ppas[1]?.update({ state: 'quarantined' });
      const had = other.packages.map(({ source, version }) => ({ source, version }));
      await database.now.PpaPast.record(ppas[0]?.ppa ?? '', had, null);
      expect(await keep(DAY_MS)).toEqual([]);
      await report(await landing(), 'leasing');
      expect(await keep(DAY_MS)).toEqual([failed.id]);
    });

    it('stays where the one that waits is paused', async () => {
      const { landing, take, keep } = await pool(1);
      const [failed, other] = [await landing(), await landing()];
      const { sequelize, Landing } = database.now;
      await take(failed);
      await failedAgo(failed, 2 * HOUR_MS);
      await report(other, 'leasing');
      await sequelize.transaction((transaction) => Landing.pause(other.id, 'ann', transaction));
      expect(await keep(DAY_MS)).toEqual([]);
    });
  });
});
