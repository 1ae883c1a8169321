import { DEFAULT_LANDING_POLICY } from '../../../domain/landings/landing-policy.ts';
import type { Landing } from '../../../models/landings/landing.ts';
import { judgeLandingTests, type TestsToJudge } from '../../../models/landings/landing-tests.ts';
import type { TestRun } from '../../../models/landings/test-run.ts';
import { addLanding } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

// What read on a second connection within its transaction would wait for it in vain.
const CONNECTIONS = 1;
const database = useDatabase(CONNECTIONS);
const FAILED = [{ name: 'smoke', status: 'FAIL' as const, detail: 'exit 1' }];
const PASSED = [{ name: 'smoke', status: 'PASS' as const, detail: '' }];
const EXERCISED = [{ name: 'ed', version: '1.20-1' }];
let images = 0;

async function addImage(): Promise<number> {
  const { id } = await database.now.Image.create({
    kind: 'base',
    distribution: 'debian',
    series: 'bookworm',
    architecture: 'amd64',
    format: 'tar',
    contentKey: `image ${(images += 1)}`,
    releases: {},
    sha256: '',
    size: 1,
    url: 'http://store/image.tar',
    manifestUrl: 'http://store/image.manifest',
  });
  return id;
}

/** A landing with two images, and what is done with its tests. */
async function stage() {
  const { TestRun: Runs, TestVerdict, TestOverride } = database.now;
  const landing = await addLanding(database.now);
  const [baseImageId, imageId] = [await addImage(), await addImage()];
  const plan = (source: string, more: Partial<TestRun> = {}) =>
    Runs.create({
      landingId: landing.id,
      attempt: landing.attempt,
      imageId,
      source,
      version: '1-1',
      architecture: 'amd64',
      reason: 'depends',
      why: 'depends on ed',
      files: [`http://store/${source}.dsc`],
      ...more,
    });
  const judge = (more: Partial<TestsToJudge> = {}) =>
    judgeLandingTests(database.now, {
      landingId: landing.id,
      attempt: landing.attempt,
      images: [{ architecture: 'amd64', imageId, baseImageId }],
      left: 0,
      ran: [],
      testBedTries: 2,
      baselineMaxAgeDays: 30,
      ...more,
    });
  return {
    landing,
    baseImageId,
    imageId,
    plan,
    judge,
    end: (run: TestRun, results: TestRun['results'], exercised = EXERCISED) =>
      run.update({ state: 'finished', results, exercised, endedAt: new Date() }),
    verdicts: async ({ id: landingId, attempt }: Landing = landing) =>
      (await TestVerdict.findAll({ where: { landingId, attempt }, order: ['source', 'test'] })).map(
        ({ source, test, verdict, overriddenBy }) =>
          `${source} ${test} ${verdict}${overriddenBy === null ? '' : ` by ${overriddenBy}`}`,
      ),
    override: (source: string) =>
      TestOverride.create({
        source,
        architecture: null,
        test: null,
        reason: 'known',
        overriddenBy: 'ann',
        validUntil: new Date(Date.now() + 60_000),
      }),
  };
}

