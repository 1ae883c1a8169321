import { reportBuilds } from '../../activities/report-progress.ts';
import { addBuild, architectureBuild } from '../support/rows.ts';
import { useDatabase } from '../models/use-database.ts';

const database = useDatabase(2);

const NEEDED = [architectureBuild({ buildstate: 'Needs building' })];
const UNDER_WAY = [architectureBuild({ buildstate: 'Currently building' })];

/** An accepted build, what tries of its fourth poll report of it, and what it shows. */
async function polledBuild() {
  const build = await addBuild(database.now);
  const report = reportBuilds({ database: database.now });
  return {
    report: (builds: typeof NEEDED, attempt: number) =>
      report({ buildId: build.id, key: 'poll-4', message: 'INPROGRESS', builds }, attempt),
    eventsOf: async () =>
      (await database.now.ProgressEvent.findAfter(build.id, 1, 10)).map(({ builds }) => builds),
    shown: async () => (await build.reload()).architectureBuilds,
  };
}

it('records what has changed since an earlier try had recorded the poll', async () => {
  const { report, eventsOf, shown } = await polledBuild();
  await report(NEEDED, 1);
  await report(UNDER_WAY, 2);
  expect(await eventsOf()).toEqual([NEEDED, UNDER_WAY]);
  expect(await shown()).toEqual(UNDER_WAY);
});

it('records nothing of a first try that goes on after a later one: what it saw is older', async () => {
  const { report, eventsOf, shown } = await polledBuild();
  await report(UNDER_WAY, 2);
  await report(NEEDED, 1);
  expect(await eventsOf()).toEqual([UNDER_WAY]);
  expect(await shown()).toEqual(UNDER_WAY);
});
