import pino from 'pino';
import { PoolKeeper, sweepCleanings } from '../../dispatch/dispatch-pool.ts';
import { StartRefusedError } from '../../dispatch/temporal-errors.ts';
import type { WorkflowStatus } from '../../dispatch/workflow-status.ts';
import type { Cleaning } from '../../domain/landings/pool-ppa.ts';
import { useDatabase } from '../models/use-database.ts';
import { keepLog } from '../activities/activity.ts';
import { addBuild, addLanding, report } from '../support/rows.ts';

const HOUR_MS = 3_600_000;
const IN_AN_HOUR = new Date(Date.now() + HOUR_MS);
const PPA = { owner: 'team', distribution: 'debian', name: 'silo' };
// One connection: while it is held for a PPA, the dispatcher needs no other.
const database = useDatabase(1);
const { signal } = new AbortController();

/** What Temporal answers, and what it was asked to clean. */
function temporal(answers: { start?: Error; status?: WorkflowStatus } = {}) {
  const started: Cleaning[] = [];
  const context = {
    database: database.now,
    logger: pino({ level: 'silent' }),
    workflows: {
      startCleaning: async (cleaning: Cleaning) => {
        started.push(cleaning);
        if (answers.start) throw answers.start;
      },
      status: async () => answers.status ?? { state: 'running' as const },
    },
  };
  return { started, context };
}
const keep = async (answers: Parameters<typeof temporal>[0] = {}) => {
  const { started, context } = temporal(answers);
  await new PoolKeeper(context, { ppas: [PPA], leaseKeepMs: HOUR_MS }).run(signal);
  return started;
};
const row = () => database.now.PoolPpa.findOne({ rejectOnEmpty: true });
const clean = async () => {
  const { sequelize, PoolPpa } = database.now;
  const { id } = await row();
  await sequelize.transaction((transaction) => PoolPpa.clean(id, transaction));
};
const asked = (status: WorkflowStatus) =>
  sweepCleanings(temporal({ status }).context, IN_AN_HOUR, signal);

describe('the dispatcher', () => {
  it('adds the PPAs of the pool, and has each looked at once', async () => {
    expect(await keep()).toEqual([
      expect.objectContaining({ cleaning: 1, ppa: PPA, readsPast: true, lastUse: null }),
    ]);
    expect(await keep()).toEqual([]);
  });

  it('tries again where Temporal does not answer, and quarantines what it refuses', async () => {
    await database.now.PoolPpa.update({ dispatchedAt: null }, { where: {} });
    await expect(keep({ start: new Error('away') })).rejects.toThrow('away');
    expect((await row()).state).toBe('cleaning');
    await keep({ start: new StartRefusedError('too large') });
    expect(await row()).toMatchObject({
      state: 'quarantined',
      reason: 'Temporal refuses its cleaning: too large',
    });
  });

  it('has a PPA emptied that a landing gives back', async () => {
    await clean();
    await keep();
    const { id: poolPpaId, cleaning } = await row();
    await database.now.PoolPpa.endCleaning({ poolPpaId, cleaning }, null);
    const landing = await addLanding(database.now, { ppa: null });
    await database.now.PpaLease.take({ landingId: landing.id, attempt: 1 });
    expect(await keep()).toEqual([]);
    const complete = { landingId: landing.id, attempt: 1, key: 'end', phase: 'complete' } as const;
    await database.now.LandingEvent.record(complete);
    const packages = landing.packages.map(({ source, version }) => ({ source, version }));
    expect(await keep()).toEqual([
      {
        poolPpaId,
        cleaning: cleaning + 1,
        ppa: PPA,
        readsPast: false,
        lastUse: { series: 'bookworm', packages },
      },
    ]);
  });

  it('adds a PPA once nobody builds there, and says so once', async () => {
    const build = await addBuild(database.now, { ppa: 'team/busy', archive: 'debian' });
    const { logger, lines } = keepLog();
    const ppas = [{ owner: 'team', distribution: 'debian', name: 'busy' }];
    const keeper = new PoolKeeper(
      { ...temporal().context, logger },
      { ppas, leaseKeepMs: HOUR_MS },
    );
    const ofPool = () => database.now.PoolPpa.count({ where: { ppa: '~team/debian/busy' } });
    await keeper.run(signal);
    await keeper.run(signal);
    expect(await ofPool()).toBe(0);
    const told = { ppa: '~team/debian/busy', msg: 'a PPA is in use: the pool gets it later' };
    expect(lines).toMatchObject([told]);
    await report(database.now, build, 'FAILURE');
    await keeper.run(signal);
    expect(await ofPool()).toBe(1);
    await database.now.PoolPpa.destroy({ where: { ppa: '~team/debian/busy' } });
  });

  it('says why a cleaning cannot get on, until its workflow does', async () => {
    await asked({ state: 'stuck', tries: 3, message: 'Nondeterminism error' });
    expect(await row()).toMatchObject({
      state: 'cleaning',
      reason: 'its workflow cannot get on: Nondeterminism error',
    });
    expect(await database.now.PoolPpa.countStuck()).toBe(1);
    await asked({ state: 'running' });
    expect(await row()).toMatchObject({ state: 'cleaning', reason: null });
    expect(await database.now.PoolPpa.countStuck()).toBe(0);
  });

  it('asks after a cleaning that is silent, and quarantines only where nothing runs', async () => {
    await asked({ state: 'running' });
    expect((await row()).state).toBe('cleaning');
    await asked({ state: 'ended' });
    expect(await row()).toMatchObject({
      state: 'quarantined',
      reason: 'its cleaning ended without a result',
    });
  });
});
