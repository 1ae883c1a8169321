import { reportProgress } from '../../activities/report-progress.ts';
import type { BuildPhase } from '../../domain/builds/build-phase.ts';
import type { Build } from '../../models/builds/build.ts';
import { useDatabase } from '../models/use-database.ts';
import { addBuild, architectureBuild, report } from '../support/rows.ts';
import { joinWatch } from '../support/watched-build.ts';

const database = useDatabase();
const HELLO = { source: 'hello', version: '2.10-3' };

/** A workflow ends that knows of nothing sent. */
const end = ({ id: buildId }: Build, more: { attemptKey?: string } = {}) =>
  reportProgress({ database: database.now })({
    buildId,
    attempt: 1,
    key: 'final',
    message: 'FAILURE',
    builds: [],
    ifNothingSent: true,
    ...more,
  });
const reported = (build: Build, phase: BuildPhase) =>
  report(database.now, build, 'INPROGRESS', { key: phase, phase, builds: shown });
const shown = [architectureBuild(), architectureBuild({ architecture: 'riscv64' })];
const hasEnded = async (build: Build) => (await build.reload()).finishedAt !== null;

describe('the end of a workflow that knows of nothing it has sent', () => {
  it.each(['queued', 'checking', 'uploading'] as const)('is recorded in %s', async (phase) => {
    const build = await addBuild(database.now);
    if (phase !== 'queued') await report(database.now, build, 'STARTED', { phase });
    expect(await end(build)).toEqual({ isEnded: false });
    expect(await hasEnded(build)).toBe(true);
  });

  it('is not where the watch of the PPA knows what it has sent', async () => {
    const build = await addBuild(database.now);
    await joinWatch(database.now, build, { packages: [HELLO] });
    const sent = { packages: [HELLO], accepted: true, records: [] };
    expect(await end(build)).toEqual({ isEnded: false, sent });
    expect(await hasEnded(build)).toBe(false);
  });

  it('is not where the PPA has shown it: each package once', async () => {
    const build = await addBuild(database.now);
    await reported(build, 'building');
    const sent = { packages: [HELLO], accepted: false, records: [] };
    expect(await end(build)).toEqual({ isEnded: false, sent });
  });

  it('is not where it waited for the PPA to show it; nobody knows what', async () => {
    const build = await addBuild(database.now);
    await report(database.now, build, 'STARTED', { phase: 'accepting' });
    const sent = { packages: [], accepted: false, records: [] };
    expect(await end(build)).toEqual({ isEnded: false, sent });
  });

  it('changes nothing where its attempt had ended, or the build is another one', async () => {
    const build = await addBuild(database.now);
    await reported(build, 'building');
    const attemptKey = '00000000-0000-4000-8000-000000000000';
    expect(await end(build, { attemptKey })).toEqual({ isEnded: true });
    expect(await hasEnded(build)).toBe(false);
    await report(database.now, build, 'COMPLETE');
    expect(await end(build)).toEqual({ isEnded: false });
    expect(await build.reload()).toMatchObject({ state: 'completed' });
  });
});
