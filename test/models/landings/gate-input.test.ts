import { TEST_VERDICTS } from '../../../domain/testing/test-verdict.ts';
import { readGateBuilds, readGateInput } from '../../../models/landings/gate-input.ts';
import {
  addBuild,
  addImage,
  addLanding,
  addTestRun,
  architectureBuild,
} from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

test('of a build of two packages, the gate sees for each what was made of it', async () => {
  const made = (source: string, architecture: string) => ({
    name: source,
    source,
    version: '1',
    architecture,
    url: null,
    size: null,
    sha256: null,
  });
  const build = await addBuild(database.now);
  await build.update({
    architectureBuilds: [
      architectureBuild({ package: 'doc' }),
      architectureBuild({ package: 'lib' }),
      architectureBuild({ package: 'lib', architecture: 'arm64' }),
    ],
    builtPackages: [made('doc', 'all'), made('lib', 'amd64'), made('lib', 'arm64')],
  });
  const part = { subticket_id: 1, version: '1', state: 'built' as const, build_id: build.id };
  const seen = await readGateBuilds(database.now.Build, [
    { ...part, source: 'doc' },
    { ...part, source: 'lib' },
  ]);
  expect(seen).toMatchObject([
    { source: 'doc', builds: [{ architecture: 'amd64' }], made: ['all'] },
    { source: 'lib', builds: [{}, {}], made: ['amd64', 'arm64'] },
  ]);
});

test('the tests of a landing that do not pass are told the worst first', async () => {
  const landing = await addLanding(database.now);
  await database.now.TestVerdict.bulkCreate(
    TEST_VERDICTS.toSorted().map((verdict) => ({
      landingId: landing.id,
      attempt: landing.attempt,
      source: 'mksh',
      architecture: 'amd64',
      test: verdict,
      verdict,
      why: 'So it is.',
    })),
  );
  const { excuses } = await readGateInput(database.now, landing, [], new Date());
  expect(excuses.map(({ verdict }) => verdict)).toEqual([
    'regression',
    'cannot_tell',
    'waiting',
    'not_exercised',
    'overridden',
    'always_failed',
    'flaky',
    'skipped',
    'neutral',
  ]);
});

test('what the tests of a landing said counts no more while they are made on new images', async () => {
  const landing = await addLanding(database.now);
  const { id: landingId, attempt } = landing;
  await database.now.TestVerdict.create({
    landingId,
    attempt,
    source: 'mksh',
    architecture: 'amd64',
    test: 'regress',
    verdict: 'regression',
    why: 'So it is.',
  });
  const tests = { planned: 1, finished: 0, left: 0, verdict: 'waits', verdicts: {} } as const;
  await landing.update({ phase: 'imaging', tests: { ...tests, renewed: true } });
  const again = await readGateInput(database.now, landing, [], new Date());
  expect(again).toMatchObject({ isRenewed: true, tests: {}, excuses: [] });
  await landing.update({ tests: { ...tests, verdicts: { regression: 1 } } });
  const judged = await readGateInput(database.now, landing, [], new Date());
  expect(judged).toMatchObject({ tests: { regression: 1 }, excuses: [{ source: 'mksh' }] });
});

test('the gate of a landing that is paused while it is read is of the moment before', async () => {
  const landing = await addLanding(database.now);
  const paused = { phase: 'testing', pausedBy: 'ann', waitsFor: 'a tester' } as const;
  await database.now.Landing.update(paused, { where: { id: landing.id } });
  const input = await readGateInput(database.now, landing, [], new Date());
  expect(input).toMatchObject({ phase: 'queued', pausedBy: null, waitsFor: null });
});

test('of the tests of a landing, those count that are not planned anew with other images', async () => {
  const landing = await addLanding(database.now);
  const { id: landingId, attempt } = landing;
  const plan = async (state: 'queued' | 'finished', architecture: string) => {
    const image = await addImage(database.now, { architecture });
    return addTestRun(database.now, landing, image.id, { state, architecture });
  };
  const open = await plan('queued', 'amd64');
  await plan('finished', 'arm64');
  const report = { landingId, attempt, key: '9 imaging', phase: 'imaging' } as const;
  await database.now.LandingEvent.record(report);
  await plan('queued', 'amd64');
  await plan('finished', 'arm64');
  const { runs } = await readGateInput(database.now, landing, [], new Date());
  expect(runs).toEqual({ all: 2, over: 1 });
  expect((await open.reload()).state).toBe('cancelled');
});

test('the tests of a landing that says what it waits for stay planned', async () => {
  const landing = await addLanding(database.now);
  const { id: landingId, attempt } = landing;
  const image = await addImage(database.now, { architecture: 'amd64' });
  const planned = await addTestRun(database.now, landing, image.id, { state: 'queued' });
  const told = { landingId, attempt, phase: 'imaging', keepsRuns: true } as const;
  await database.now.LandingEvent.record({ ...told, key: '9 imaging', waitsFor: 'a tester' });
  await database.now.LandingEvent.record({ ...told, key: '10 imaging' });
  expect((await planned.reload()).state).toBe('queued');
});