describe('the tests of a landing', () => {
  it('are run again, and without its packages, where they fail; and then judged', async () => {
    const { plan, judge, end, verdicts, baseImageId } = await stage();
    const mksh = await plan('mksh');
    const planned = await judge();
    expect(planned.open.map(({ id }) => id)).toEqual([mksh.id]);
    expect(planned.tests).toEqual({
      planned: 1,
      finished: 0,
      left: 0,
      verdict: 'waits',
      verdicts: { waiting: 1 },
    });
    await end(mksh, FAILED);
    const { open, tests } = await judge();
    expect(tests.verdict).toBe('waits');
    expect(await verdicts()).toEqual(['mksh smoke waiting']);
    const [again, base] = open;
    expect(again).toMatchObject({ try: 2, imageId: mksh.imageId, landingId: mksh.landingId });
    expect(base).toMatchObject({
      try: 1,
      imageId: baseImageId,
      landingId: null,
      files: mksh.files,
    });
    // Judged again, as after a lost answer, it opens no others.
    expect((await judge()).open.map(({ id }) => id)).toEqual(open.map(({ id }) => id));
    await end(again as TestRun, FAILED);
    await end(base as TestRun, PASSED, []);
    const last = await judge();
    expect(last).toMatchObject({
      open: [],
      tests: { finished: 1, verdict: 'blocked', verdicts: { regression: 1 } },
      judged: [{ runId: again?.id, baselineRunId: base?.id }],
    });
    expect(await verdicts()).toEqual(['mksh smoke regression']);
  });

  it('pass where a person overrides what fails', async () => {
    const { plan, judge, end, override, verdicts } = await stage();
    const source = `mksh-${images}`;
    await end(await plan(source), FAILED);
    for (const run of (await judge()).open) await end(run, run.landingId ? FAILED : PASSED);
    expect((await judge()).tests.verdict).toBe('blocked');
    await override(source);
    expect((await judge()).tests.verdict).toBe('passes');
    expect(await verdicts()).toEqual([`${source} smoke overridden by ann`]);
  });

  it.each([
    ['does not name', { approvers: ['bea'] }],
    ['has somebody else approve for', { fourEyes: true }],
  ])('are not overridden by somebody whom the policy %s', async (_, rule) => {
    const { landing, plan, judge, end, override } = await stage();
    const source = `mksh-${images}`;
    await landing.update({ requestedBy: 'ann', policy: { ...DEFAULT_LANDING_POLICY, ...rule } });
    await end(await plan(source), FAILED);
    for (const run of (await judge()).open) await end(run, run.landingId ? FAILED : PASSED);
    await override(source);
    expect((await judge()).tests.verdict).toBe('blocked');
  });

  it('are flaky where the second run passes', async () => {
    const { plan, judge, end } = await stage();
    await end(await plan('mksh'), FAILED);
    for (const run of (await judge()).open) await end(run, PASSED);
    expect((await judge()).tests).toMatchObject({ verdict: 'passes', verdicts: { flaky: 1 } });
  });

  it('have always failed where they fail without its packages: known to the next landing on the base', async () => {
    const { plan, judge, end, baseImageId } = await stage();
    await database.now.TestRun.create({
      imageId: baseImageId,
      source: 'figlet',
      version: '1-1',
      architecture: 'amd64',
      reason: 'depends',
      why: '',
      files: [],
      state: 'finished',
      results: FAILED,
      endedAt: new Date(),
    });
    await end(await plan('figlet'), FAILED);
    expect(await judge()).toMatchObject({
      open: [],
      tests: { verdict: 'needs_approval', verdicts: { always_failed: 1 } },
    });
  });

  it('are not compared with what ran in another base image, such as one without the target', async () => {
    const { plan, judge, end, baseImageId } = await stage();
    const source = 'other-base';
    const elsewhere = await plan(source, {
      landingId: null,
      attempt: null,
      imageId: await addImage(),
    });
    await end(elsewhere, FAILED, []);
    await end(await plan(source), FAILED);
    const { open } = await judge();
    expect(open).toContainEqual(
      expect.objectContaining({ source, imageId: baseImageId, landingId: null, state: 'queued' }),
    );
  });

  it('are compared anew where what they are compared with is too old', async () => {
    const { plan, judge, end, baseImageId } = await stage();
    const old = { source: 'figlet', architecture: 'amd64', reason: 'depends' as const, why: '' };
    await database.now.TestRun.create({
      ...old,
      imageId: baseImageId,
      version: '1-1',
      files: [],
      state: 'finished',
      results: FAILED,
      endedAt: new Date(Date.now() - 31 * 86_400_000),
    });
    await end(await plan('figlet'), FAILED);
    const { open } = await judge();
    expect(open.map(({ landingId, try: number }) => [landingId !== null, number])).toEqual([
      [true, 2],
      [false, 2],
    ]);
  });

  it('are compared with what was new enough when they were planned, however long a person takes', async () => {
    const { plan, judge, end, baseImageId } = await stage();
    const before = new Date(Date.now() - 2 * 86_400_000);
    await end(await plan('figlet', { createdAt: before }), FAILED);
    await database.now.TestRun.create({
      imageId: baseImageId,
      source: 'figlet',
      version: '1-1',
      architecture: 'amd64',
      reason: 'depends',
      why: '',
      files: [],
      state: 'finished',
      results: FAILED,
      endedAt: before,
    });
    expect(await judge({ baselineMaxAgeDays: 1 })).toMatchObject({
      open: [],
      tests: { verdicts: { always_failed: 1 } },
    });
  });

  it('are compared by files of their own, where another landing could not have those of the archive', async () => {
    const { plan, judge, end, baseImageId } = await stage();
    await database.now.TestRun.create({
      imageId: baseImageId,
      source: 'figlet',
      version: '1-1',
      architecture: 'amd64',
      reason: 'changed',
      why: '',
      files: [],
      state: 'bed_failed',
      fault: '404 Not Found',
      endedAt: new Date(),
    });
    const run = await plan('figlet');
    await end(run, FAILED);
    const { open } = await judge();
    expect(open.find(({ landingId }) => landingId === null)).toMatchObject({
      try: 2,
      files: run.files,
    });
  });

  it('are compared anew with what the archive lacked for an earlier landing', async () => {
    const { plan, judge, end, baseImageId } = await stage();
    await database.now.TestRun.create({
      imageId: baseImageId,
      source: 'ed',
      version: '1-1',
      architecture: 'amd64',
      reason: 'changed',
      why: '',
      files: [],
      state: 'unavailable',
      fault: 'The archive has no tests of ed.',
      endedAt: new Date(Date.now() - 60_000),
    });
    const run = await plan('ed', { reason: 'changed', why: 'is landed' });
    await end(run, FAILED);
    expect(await judge()).toMatchObject({
      tests: { verdict: 'waits' },
      toCompare: [{ id: run.id }],
    });
  });

  it('are compared anew where the test bed failed an earlier landing each time', async () => {
    const { plan, judge, end, baseImageId } = await stage();
    const failedBed = (number: number, endedAt: Date) => ({
      imageId: baseImageId,
      source: 'figlet',
      version: '1-1',
      architecture: 'amd64',
      reason: 'depends' as const,
      why: '',
      files: [],
      state: 'bed_failed' as const,
      fault: 'the mirror did not answer',
      try: number,
      endedAt,
    });
    const twoHoursAgo = new Date(Date.now() - 7_200_000);
    await database.now.TestRun.bulkCreate([failedBed(1, twoHoursAgo), failedBed(2, twoHoursAgo)]);
    const run = await plan('figlet');
    await end(run, FAILED);
    const [again, base] = (await judge()).open;
    expect(base).toMatchObject({ source: 'figlet', landingId: null, try: 3, state: 'queued' });
    await end(again as TestRun, FAILED);
    await end(base as TestRun, PASSED, []);
    expect((await judge()).tests).toMatchObject({
      verdict: 'blocked',
      verdicts: { regression: 1 },
    });
  });

  it('cannot be told where the test bed fails what they are compared with each time', async () => {
    const { plan, judge, end } = await stage();
    await end(await plan('figlet'), FAILED);
    const [again, base] = (await judge()).open;
    await end(again as TestRun, FAILED);
    const [next] = (await judge({ ran: [{ runId: base?.id ?? 0 }] })).open;
    expect(next).toMatchObject({ landingId: null, try: 2 });
    const { open, tests } = await judge({ ran: [{ runId: next?.id ?? 0 }] });
    expect(open).toEqual([]);
    expect(tests.verdict).toBe('cannot_tell');
  });

  it('cannot be told where the test bed fails each time, and no package is blamed', async () => {
    const { plan, judge } = await stage();
    const first = await plan('mksh');
    const { open } = await judge({ ran: [{ runId: first.id, fault: 'no space left' }] });
    expect(open).toMatchObject([{ try: 2, source: 'mksh', state: 'queued' }]);
    const { tests, judged } = await judge({ ran: [{ runId: open[0]?.id ?? 0 }] });
    expect(tests.verdict).toBe('cannot_tell');
    expect(judged[0]?.why).toBe('The test bed failed 2 times: the tester has told no result.');
  });

  it('leave the comparison of a changed source to the archive', async () => {
    const { plan, judge, end } = await stage();
    const run = await plan('ed', { reason: 'changed', why: 'is landed' });
    await end(run, FAILED);
    const { open, toCompare } = await judge();
    expect(open).toMatchObject([{ try: 2, source: 'ed' }]);
    expect(toCompare).toMatchObject([{ id: run.id }]);
  });

  it('are those of the images that are judged, and none is no pass', async () => {
    const { plan, judge, end } = await stage();
    await end(await plan('mksh', { imageId: await addImage() }), FAILED);
    expect((await judge()).tests).toMatchObject({ planned: 0, verdict: 'needs_approval' });
  });

  it('of an earlier attempt count in the same image, if they have not failed', async () => {
    const { landing, plan, judge, end } = await stage();
    await end(await plan('mksh'), PASSED);
    await end(await plan('figlet'), FAILED);
    const attempt = 2;
    await plan('mksh', { attempt });
    await plan('figlet', { attempt });
    await plan('ed', { attempt });
    const { open, tests } = await judge({ attempt });
    expect(open.map(({ source }) => source)).toEqual(['figlet', 'ed']);
    expect(tests).toMatchObject({ planned: 3, finished: 1, verdicts: { pass: 1, waiting: 2 } });
    expect(landing.attempt).toBe(1);
  });

  it('of an earlier attempt do not count where they passed only after they had failed', async () => {
    const { plan, judge, end } = await stage();
    await end(await plan('figlet'), FAILED);
    for (const run of (await judge()).open) await end(run, PASSED);
    expect((await judge()).tests).toMatchObject({ finished: 1, verdicts: { flaky: 1 } });
    await plan('figlet', { attempt: 2 });
    expect(await judge({ attempt: 2 })).toMatchObject({
      open: [{ source: 'figlet', attempt: 2, try: 1 }],
      tests: { finished: 0, verdicts: { waiting: 1 } },
    });
  });

  it('of an earlier attempt count where only the test bed had failed before', async () => {
    const { plan, judge, end } = await stage();
    const first = await plan('figlet');
    const { open } = await judge({ ran: [{ runId: first.id, fault: 'no space left' }] });
    for (const run of open) await end(run, PASSED);
    await plan('figlet', { attempt: 2 });
    expect(await judge({ attempt: 2 })).toMatchObject({
      open: [],
      tests: { verdicts: { pass: 1 } },
    });
  });

  it('that still wait are ended with the landing', async () => {
    const { landing, plan } = await stage();
    const run = await plan('mksh');
    await database.now.LandingEvent.record({
      landingId: landing.id,
      attempt: 1,
      key: '1',
      phase: 'cancelled',
    });
    expect(await run.reload()).toMatchObject({ state: 'cancelled' });
  });
});
