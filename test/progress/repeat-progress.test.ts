import pino from 'pino';
import type { Build } from '../../models/builds/build.ts';
import { repeatEvents } from '../../models/events/repeat-events.ts';
import { startProgressRepeater } from '../../progress/repeat-progress.ts';
import { useDatabase } from '../models/use-database.ts';
import { addBuild, architectureBuild, report } from '../support/rows.ts';
import { until } from '../support/until.ts';

const database = useDatabase();
const logger = pino({ level: 'silent' });
/** What has been heard until now is older. */
const soon = () => new Date(Date.now() + 1_000);
const due = (heardBefore: Date, limit: number) => ({ heardBefore, limit });
const eventsOf = (build: Build) => database.now.ProgressEvent.findAfter(build.id, 0, 1_000);
const endAll = async () => {
  for (const build of await database.now.Build.findAll({ where: { finishedAt: null } }))
    await report(database.now, build, 'COMPLETE', { attempt: build.attempt });
};

describe('telling again where builds stand', () => {
  afterEach(endAll);

  it('repeats the phase with the next seq, and changes nothing else of the build', async () => {
    const build = await addBuild(database.now);
    const builds = [architectureBuild({ buildstate: 'Needs building' })];
    for (const [message, more] of [
      [undefined, {}],
      ['STARTED', {}],
      ['STARTED', { key: 'uploading', phase: 'uploading' }],
      ['STARTED', { key: 'accepting', phase: 'accepting' }],
      ['INPROGRESS', { builds }],
      ['INPROGRESS', { key: 'collecting', phase: 'collecting' }],
    ] as const) {
      if (message) await report(database.now, build, message, more);
      await database.now.Build.recordLastError(build.id, { step: 's', message: 'm', tries: 1 });
      const before = (await build.reload()).get({ plain: true });
      expect(await repeatEvents(database.now, due(soon(), 10))).toBe(1);
      const after = (await build.reload()).get({ plain: true });
      const { lastSeq, reportedAt } = after;
      expect(after).toEqual({ ...before, lastSeq: before.lastSeq + 1, reportedAt });
      const [told, again] = (await eventsOf(build)).slice(-2);
      expect(again).toEqual({ ...told, seq: lastSeq, timestamp: reportedAt.toISOString() });
    }
    expect((await eventsOf(build)).map(({ state, phase }) => `${state} ${phase}`)).toEqual(
      [
        'WAITING queued',
        'WAITING checking',
        'WAITING uploading',
        'WAITING accepting',
        'STATUS waiting_for_builder',
        'STATUS collecting',
      ].flatMap((one) => [one, one]),
    );
  });

  it('tells of those first that were heard of longest ago, at most so many', async () => {
    const builds: Build[] = [];
    for (let index = 0; index < 3; index++) builds.push(await addBuild(database.now));
    const seqs = async () => (await Promise.all(builds.map(eventsOf))).map(({ length }) => length);
    expect(await repeatEvents(database.now, due(soon(), 2))).toBe(2);
    expect(await seqs()).toEqual([2, 2, 1]);
    expect(await repeatEvents(database.now, due(soon(), 2))).toBe(2);
    expect(await seqs()).toEqual([3, 2, 2]);
  });

  it('says nothing of what was heard of lately, nor of a build that has ended', async () => {
    const build = await addBuild(database.now);
    expect(await repeatEvents(database.now, due(new Date(Date.now() - 60_000), 10))).toBe(0);
    await report(database.now, build, 'FAILURE');
    expect(await repeatEvents(database.now, due(soon(), 10))).toBe(0);
    expect((await eventsOf(build)).at(-1)).toMatchObject({ seq: 2, exit: true });
  });

  it('tells earlier of those without a workflow, which a dispatcher may keep while they are due', async () => {
    const [started, waiting] = [await addBuild(database.now), await addBuild(database.now)];
    await started.update({ dispatchedAt: new Date() });
    const longAgo = new Date(Date.now() - 60_000);
    const early = { heardBefore: longAgo, startingHeardBefore: soon(), limit: 10 };
    expect(await repeatEvents(database.now, early)).toBe(1);
    expect(await eventsOf(waiting)).toHaveLength(2);
    expect(await repeatEvents(database.now, { ...early, heardBefore: soon() })).toBe(2);
  });

  it('leaves out a build that is being reported of, and waits for nobody', async () => {
    const [busy, quiet] = [await addBuild(database.now), await addBuild(database.now)];
    await database.now.sequelize.transaction(async (transaction) => {
      await database.now.Build.findByPk(busy.id, { transaction, lock: transaction.LOCK.UPDATE });
      expect(await repeatEvents(database.now, due(soon(), 10))).toBe(1);
    });
    expect(await eventsOf(busy)).toHaveLength(1);
    expect(await eventsOf(quiet)).toHaveLength(2);
  });

  it('leaves no gap and no second seq while the build reports, and ends with it', async () => {
    const build = await addBuild(database.now);
    const reports = Array.from({ length: 20 }, (_, at) =>
      report(database.now, build, 'INPROGRESS', { key: `look-${at}` }),
    );
    const repeats = Array.from({ length: 20 }, () => repeatEvents(database.now, due(soon(), 10)));
    await Promise.all([...reports, ...repeats]);
    await Promise.all([
      report(database.now, build, 'COMPLETE'),
      ...Array.from({ length: 5 }, () => repeatEvents(database.now, due(soon(), 10))),
    ]);
    const events = await eventsOf(build);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    expect(events.map(({ exit }) => exit).indexOf(true)).toBe(events.length - 1);
  });
});

it('a repeater goes on telling of a build that nobody works on, and stops', async () => {
  const build = await addBuild(database.now);
  let wakes = 0;
  const repeater = startProgressRepeater({
    database: database.now,
    intervalMs: 50,
    startMs: 5_000,
    onRepeated: () => (wakes += 1),
    logger,
  });
  await until('it has told again', async () => (await eventsOf(build)).length > 3);
  await repeater.stop();
  const events = await eventsOf(build);
  expect(wakes).toBe(events.length - 1);
  expect(new Set(events.map(({ phase }) => phase))).toEqual(new Set(['queued']));
});
