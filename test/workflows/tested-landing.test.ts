import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import {
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import { findTester } from '../../activities/landing/find-tester.ts';
import { findUntaken } from '../../activities/landing/find-untaken.ts';
import type { LandingActivities } from '../../activities/landing/index.ts';
import type { TestsJudged } from '../../activities/landing/judge-tests.ts';
import { workerSlots } from '../../activities/testing/slots-with-room.ts';
import { heartbeating } from '../../activities/temporal/heartbeat.ts';
import { openTaskQueues } from '../../activities/temporal/read-queues.ts';
import { CANCEL_SIGNAL, STATUS_QUERY } from '../../domain/builds/build-workflow.ts';
import {
  DEFAULT_LANDING_POLICY,
  type LandingPolicy,
} from '../../domain/landings/landing-policy.ts';
import {
  DECIDE_SIGNAL,
  landingWorkflowId,
  WAKE_SIGNAL,
  type LandingInput,
  type LandingReport,
  type LandingResult,
  type LandingStatus,
} from '../../domain/landings/landing.ts';
import type { TesterActivities } from '../../domain/testing/tester-activities.ts';
import { testTaskQueue } from '../../domain/testing/test-run.ts';
import type { TestsVerdict } from '../../domain/testing/test-verdict.ts';
import { keepLog } from '../activities/activity.ts';
import { temporalAddress, workflowBundle } from '../support/addresses.ts';
import { BUILD_LIMITS, LANDING_LIMITS } from '../support/build-limits.ts';
import { until } from '../support/until.ts';
import { inputOfLastRun } from './last-run.ts';
import { queryWorkflow } from './query-workflow.ts';
import { triesOf } from './tries-of.ts';

const PATIENCE_MS = 300_000;
const PPA = { owner: 'airline', distribution: 'debian', name: 'silo' };
jest.setTimeout(600_000);

const taskQueue = `test-${randomUUID()}`;
const architecture = `a${randomUUID()}`;
/** The calls of its tester have names of their own. */
const otherArchitecture = `b${randomUUID()}`;
/** Has no tester. */
const UNTAKEN = `c${randomUUID()}`;
/** Time for tests that is waited out. */
const TESTS_MS = 5_000;

const unwatched = async () => {
  throw ApplicationFailure.nonRetryable('only older code asks for one copy after the other');
};

/** What the activities of a landing do whose package is built already. */
type Script = {
  /** What the tests say at each poll; the last one stays. */
  judged?: TestsJudged[] | ((made: number) => TestsJudged);
  /** What the target has got at each check; nothing after the last. */
  moved?: string[][];
  /** What its plan is behind, each time that it is made; nothing after the last. */
  behind?: string[][];
  /** What its target has in a newer version, as its tests are planned or once they are over. */
  passed?: { planned?: string[]; tested?: string[] };
  /** Why the target takes no copy of `ed`. */
  refused?: string;
  /** Its builds are newer than this base image, or all are; than none where it is not given. */
  newerThan?: 'base young' | 'all';
  /** Calls that hang until they are cancelled. */
  hangs?: string | string[];
  /** How long those take to stop that hang on the other architecture. */
  stopMs?: number;
  /** Calls that fail, and the type of the failure; those that hang have begun by then. */
  fails?: Record<string, string>;
  /** Those fail the first time only. */
  failsOnce?: boolean;
  /** Who has paused it at the first poll before `imaging`, or before all others. */
  pausedBy?: string;
  pausedFirstBy?: string;
  /** The verdict on its tests comes once this has. */
  judging?: Promise<void>;
  /** Runs end once this has. */
  running?: Promise<void>;
  /** Called as an image is made. */
  onImage?: () => void;
  /**
   * The question whether a tester has taken the second image has no answer at first, and the image is there meanwhile.
   */
  isUnanswered?: boolean;
  /** What its target has comes once this has. */
  checking?: Promise<void>;
  /** Holds the publication back once: the row was paused, or rejected, at the last moment. */
  isPausedAtLast?: boolean;
  isRejectedAtLast?: boolean;
  /** It was approved by the time that its report of `approving` is made, which is made once more. */
  isApprovedBefore?: boolean;
};

let connection: Connection;
let nativeConnection: NativeConnection;
let client: Client;
const workers: { worker: Worker; stopped: Promise<void> }[] = [];
let landings = 0;
const APPROVAL = { decision: 'approve', by: 'ann', comment: 'tried by hand' } as const;
const REJECTION = { ...APPROVAL, decision: 'reject' } as const;
const scenes = new Map<string, ReturnType<typeof scripted>>();

/** How the tests stand. @param open ids of the runs that are to be made next */
function said(
  verdict: TestsVerdict,
  open: number[] = [],
  more: Partial<TestsJudged> = {},
): TestsJudged {
  const verdicts = verdict === 'blocked' ? { regression: 1 } : { pass: 1 };
  return {
    tests: { planned: 2, finished: 2 - open.length, left: 0, verdict, verdicts },
    open: open.map((runId) => ({ runId, architecture })),
    toCompare: [],
    regressions: verdict === 'blocked' ? ['mksh regress (amd64)'] : [],
    ...more,
  };
}

function scripted(script: Script) {
  const reports: LandingReport[] = [];
  const calls: string[] = [];
  const bases: Parameters<TesterActivities['makeBaseImage']>[0][] = [];
  const judgedWith: Parameters<LandingActivities['judgeTests']>[0][] = [];
  const comparedWith: Parameters<LandingActivities['checkBases']>[0][] = [];
  const checkedWith: Parameters<LandingActivities['checkStale']>[0][] = [];
  const judged = script.judged ?? [said('waits', [1, 2]), said('passes')];
  const hangs = [script.hangs ?? []].flat();
  const { isPausedAtLast = false, isRejectedAtLast = false } = script;
  const row = {
    pausedBy: script.pausedFirstBy ?? null,
    heldBack: isPausedAtLast || isRejectedAtLast,
  };
  /** Calls of testers that have not ended: at present, and when the landing said that it has. */
  const atWork = { now: 0, atEnd: 0 };
  const call = async (name: string, stopMs = 0) => {
    calls.push(name);
    atWork.now += 1;
    try {
      const isFirst = calls.indexOf(name) === calls.length - 1;
      const type = script.failsOnce && !isFirst ? undefined : script.fails?.[name];
      if (type !== undefined) {
        await until('the others', () => hangs.every((one) => calls.includes(one)), PATIENCE_MS);
        throw ApplicationFailure.nonRetryable(`${name} went wrong`, type);
      }
      if (hangs.includes(name)) await heartbeating(() => Context.current().cancelled)(undefined);
    } finally {
      if (Context.current().cancellationSignal.aborted) await sleep(stopMs);
      atWork.now -= 1;
    }
  };
  const callOn = (on: string, name: string) =>
    on === otherArchitecture ? call(`${name} elsewhere`, script.stopMs) : call(name);
  let questions = 0;
  let checks = 0;
  let notes = 0;
  const movedSource = (source: string) => ({ source, was: '1', is: '2' });
  const activities: LandingActivities = {
    async reportLanding(report) {
      if (report.phase === 'publishing' && row.heldBack) {
        row.heldBack = false;
        row.pausedBy = isPausedAtLast ? 'ann' : null;
        return { isEnded: true };
      }
      if (!reports.some(({ key }) => key === report.key)) reports.push(structuredClone(report));
      if (report.failure) atWork.atEnd = atWork.now;
      const isApproved = script.isApprovedBefore && report.phase === 'approving';
      const isRejected = isRejectedAtLast && report.phase === 'approving';
      return {
        isEnded: false,
        ...(isApproved ? { decision: APPROVAL } : {}),
        ...(isRejected ? { decision: REJECTION } : {}),
      };
    },
    claimPackages: async () => [],
    leasePpa: async () => ({ ppa: PPA }),
    checkArchitectures: async () => ({ lacking: null }),
    orderBuilds: async () => [['ed']],
    async openBuild() {
      row.pausedBy = script.pausedBy ?? null;
      return { buildId: 1, isBuilt: true };
    },
    readPause: async () => ({ pausedBy: row.pausedBy }),
    async findUntaken(input) {
      if (script.isUnanswered && calls.includes('image')) {
        questions += 1;
        if (questions === 1) await heartbeating(() => Context.current().cancelled)(undefined);
      }
      return findUntaken({
        queues: openTaskQueues(nativeConnection, 'default'),
        logger: keepLog().logger,
      })(input);
    },
    findTester: (place) =>
      findTester({ queues: openTaskQueues(nativeConnection, 'default') })(place),
    async noteTarget() {
      const behind = script.behind?.[notes] ?? [];
      notes += 1;
      await call('note');
      return { behind: behind.map(movedSource), passed: script.passed?.planned ?? [] };
    },
    async judgeTests(input) {
      judgedWith.push(input);
      await script.judging;
      if (typeof judged === 'function')
        return judged(new Set(calls.filter((name) => name.startsWith('run '))).size);
      return judged[Math.min(judgedWith.length, judged.length) - 1] ?? said('needs_approval');
    },
    async checkBases(input) {
      comparedWith.push(input);
      const isOld = calls.findLast((name) => name.startsWith('base ')) === 'base young';
      return {
        isOlder: script.newerThan === 'all' || (script.newerThan === 'base young' && isOld),
      };
    },
    async checkStale(input) {
      checkedWith.push(input);
      const moved = script.moved?.[checks] ?? [];
      checks += 1;
      await script.checking;
      return { moved: moved.map(movedSource), passed: script.passed?.tested ?? [] };
    },
    checkCopies: async ({ packages }) => ({
      refused: packages.flatMap(({ source }) =>
        script.refused === undefined ? [] : { source, message: script.refused },
      ),
    }),
    async copyPackage({ source }) {
      calls.push(`copy ${source}`);
      return {};
    },
    pollTarget: unwatched,
    pollTargets: async ({ packages }) =>
      packages.map(({ source }) => ({ source, isPublished: true })),
  };
  const tasks: TesterActivities = {
    async makeBaseImage(place) {
      bases.push(place);
      const { maxAgeMs, architecture: on } = place;
      await callOn(on, `base ${maxAgeMs > 0 ? 'young' : 'new'}`);
      return { imageId: 1 };
    },
    async makeLandingImage({ baseImageId }) {
      await call('image');
      script.onImage?.();
      if (script.isUnanswered) await until('a question', () => questions > 0, PATIENCE_MS);
      return { imageId: baseImageId + 1 };
    },
    async planTests() {
      await call('plan');
      return { runIds: [1, 2], left: 0 };
    },
    async planBaselines({ runIds }) {
      await call(`compare ${runIds.join(' ')}`);
      return { runIds: [9] };
    },
    async runTest({ runId }) {
      await call(`run ${runId}`);
      await heartbeating(async () => script.running)(undefined);
      return { state: 'finished', exitCode: 0 };
    },
  };
  return {
    activities,
    tasks,
    reports,
    calls,
    bases,
    judgedWith,
    comparedWith,
    checkedWith,
    row,
    atWork,
    questions: () => questions,
    checks: () => checks,
  };
}

function own(): ReturnType<typeof scripted> {
  const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
  const scene = scenes.get(workflowId);
  if (!scene) throw ApplicationFailure.nonRetryable(`no scene has the workflow ${workflowId}`);
  return scene;
}

const COMMON = { maxHeartbeatThrottleInterval: 20, defaultHeartbeatThrottleInterval: 20 };

/** A tester of an architecture, which does not work yet. */
function testerOf(
  architecture: string,
  slots:
    | Pick<WorkerOptions, 'maxConcurrentActivityTaskExecutions'>
    | ReturnType<typeof workerSlots> = {},
): Promise<Worker> {
  return Worker.create({
    ...COMMON,
    ...slots,
    connection: nativeConnection,
    taskQueue: testTaskQueue({ ...PPA, architecture }),
    activities: {
      makeBaseImage: (input) => own().tasks.makeBaseImage(input),
      makeLandingImage: (input) => own().tasks.makeLandingImage(input),
      planTests: (input) => own().tasks.planTests(input),
      planBaselines: (input) => own().tasks.planBaselines(input),
      runTest: (input) => own().tasks.runTest(input),
    } satisfies TesterActivities,
  });
}

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR'), workerHeartbeatInterval: '1s' });
  connection = await Connection.connect({ address: temporalAddress() });
  nativeConnection = await NativeConnection.connect({ address: temporalAddress() });
  client = new Client({ connection });
  const lander = await Worker.create({
    ...COMMON,
    connection: nativeConnection,
    taskQueue,
    workflowBundle: { codePath: workflowBundle() },
    activities: {
      reportLanding: (input) => own().activities.reportLanding(input),
      claimPackages: (input) => own().activities.claimPackages(input),
      leasePpa: (input) => own().activities.leasePpa(input),
      checkArchitectures: (input) => own().activities.checkArchitectures(input),
      orderBuilds: (input) => own().activities.orderBuilds(input),
      openBuild: (input) => own().activities.openBuild(input),
      readPause: (input) => own().activities.readPause(input),
      findTester: (place) => own().activities.findTester(place),
      findUntaken: (input) => own().activities.findUntaken(input),
      noteTarget: (input) => own().activities.noteTarget(input),
      judgeTests: (input) => own().activities.judgeTests(input),
      checkBases: (input) => own().activities.checkBases(input),
      checkStale: (input) => own().activities.checkStale(input),
      checkCopies: (input) => own().activities.checkCopies(input),
      copyPackage: (input) => own().activities.copyPackage(input),
      pollTarget: (input) => own().activities.pollTarget(input),
      pollTargets: (input) => own().activities.pollTargets(input),
    } satisfies LandingActivities,
  });
  const testers = await Promise.all([architecture, otherArchitecture].map((one) => testerOf(one)));
  for (const worker of [lander, ...testers]) workers.push({ worker, stopped: worker.run() });
});

afterAll(async () => {
  for (const { worker } of workers) worker.shutdown();
  for (const { stopped } of workers) await stopped;
  await connection.close();
  await nativeConnection.close();
});

/** Starts a landing whose activities play the script. */
async function land(
  script: Script = {},
  policy: Partial<LandingPolicy> = {},
  more: Partial<Pick<LandingInput, 'target' | 'limits' | 'buildLimits' | 'resumed'>> = {},
) {
  const landingId = (landings += 1);
  const workflowId = `${landingWorkflowId({ id: landingId, ticketId: 3, attempt: 1 })}-${randomUUID()}`;
  const scene = scripted(script);
  scenes.set(workflowId, scene);
  const input: LandingInput = {
    landingId,
    ticketId: 3,
    attempt: 1,
    packages: [{ subticketId: 1, source: 'ed', version: '1.20-1', files: ['http://store/ed.dsc'] }],
    ppa: PPA,
    target: { archive: '~airline/debian/landed', series: 'bookworm', pocket: 'Release' },
    policy: {
      ...DEFAULT_LANDING_POLICY,
      approval: 'when_needed',
      testArchitectures: [architecture],
      ...policy,
    },
    limits: { ...LANDING_LIMITS, indexPollMs: LANDING_LIMITS.pollMs },
    buildLimits: BUILD_LIMITS,
    ...more,
  };
  const handle = await client.workflow.start<(input: LandingInput) => Promise<LandingResult>>(
    'LandTicketWorkflow',
    {
      taskQueue,
      workflowId,
      args: [input],
      workflowExecutionTimeout: '20 minutes',
      // A task that a slow machine does not end in time runs its local activities once more.
      workflowTaskTimeout: '2 minutes',
    },
  );
  const status = () => queryWorkflow<LandingStatus>(handle, STATUS_QUERY);
  const inPhase = (phase: LandingStatus['phase']) =>
    until(phase, async () => (await status()).phase === phase, PATIENCE_MS);
  const signalDecision = (decision: 'approve' | 'reject') =>
    handle.signal(DECIDE_SIGNAL, { ...APPROVAL, decision });
  return {
    ...scene,
    handle,
    inPhase,
    status,
    called: (name: string) => until(name, async () => scene.calls.includes(name), PATIENCE_MS),
    decide: async (decision: 'approve' | 'reject') => {
      await inPhase('approving');
      await signalDecision(decision);
    },
    approveAgain: () => signalDecision('approve'),
    reject: () => signalDecision('reject'),
    phases: () =>
      scene.reports.map(({ phase }) => phase).filter((phase, at, all) => phase !== all[at - 1]),
  };
}

const PLANNED = ['image', 'plan', 'note'];
const STOP_MS = 3_000;
/** No signal comes in time. */
const LATE_SIGNALS = { ...LANDING_LIMITS, testsMs: 600_000, signalMs: 1 };

/** When the activities of a type, or the timers, would have been out of time, in milliseconds since 1970. */
async function deadlinesOf(handle: WorkflowHandle, name: string): Promise<number[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap((event) => {
    const { activityTaskScheduledEventAttributes: activity, timerStartedEventAttributes: timer } =
      event;
    const within =
      name === 'timer'
        ? timer?.startToFireTimeout
        : activity?.activityType?.name === name && activity.scheduleToCloseTimeout;
    return within ? [tsToMs(event.eventTime) + tsToMs(within)] : [];
  });
}

/** A tester of its own architecture, `alone`, that has one slot. What is `running` there ends by `endRuns`. */
async function testerWithOneSlot() {
  const alone = `a${randomUUID()}`;
  const worker = await testerOf(alone, { maxConcurrentActivityTaskExecutions: 1 });
  workers.push({ worker, stopped: worker.run() });
  let endRuns: () => void = () => undefined;
  const running = new Promise<void>((resolve) => {
    endRuns = resolve;
  });
  return { alone, running, endRuns };
}

/** Waits until a landing waits for the index. */
function untilItAwaitsIndex({ reports }: Awaited<ReturnType<typeof land>>): Promise<unknown> {
  const isWaiting = () => reports.some(({ waitsFor }) => waitsFor?.startsWith('the index'));
  return until('it waits for the index', isWaiting, PATIENCE_MS);
}

/** Waits until no tester has taken some work of a landing in time. */
async function untilUntaken(handle: WorkflowHandle): Promise<void> {
  const hasUntaken = async () => {
    const { events } = await handle.fetchHistory();
    return events?.some((event) => event.activityTaskTimedOutEventAttributes) ?? false;
  };
  await until('work that no tester took', hasUntaken, PATIENCE_MS);
}

async function expectPublishedOnceResumed(landing: Awaited<ReturnType<typeof land>>) {
  await until(
    'it is paused',
    async () => (await landing.status()).paused_by === 'ann',
    PATIENCE_MS,
  );
  expect(landing.calls).not.toContain('copy ed');
  landing.row.pausedBy = null;
  await landing.handle.signal(WAKE_SIGNAL);
  expect(await landing.handle.result()).toEqual({ phase: 'complete' });
}

describe('a landing with tests', () => {
  test.concurrent('is published without a person where they pass', async () => {
    const landing = await land();
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
    expect(landing.phases()).toEqual([
      'queued',
      'building',
      'imaging',
      'testing',
      'publishing',
      'complete',
    ]);
    expect(landing.calls.slice(0, 4)).toEqual(['base young', ...PLANNED]);
    expect(landing.bases).toMatchObject([{ series: 'bookworm', target: '~airline/debian/landed' }]);
    expect(landing.calls.slice(4).toSorted()).toEqual(['copy ed', 'run 1', 'run 2']);
    expect(landing.reports.find(({ baseImageId }) => baseImageId)).toMatchObject({
      phase: 'testing',
      baseImageId: 1,
    });
    expect(landing.reports.flatMap(({ tests }) => tests ?? [])).toMatchObject([
      { planned: 2, finished: 0, verdict: 'waits' },
      { planned: 2, finished: 2, verdict: 'passes' },
    ]);
    expect(landing.judgedWith.at(-1)).toMatchObject({
      images: [{ architecture, imageId: 2, baseImageId: 1 }],
      ran: expect.arrayContaining([{ runId: 1 }, { runId: 2 }]),
      testBedTries: 3,
    });
  });

  test.concurrent.each(['debian', '~airline/debian/silo'])(
    'has base images of the mirrors alone where it is published in %s, which adds no other PPA',
    async (archive) => {
      const target = { archive, series: 'trixie', pocket: 'Release' };
      const landing = await land({}, {}, { target });
      await landing.handle.result();
      expect(landing.bases).toEqual([
        { distribution: 'debian', series: 'trixie', architecture, maxAgeMs: expect.any(Number) },
      ]);
    },
  );

  test.concurrent('waits for a person where the policy always asks for one', async () => {
    const landing = await land({}, { approval: 'always' });
    await landing.decide('approve');
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
    expect((await landing.status()).tests).toMatchObject({ verdict: 'passes' });
  });

  test.concurrent('fails where a test fails because of it, and names the test', async () => {
    const landing = await land({ judged: [said('waits', [1]), said('blocked')] });
    expect(await landing.handle.result()).toMatchObject({
      phase: 'failed',
      failure: {
        class: 'test_regression',
        phase: 'testing',
        retryable: true,
        message: '1 test fails only with these packages: mksh regress (amd64)',
      },
    });
    expect(landing.calls).not.toContain('copy ed');
  });

  test.concurrent("has the archive's version of a changed source run, once", async () => {
    const toCompare = [{ runId: 1, architecture }];
    const landing = await land({
      judged: [
        said('waits', [1]),
        said('waits', [3], { toCompare }),
        said('waits', [9]),
        said('passes'),
      ],
    });
    await landing.handle.result();
    expect(landing.calls.slice(4)).toEqual(['run 1', 'compare 1', 'run 3', 'run 9', 'copy ed']);
  });

  test.concurrent('fails where nothing can be had to compare with', async () => {
    const toCompare = [{ runId: 1, architecture }];
    const landing = await land({ judged: [said('waits', [], { toCompare })] });
    expect(await landing.handle.result()).toMatchObject({
      failure: { class: 'test_bed_failed' },
    });
  });

  test.concurrent('of which no test is planned waits for a person', async () => {
    const landing = await land({ judged: [said('needs_approval')] });
    await landing.decide('approve');
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
    expect(landing.phases()).toContain('approving');
  });

  test.concurrent('counts overrides that came in time, though nobody told it', async () => {
    const [asks, passes] = [said('cannot_tell'), said('passes')];
    const landing = await land(
      { judged: [asks, asks, passes] },
      {},
      { limits: { ...LANDING_LIMITS, approvalMs: 1 } },
    );
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
    expect(landing.phases()).toContain('approving');
  });

  test.concurrent('of which nobody can tell is not published when it is rejected', async () => {
    const landing = await land({ judged: [said('cannot_tell')] }, { approval: 'never' });
    await landing.decide('reject');
    expect(await landing.handle.result()).toMatchObject({ failure: { class: 'not_approved' } });
  });

  test.concurrent(
    'goes on by itself when overrides settle what it asked a person for',
    async () => {
      const cannotTell = said('cannot_tell');
      const landing = await land({ judged: [cannotTell, cannotTell, said('passes')] });
      await until('it waits', async () => landing.judgedWith.length === 2, PATIENCE_MS);
      await landing.handle.signal(WAKE_SIGNAL);
      expect(await landing.handle.result()).toEqual({ phase: 'complete' });
    },
  );

  test.concurrent('goes on by itself when they came just before it asked', async () => {
    const landing = await land({ judged: [said('cannot_tell'), said('passes')] });
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
    expect(landing.phases()).toContain('approving');
  });

  test.concurrent.each([
    ['has', []],
    ['has not', [['mksh']]],
  ])(
    'is not published when it is rejected while it asks whether its target %s what was tested',
    async (_, moved) => {
      let check: () => void = () => undefined;
      const checking = new Promise<void>((resolve) => {
        check = resolve;
      });
      const landing = await land({
        judged: [said('cannot_tell'), said('passes')],
        moved,
        checking,
      });
      await until('it asks', () => landing.checks() > 0, PATIENCE_MS);
      await landing.decide('reject');
      check();
      expect(await landing.handle.result()).toMatchObject({ failure: { class: 'not_approved' } });
      expect(landing.calls).not.toContain('copy ed');
      expect(landing.calls.filter((name) => name === 'note')).toEqual(['note']);
    },
  );

  test.concurrent('is not published when its row was rejected before it heard of it', async () => {
    const landing = await land({ isRejectedAtLast: true });
    await landing.decide('reject');
    expect(await landing.handle.result()).toMatchObject({ failure: { class: 'not_approved' } });
    expect(landing.calls).not.toContain('copy ed');
  });

  test.concurrent(
    'is not published when no signal tells it in time that it was rejected',
    async () => {
      const landing = await land({ isRejectedAtLast: true }, {}, { limits: LATE_SIGNALS });
      expect(await landing.handle.result()).toMatchObject({ failure: { class: 'not_approved' } });
      expect(landing.calls).not.toContain('copy ed');
    },
  );

  test.concurrent('blames the test bed for a run that its tester gives up', async () => {
    const landing = await land({ fails: { 'run 2': 'disk_full' } });
    await landing.handle.result();
    expect(landing.judgedWith.at(-1)?.ran).toEqual(
      expect.arrayContaining([{ runId: 1 }, { runId: 2, fault: 'run 2 went wrong' }]),
    );
  });

  test.concurrent(
    'has its tries of each step, which is given up without a sign of life',
    async () => {
      const landing = await land({ judged: [said('waits', [1]), said('passes')] });
      await landing.handle.result();
      const byTester = { most: 20, silentS: 30 };
      const question = { most: 0, silentS: 30 };
      // How long one may take is cut to the time that the landing has left.
      expect(await triesOf(landing.handle)).toMatchObject({
        makeBaseImage: byTester,
        makeLandingImage: byTester,
        planTests: byTester,
        runTest: byTester,
        orderBuilds: question,
        noteTarget: question,
        judgeTests: { ...question, onceS: 120 },
        checkStale: question,
        checkCopies: question,
        copyPackage: { ...question, onceS: 120 },
        pollTargets: question,
      });
    },
  );

  test.concurrent(
    'is tested once more where the target has changed, and approved anew',
    async () => {
      const landing = await land({ moved: [['mksh']] }, { approval: 'always' });
      await landing.decide('approve');
      await until(
        'the second round',
        async () => landing.calls.filter((name) => name === 'note').length === 2,
        PATIENCE_MS,
      );
      await landing.decide('approve');
      expect(await landing.handle.result()).toEqual({ phase: 'complete' });
      const planned = landing.calls.filter((name) => !name.startsWith('run '));
      expect(planned).toEqual(['base young', ...PLANNED, 'base new', ...PLANNED, 'copy ed']);
      expect(landing.phases().slice(2, 8)).toEqual([
        'imaging',
        'testing',
        'approving',
        'imaging',
        'testing',
        'approving',
      ]);
      expect(landing.reports.flatMap(({ targetMoved }) => targetMoved ?? [])).toEqual(['mksh 2']);
      const [, second] = landing.reports.filter(({ phase }) => phase === 'imaging');
      expect(second?.targetMoved).toEqual(['mksh 2']);
      expect(landing.checkedWith.map(({ images }) => images)).toEqual([
        landing.judgedWith.at(0)?.images,
        landing.judgedWith.at(-1)?.images,
      ]);
      expect(landing.checkedWith[0]?.images).toHaveLength(1);
    },
  );

  test.concurrent('is not approved anew by what approved it before and comes twice', async () => {
    let judge: () => void = () => undefined;
    const judging = new Promise<void>((resolve) => {
      judge = resolve;
    });
    let isApproved = false;
    const landing = await land(
      {
        moved: [['mksh']],
        get judging() {
          return isApproved ? judging : Promise.resolve();
        },
      },
      { approval: 'always' },
    );
    await landing.inPhase('approving');
    isApproved = true;
    await landing.decide('approve');
    await until(
      'the second round',
      async () => landing.calls.filter((name) => name === 'note').length === 2,
      PATIENCE_MS,
    );
    await landing.approveAgain();
    judge();
    await landing.decide('reject');
    expect(await landing.handle.result()).toMatchObject({ failure: { class: 'not_approved' } });
    expect(landing.calls).not.toContain('copy ed');
  });

  test.concurrent('is approved by what came before a task that is done anew', async () => {
    let judge: () => void = () => undefined;
    const judging = new Promise<void>((resolve) => {
      judge = resolve;
    });
    const landing = await land({ judging, isApprovedBefore: true }, { approval: 'always' });
    await until('it is judged', () => landing.judgedWith.length > 0, PATIENCE_MS);
    // The row was `approving` when it came; the workflow is not yet.
    await landing.approveAgain();
    judge();
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
    expect(landing.phases()).toContain('approving');
  });

  test.concurrent('gives up a target that changes each time', async () => {
    const landing = await land({ moved: [['mksh'], ['mksh', 'ed']] }, { staleTries: 1 });
    expect(await landing.handle.result()).toMatchObject({
      failure: {
        class: 'target_moved',
        retryable: true,
        message: 'the target got mksh 2, ed 2 since the packages were tested',
      },
    });
  });

  describe('that is known to be tested in vain', () => {
    const NEWER = 'debian bookworm has 2, which is newer than 1.20-1';
    const planned = ({ calls }: Awaited<ReturnType<typeof land>>) =>
      calls.filter((name) => !name.startsWith('run '));

    test.concurrent(
      'has new base images at once where those of before are behind the target',
      async () => {
        const landing = await land({ behind: [['mksh']] }, { staleTries: 0 });
        expect(await landing.handle.result()).toEqual({ phase: 'complete' });
        const once = ['base new', ...PLANNED, 'run 1', 'run 2', 'copy ed'];
        expect(landing.calls.slice(0, 4)).toEqual(['base young', ...PLANNED]);
        expect(landing.calls.slice(4).toSorted()).toEqual(once.toSorted());
        expect(landing.reports.flatMap(({ targetMoved }) => targetMoved ?? [])).toEqual([]);
      },
    );

    test.concurrent(
      'waits until the index has what the target has published, and counts no change for that',
      async () => {
        const landing = await land({ behind: [['mksh'], ['mksh'], ['mksh']] }, { staleTries: 0 });
        expect(await landing.handle.result()).toEqual({ phase: 'complete' });
        const again = ['base new', ...PLANNED];
        expect(planned(landing)).toEqual([
          'base young',
          ...PLANNED,
          ...again,
          ...again,
          ...again,
          'copy ed',
        ]);
        expect(landing.calls.indexOf('run 1')).toBeGreaterThan(landing.calls.lastIndexOf('note'));
        // Until then nothing is tested, and nothing says so.
        const phases = ['queued', 'building', 'imaging', 'testing', 'publishing', 'complete'];
        expect(landing.phases()).toEqual(phases);
        expect(landing.reports.filter(({ baseImageId }) => baseImageId)).toHaveLength(1);
        const index = 'the index of ~airline/debian/landed to have mksh 2';
        const waits = landing.reports.filter(({ waitsFor }) => waitsFor !== undefined);
        expect(waits).toMatchObject(
          Array.from({ length: 2 }, () => ({ phase: 'imaging', waitsFor: index })),
        );
        expect(landing.reports.flatMap(({ targetMoved }) => targetMoved ?? [])).toEqual([]);
      },
    );

    test.concurrent('waits for the index in a later round, too', async () => {
      const landing = await land({ moved: [['mksh']], behind: [[], ['mksh']] }, { staleTries: 1 });
      expect(await landing.handle.result()).toEqual({ phase: 'complete' });
      expect(landing.calls.filter((name) => name === 'note')).toHaveLength(3);
    });

    // Not beside the others: its images have to be made in time.
    test('fails where the index does not have it in time, and says so', async () => {
      const limits = { ...LANDING_LIMITS, testsMs: 6 * TESTS_MS };
      const landing = await land({ behind: [['mksh'], ['mksh']] }, {}, { limits });
      expect(await landing.handle.result()).toMatchObject({
        failure: {
          class: 'tests_timed_out',
          phase: 'imaging',
          message: 'it waited too long for the index of ~airline/debian/landed to have mksh 2',
        },
      });
      expect(landing.calls).not.toContain('run 1');
    });

    test.concurrent('is cancelled while it waits for the index', async () => {
      const landing = await land({ behind: [['mksh'], ['mksh']] }, {}, { limits: LANDING_LIMITS });
      await untilItAwaitsIndex(landing);
      // Its first pause is as long as an index may take, not as a line or a target is polled.
      const hasLongPause = async () =>
        (await deadlinesOf(landing.handle, 'timer')).some((ms) => ms > Date.now() + 300_000);
      await until('a pause of minutes', hasLongPause, PATIENCE_MS);
      await landing.handle.signal(CANCEL_SIGNAL, 'ann');
      expect(await landing.handle.result()).toMatchObject({ failure: { class: 'cancelled' } });
    });

    describe('and continues as new while it waits for the index', () => {
      const buildLimits = { ...BUILD_LIMITS, historyMaxEvents: 1 };
      const many = Array.from({ length: 100 }, () => ['mksh']);
      /** Where its last run went on. */
      const placeOf = async ({ handle }: Awaited<ReturnType<typeof land>>) =>
        (await inputOfLastRun<LandingInput>(client, handle)).resumed?.imaging;

      test.concurrent('knows what the target has got, and its tries', async () => {
        const landing = await land(
          { moved: [['mksh'], ['ed']], behind: [[], ['mksh'], ['mksh'], ['mksh']] },
          { staleTries: 1 },
          { buildLimits },
        );
        expect(await landing.handle.result()).toMatchObject({ failure: { class: 'target_moved' } });
        expect(await placeOf(landing)).toMatchObject({ round: { number: 1, moved: ['mksh 2'] } });
        const again = landing.reports.filter(({ targetMoved }) => targetMoved);
        expect(again).toMatchObject(
          Array.from({ length: 4 }, () => ({ phase: 'imaging', targetMoved: ['mksh 2'] })),
        );
        for (const { parts } of again) expect(parts).toMatchObject([{ state: 'built' }]);
        expect(new Set(landing.reports.map(({ key }) => key)).size).toBe(landing.reports.length);
      });

      test('has the pauses and the time that it had before', async () => {
        const limits = { ...LANDING_LIMITS, testsMs: 6 * TESTS_MS, indexPollMs: 100 };
        const landing = await land({ behind: many }, {}, { limits, buildLimits });
        expect(await landing.handle.result()).toMatchObject({
          failure: { class: 'tests_timed_out' },
        });
        const rounds = landing.calls.filter((name) => name === 'note').length;
        expect(rounds).toBeLessThan(12);
        // Twice as long each time but the first, which needs none, and the last, which is cut off.
        const { pauseMs } = (await placeOf(landing)) ?? {};
        expect(pauseMs).toBeGreaterThanOrEqual(100 * 2 ** (rounds - 2));
      });

      test.concurrent('is not published where it was rejected meanwhile', async () => {
        const landing = await land(
          { behind: [['mksh'], ['mksh']] },
          {},
          { limits: LANDING_LIMITS, buildLimits },
        );
        await untilItAwaitsIndex(landing);
        await landing.reject();
        await landing.handle.signal(WAKE_SIGNAL);
        expect(await landing.handle.result()).toMatchObject({ failure: { class: 'not_approved' } });
      });
    });

    test.concurrent('is not tested where its target has passed it', async () => {
      const landing = await land({ passed: { planned: ['ed'] }, refused: NEWER });
      expect(await landing.handle.result()).toMatchObject({
        failure: {
          class: 'copy_refused',
          phase: 'imaging',
          message: `ed: ${NEWER}`,
          package: 'ed',
        },
      });
      expect(landing.calls).toEqual(['base young', ...PLANNED]);
    });

    test.concurrent('is tested where its target takes the copy all the same', async () => {
      const landing = await land({ passed: { planned: ['ed'] } });
      expect(await landing.handle.result()).toEqual({ phase: 'complete' });
      expect(planned(landing)).toEqual(['base young', ...PLANNED, 'copy ed']);
    });

    test.concurrent('is not tested once more where its target has passed it since', async () => {
      const landing = await land({ moved: [['ed']], passed: { tested: ['ed'] }, refused: NEWER });
      expect(await landing.handle.result()).toMatchObject({ failure: { class: 'copy_refused' } });
      expect(planned(landing)).toEqual(['base young', ...PLANNED]);
    });
  });

  test.concurrent.each([
    ['base young', 'imaging'],
    ['image', 'imaging'],
    ['plan', 'imaging'],
    ['note', 'imaging'],
    ['run 2', 'testing'],
  ] as const)('that is cancelled at "%s" stops it, and publishes nothing', async (hangs, phase) => {
    const landing = await land({ hangs });
    await landing.called(hangs);
    await landing.handle.signal(CANCEL_SIGNAL, 'ann');
    expect(await landing.handle.result()).toMatchObject({
      phase: 'cancelled',
      failure: { class: 'cancelled', phase, message: 'cancelled by ann' },
    });
    expect(landing.calls).not.toContain('copy ed');
  });

  test.concurrent('that is cancelled while it is judged is not continued as new', async () => {
    let judge: () => void = () => undefined;
    const judging = new Promise<void>((resolve) => {
      judge = resolve;
    });
    const landing = await land(
      { judging, judged: [said('waits', [1]), said('passes')] },
      {},
      { buildLimits: { ...BUILD_LIMITS, historyMaxEvents: 1 } },
    );
    await until('it is judged', () => landing.judgedWith.length > 0, PATIENCE_MS);
    await landing.handle.signal(CANCEL_SIGNAL, 'ann');
    judge();
    expect(await landing.handle.result()).toMatchObject({
      phase: 'cancelled',
      failure: { phase: 'testing', message: 'cancelled by ann' },
    });
  });

  test.concurrent('that is rejected while it is judged is not continued as new', async () => {
    let judge: () => void = () => undefined;
    const judging = new Promise<void>((resolve) => {
      judge = resolve;
    });
    const landing = await land(
      { judging, judged: [said('waits', [1]), said('passes')] },
      {},
      { buildLimits: { ...BUILD_LIMITS, historyMaxEvents: 1 } },
    );
    await until('it is judged', () => landing.judgedWith.length > 0, PATIENCE_MS);
    await landing.reject();
    judge();
    expect(await landing.handle.result()).toMatchObject({ failure: { class: 'not_approved' } });
  });

  test.concurrent('ends when no tester works for it any more: one image fails', async () => {
    const landing = await land(
      { fails: { 'base young': 'broken' }, hangs: 'base young elsewhere', stopMs: STOP_MS },
      { testArchitectures: [architecture, otherArchitecture] },
    );
    expect(await landing.handle.result()).toMatchObject({ failure: { class: 'image_failed' } });
    expect(landing.atWork.atEnd).toBe(0);
  });

  test.concurrent('ends when no tester works for it any more: it is cancelled', async () => {
    const hangs = ['base young', 'base young elsewhere'];
    const landing = await land(
      { hangs, stopMs: STOP_MS },
      { testArchitectures: [architecture, otherArchitecture] },
    );
    for (const name of hangs) await landing.called(name);
    await landing.handle.signal(CANCEL_SIGNAL, 'ann');
    expect(await landing.handle.result()).toMatchObject({ failure: { class: 'cancelled' } });
    expect(landing.atWork.atEnd).toBe(0);
  });

  test.concurrent('goes on with its images though nobody says who makes them', async () => {
    const landing = await land(
      { isUnanswered: true },
      {},
      { limits: { ...LANDING_LIMITS, testerPollMs: 100 } },
    );
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
    expect(landing.questions()).toBeGreaterThan(0);
  });

  test.concurrent(
    'ends with its final report where Temporal cancels it among its tests',
    async () => {
      const landing = await land({ hangs: 'run 1' });
      await landing.called('run 1');
      await landing.handle.cancel();
      await expect(landing.handle.result()).rejects.toThrow();
      expect(landing.reports.at(-1)).toMatchObject({ phase: 'cancelled' });
    },
  );

  test.concurrent('that is paused begins no new step until it is resumed', async () => {
    const landing = await land({ pausedBy: 'ann' });
    await until(
      'it is paused',
      async () => (await landing.status()).paused_by === 'ann',
      PATIENCE_MS,
    );
    expect(await landing.status()).toMatchObject({ phase: 'building' });
    expect(landing.calls).toEqual([]);
    landing.row.pausedBy = null;
    await landing.handle.signal(WAKE_SIGNAL);
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
  });

  test.concurrent('that is paused at the last moment is published when it is resumed', async () => {
    const landing = await land({ isPausedAtLast: true });
    await until('it is held back', async () => landing.row.pausedBy === 'ann', PATIENCE_MS);
    await landing.handle.signal(WAKE_SIGNAL);
    await expectPublishedOnceResumed(landing);
  });

  test.concurrent(
    'that is paused at the last moment is published though no signal told it in time',
    async () => {
      await expectPublishedOnceResumed(
        await land({ isPausedAtLast: true }, {}, { limits: LATE_SIGNALS }),
      );
    },
  );

  test.concurrent(
    'that is paused at the last moment is tested once more if its target changes meanwhile',
    async () => {
      const landing = await land({ isPausedAtLast: true, moved: [[], ['mksh']] });
      await until('it is held back', async () => landing.row.pausedBy === 'ann', PATIENCE_MS);
      landing.row.pausedBy = null;
      await landing.handle.signal(WAKE_SIGNAL);
      expect(await landing.handle.result()).toEqual({ phase: 'complete' });
      const planned = landing.calls.filter((name) => !name.startsWith('run '));
      expect(planned).toEqual(['base young', ...PLANNED, 'base new', ...PLANNED, 'copy ed']);
      expect(landing.checks()).toBe(3);
    },
  );

  test.concurrent('that was paused before its target is checked is checked once', async () => {
    const landing = await land({}, { approval: 'always' });
    await landing.inPhase('approving');
    landing.row.pausedBy = 'ann';
    await landing.decide('approve');
    await until(
      'it is paused',
      async () => (await landing.status()).paused_by === 'ann',
      PATIENCE_MS,
    );
    expect(landing.checks()).toBe(0);
    landing.row.pausedBy = null;
    await landing.handle.signal(WAKE_SIGNAL);
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
    expect(landing.checks()).toBe(1);
  });

  describe('that is paused', () => {
    const PAUSE_MS = 4_000;
    const LIMITS = { ...LANDING_LIMITS, testsMs: 600_000, approvalMs: 600_000 };

    /** Resumes it once it was paused for so long. @returns how long that was at least, and when */
    async function resume({ status, row, handle }: Awaited<ReturnType<typeof land>>) {
      await until('a pause', async () => (await status()).paused_by === 'ann', PATIENCE_MS);
      const begin = Date.now();
      await until('a long pause', () => Date.now() - begin >= PAUSE_MS, PATIENCE_MS);
      const resumedAtMs = Date.now();
      row.pausedBy = null;
      await handle.signal(WAKE_SIGNAL);
      return { pausedMs: resumedAtMs - begin, resumedAtMs };
    }

    test.concurrent('before its images has all of its time for them', async () => {
      const landing = await land({ pausedBy: 'ann' }, {}, { limits: LIMITS });
      const { resumedAtMs } = await resume(landing);
      await landing.handle.result();
      const [made] = await deadlinesOf(landing.handle, 'makeBaseImage');
      expect(made).toBeGreaterThanOrEqual(resumedAtMs + LIMITS.testsMs);
    });

    test.concurrent('among its tests has the time for them that it had before', async () => {
      const endsAtMs = Date.now() + LIMITS.testsMs;
      const progress = { images: [], left: 0, round: 0, endsAtMs };
      const landing = await land(
        { pausedFirstBy: 'ann', judged: [said('waits', [1]), said('passes')] },
        {},
        {
          limits: LIMITS,
          resumed: { queuedAtMs: 0, reports: 9, testing: { progress, parts: [], order: [] } },
        },
      );
      const { pausedMs } = await resume(landing);
      await landing.handle.result();
      const [run] = await deadlinesOf(landing.handle, 'runTest');
      expect(run).toBeGreaterThanOrEqual(endsAtMs + pausedMs);
    });

    test.concurrent('while it waits for the index has the time that it had before', async () => {
      const landing = await land({ behind: [['mksh'], ['mksh']] }, {}, { limits: LIMITS });
      await untilItAwaitsIndex(landing);
      landing.row.pausedBy = 'ann';
      await landing.handle.signal(WAKE_SIGNAL);
      const { pausedMs } = await resume(landing);
      expect(await landing.handle.result()).toEqual({ phase: 'complete' });
      const [before = 0, , after = 0] = await deadlinesOf(landing.handle, 'makeBaseImage');
      // A deadline that is read so is as much too late as its workflow task took.
      expect(after - before).toBeGreaterThan(pausedMs / 2);
    });

    test.concurrent('while it waits for an approval waits as long as if it had not', async () => {
      const landing = await land({}, { approval: 'always' }, { limits: LIMITS });
      await landing.inPhase('approving');
      landing.row.pausedBy = 'ann';
      await landing.handle.signal(WAKE_SIGNAL);
      const { pausedMs } = await resume(landing);
      await landing.decide('approve');
      await landing.handle.result();
      // At last it waits for an approval, for the end of the pause, and for an approval.
      const [first, , last] = (await deadlinesOf(landing.handle, 'timer')).slice(-3);
      expect((last ?? 0) - (first ?? 0)).toBeGreaterThan(pausedMs / 2);
    });
  });

  test.concurrent('that nobody resumes fails', async () => {
    const landing = await land(
      { pausedBy: 'ann' },
      {},
      { limits: { ...LANDING_LIMITS, approvalMs: 1 } },
    );
    expect(await landing.handle.result()).toMatchObject({
      failure: { class: 'pause_timed_out', message: 'ann paused it, and nobody resumed it' },
    });
  });

  test.concurrent('that no tester takes says so', async () => {
    const landing = await land(
      {},
      { testArchitectures: [`a${randomUUID()}`] },
      { limits: { ...LANDING_LIMITS, testerMs: 1_000 } },
    );
    expect(await landing.handle.result()).toMatchObject({
      failure: { class: 'no_tester', phase: 'imaging', retryable: true },
    });
  });

  test.concurrent('that no tester takes yet says so, and goes on with the first one', async () => {
    const alone = `a${randomUUID()}`;
    const landing = await land(
      {},
      { testArchitectures: [alone] },
      { limits: { ...LANDING_LIMITS, testerMs: PATIENCE_MS, testerPollMs: 100 } },
    );
    const waits = () =>
      landing.reports.flatMap(({ phase, waitsFor }) => (phase === 'imaging' ? [waitsFor] : []));
    await until('it says so', async () => waits().length > 1, PATIENCE_MS);
    const queue = testTaskQueue({ ...PPA, architecture: alone });
    const none = `a tester for debian on ${alone}: none polls the task queue ${queue}`;
    expect(waits()).toEqual([undefined, none]);
    const worker = await testerOf(alone);
    workers.push({ worker, stopped: worker.run() });
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
  });

  test.concurrent('whose runs wait for each other longer than for a tester goes on', async () => {
    const { alone, running, endRuns } = await testerWithOneSlot();
    const open = [1, 2].map((runId) => ({ runId, architecture: alone }));
    const landing = await land(
      { running, judged: (made) => (made < 2 ? said('waits', [1, 2], { open }) : said('passes')) },
      { testArchitectures: [alone] },
      { limits: { ...LANDING_LIMITS, testerMs: 30_000 } },
    );
    await untilUntaken(landing.handle);
    endRuns();
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
  });

  test.concurrent(
    "whose testers have another landing's work for longer than that goes on",
    async () => {
      const { alone, running, endRuns } = await testerWithOneSlot();
      const open = [{ runId: 1, architecture: alone }];
      const ofAlone = { testArchitectures: [alone] };
      const other = await land(
        { running, judged: [said('waits', [1], { open }), said('passes')] },
        ofAlone,
      );
      await other.called('run 1');
      const limits = { ...LANDING_LIMITS, testerMs: 1_000 };
      const landing = await land({ judged: [said('passes')] }, ofAlone, { limits });
      await untilUntaken(landing.handle);
      endRuns();
      expect(await landing.handle.result()).toEqual({ phase: 'complete' });
      expect((await deadlinesOf(landing.handle, 'makeBaseImage')).length).toBeGreaterThan(1);
      expect(await other.handle.result()).toEqual({ phase: 'complete' });
    },
  );

  test.concurrent('says that no tester takes its tests until one does', async () => {
    const alone = `a${randomUUID()}`;
    const open = [{ runId: 1, architecture: alone }];
    const progress = { images: [], left: 0, round: 0, endsAtMs: Date.now() + PATIENCE_MS };
    const landing = await land(
      { judged: [said('waits', [1], { open }), said('waits', [2]), said('passes')] },
      {},
      {
        limits: { ...LANDING_LIMITS, testerMs: PATIENCE_MS, testerPollMs: 100 },
        resumed: { queuedAtMs: 0, reports: 9, testing: { progress, parts: [], order: [] } },
      },
    );
    const waits = () => landing.reports.map(({ phase, waitsFor }) => [phase, waitsFor]);
    await until('it says so', async () => waits().length > 1, PATIENCE_MS);
    const queue = testTaskQueue({ ...PPA, architecture: alone });
    const none = `a tester for debian on ${alone}: none polls the task queue ${queue}`;
    expect(waits()).toEqual([
      ['testing', undefined],
      ['testing', none],
    ]);
    const worker = await testerOf(alone);
    workers.push({ worker, stopped: worker.run() });
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
    expect(waits()[2]).toEqual(['testing', undefined]);
    // It is told as the run is over, not with the next verdict on the tests.
    expect(landing.reports[2]).not.toHaveProperty('tests');
  });

  test.concurrent(
    'says that it waits for a tester where the one that ran its test stops',
    async () => {
      const alone = `a${randomUUID()}`;
      const open = [{ runId: 1, architecture: alone }];
      const progress = { images: [], left: 0, round: 0, endsAtMs: Date.now() + PATIENCE_MS };
      const worker = await testerOf(alone);
      const stopped = worker.run();
      const landing = await land(
        { judged: [said('waits', [1], { open })], hangs: 'run 1' },
        {},
        {
          limits: { ...LANDING_LIMITS, testerMs: PATIENCE_MS, testerPollMs: 100 },
          resumed: { queuedAtMs: 0, reports: 9, testing: { progress, parts: [], order: [] } },
        },
      );
      await landing.called('run 1');
      worker.shutdown();
      await stopped;
      const before = landing.reports.length;
      const told = () => landing.reports.slice(before).flatMap(({ waitsFor }) => waitsFor ?? []);
      await until('it says so', () => told().length > 0, 60_000);
      expect(told()).toEqual([expect.stringMatching(/^a tester /)]);
      await landing.handle.signal(CANCEL_SIGNAL, 'ann');
      expect(await landing.handle.result()).toMatchObject({ phase: 'cancelled' });
    },
  );

  test.concurrent(
    'keeps what is planned though it said that no tester plans its tests',
    async () => {
      const alone = `a${randomUUID()}`;
      const imager = await testerOf(alone);
      const imagerStops = imager.run();
      const landing = await land(
        { onImage: () => imager.shutdown() },
        { testArchitectures: [alone] },
        { limits: { ...LANDING_LIMITS, testerMs: PATIENCE_MS, testerPollMs: 100 } },
      );
      await imagerStops;
      const before = landing.reports.length;
      const saysSo = () => landing.reports.slice(before).some(({ waitsFor }) => waitsFor);
      await until('it says that it waits', saysSo, PATIENCE_MS);
      const planner = await testerOf(alone);
      workers.push({ worker: planner, stopped: planner.run() });
      expect(await landing.handle.result()).toEqual({ phase: 'complete' });
      const [begun, ...told] = landing.reports.filter(({ phase }) => phase === 'imaging');
      expect(begun).not.toHaveProperty('keepsRuns');
      expect(told.map(({ keepsRuns }) => keepsRuns)).toEqual(told.map(() => true));
      expect(told.at(-1)).not.toHaveProperty('waitsFor');
    },
  );

  test.concurrent('waits where the disk of its tester is short, and fails no try', async () => {
    const short = `a${randomUUID()}`;
    let hasRoom = false;
    const room = { isShort: false };
    const slots = workerSlots({
      slots: 2,
      hasRoom: async () => hasRoom,
      room,
      logger: keepLog().logger,
      pause: (signal) => sleep(20, undefined, { signal }),
    });
    const worker = await testerOf(short, slots);
    workers.push({ worker, stopped: worker.run() });
    const queues = openTaskQueues(nativeConnection, 'default');
    const isKnown = () => queues.hasWorker(testTaskQueue({ ...PPA, architecture: short }));
    await until('Temporal knows the tester by its reports', isKnown, PATIENCE_MS);
    const landing = await land(
      { judged: [said('passes')] },
      { testArchitectures: [short] },
      { limits: { ...LANDING_LIMITS, testerMs: 1_000 } },
    );
    await untilUntaken(landing.handle);
    expect([landing.calls, room.isShort]).toEqual([[], true]);
    hasRoom = true;
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
    expect(landing.calls.slice(0, 4)).toEqual(['base young', ...PLANNED]);
  });

  test.concurrent('whose runs no tester takes says so', async () => {
    const none = `a${randomUUID()}`;
    const open = [1, 2].map((runId) => ({ runId, architecture: none }));
    const endsAtMs = Date.now() + PATIENCE_MS;
    const progress = { images: [], left: 0, round: 0, endsAtMs };
    const landing = await land(
      { judged: [said('waits', [1, 2], { open })] },
      {},
      {
        limits: { ...LANDING_LIMITS, testerMs: 1_000 },
        resumed: { queuedAtMs: 0, reports: 9, testing: { progress, parts: [], order: [] } },
      },
    );
    expect(await landing.handle.result()).toMatchObject({
      failure: { class: 'no_tester', phase: 'testing', retryable: true },
    });
  });

  test.concurrent.each([
    ['run', { open: [1, 2].map((runId) => ({ runId, architecture: UNTAKEN })) }],
    ['comparison', { open: [], toCompare: [{ runId: 1, architecture: UNTAKEN }] }],
  ])('whose time is over before a tester takes a %s counts what was tested', async (_, more) => {
    const images = [{ architecture: UNTAKEN, imageId: 2, baseImageId: 1 }];
    const progress = { images, left: 0, round: 0, endsAtMs: Date.now() + TESTS_MS };
    const landing = await land(
      { judged: [said('waits', [1], more)] },
      {},
      { resumed: { queuedAtMs: 0, reports: 9, testing: { progress, parts: [], order: [] } } },
    );
    expect(await landing.handle.result()).toMatchObject({
      failure: {
        class: 'tests_timed_out',
        phase: 'testing',
        message: '1 of 2 sources were tested in time',
      },
    });
  });

  test.concurrent('whose time is over before a tester takes an image says so', async () => {
    const limits = { ...LANDING_LIMITS, testsMs: TESTS_MS };
    const landing = await land({}, { testArchitectures: [UNTAKEN] }, { limits });
    expect(await landing.handle.result()).toMatchObject({
      failure: {
        class: 'tests_timed_out',
        phase: 'imaging',
        message: 'the images to test in were not made in time',
      },
    });
  });

  test.concurrent.each([
    ['image', 'broken', 'image_failed'],
    ['image', 'uninstallable', 'uninstallable'],
    ['plan', 'broken', 'test_bed_failed'],
  ] as const)('whose "%s" fails as %s fails as %s', async (name, type, failureClass) => {
    const landing = await land({ fails: { [name]: type } });
    expect(await landing.handle.result()).toMatchObject({
      failure: { class: failureClass, message: `${name} went wrong` },
    });
  });

  describe('that was built after its base image was made', () => {
    const planned = ({ calls }: Awaited<ReturnType<typeof land>>) =>
      calls.filter((name) => !name.startsWith('run '));
    const AGAIN = ['base young', ...PLANNED, 'base new', ...PLANNED];
    const blamedOnce = [said('waits', [1]), said('blocked'), said('waits', [2]), said('passes')];

    test.concurrent('is tested once more on a new one before a test is blamed on it', async () => {
      const landing = await land({ newerThan: 'base young', judged: blamedOnce });
      expect(await landing.handle.result()).toEqual({ phase: 'complete' });
      expect(planned(landing)).toEqual([...AGAIN, 'copy ed']);
      expect(landing.comparedWith).toEqual([{ baseImageIds: [1], buildIds: [1] }]);
      // What is tested again is not judged yet, and says why it is.
      const again = landing.reports.filter(({ phase }) => phase === 'imaging').at(-1);
      expect(again?.tests).toEqual({
        planned: 2,
        finished: 0,
        left: 0,
        verdict: 'waits',
        verdicts: {},
        renewed: true,
      });
      const judged = landing.reports.findLast(({ tests }) => tests !== undefined);
      expect(judged?.tests).toMatchObject({ verdict: 'passes', renewed: true });
    });

    test.concurrent('has one more image made before its packages are uninstallable', async () => {
      const landing = await land({
        newerThan: 'base young',
        fails: { image: 'uninstallable' },
        failsOnce: true,
      });
      expect(await landing.handle.result()).toEqual({ phase: 'complete' });
      expect(planned(landing)).toEqual(['base young', 'image', 'base new', ...PLANNED, 'copy ed']);
      const again = landing.reports.filter(({ phase }) => phase === 'imaging');
      expect(again.map(({ tests }) => tests?.renewed)).toEqual([undefined, true]);
    });

    test.concurrent('is blamed at once for what fails on a new one, too', async () => {
      const landing = await land({
        newerThan: 'base young',
        judged: [said('waits', [1]), said('blocked')],
      });
      expect(await landing.handle.result()).toMatchObject({
        failure: { class: 'test_regression', phase: 'testing' },
      });
      expect(planned(landing)).toEqual(AGAIN);
    });

    test.concurrent('is blamed at once where older code has tested it on a new one', async () => {
      const progress = { images: [], left: 0, round: 0, isRenewed: true, endsAtMs: 1 };
      const testing = { progress, parts: [], order: [] };
      const landing = await land(
        { newerThan: 'all', judged: [said('blocked')] },
        {},
        { resumed: { queuedAtMs: 0, reports: 9, testing } },
      );
      expect(await landing.handle.result()).toMatchObject({
        failure: { class: 'test_regression' },
      });
      expect(landing.comparedWith).toEqual([]);
      expect(landing.reports.at(0)?.tests).toMatchObject({ renewed: true });
    });

    test.concurrent(
      'is tested on a new one once, though nobody can tell when that was made',
      async () => {
        const landing = await land({ newerThan: 'all', fails: { image: 'uninstallable' } });
        expect(await landing.handle.result()).toMatchObject({
          failure: { class: 'uninstallable' },
        });
        expect(planned(landing)).toEqual(['base young', 'image', 'base new', 'image']);
      },
    );

    test.concurrent(
      'is tested on a new one once, also where it continues as new there',
      async () => {
        const landing = await land(
          {
            newerThan: 'all',
            judged: [said('waits', [1]), said('blocked'), said('waits', [2]), said('blocked')],
          },
          {},
          { buildLimits: { ...BUILD_LIMITS, historyMaxEvents: 1 } },
        );
        expect(await landing.handle.result()).toMatchObject({
          failure: { class: 'test_regression' },
        });
        expect(planned(landing)).toEqual(AGAIN);
      },
    );

    test.concurrent('has as many tries where its target changes as any other', async () => {
      const landing = await land(
        { newerThan: 'base young', judged: blamedOnce, moved: [['mksh']] },
        { staleTries: 1 },
      );
      expect(await landing.handle.result()).toEqual({ phase: 'complete' });
      expect(planned(landing)).toEqual([...AGAIN, 'base new', ...PLANNED, 'copy ed']);
      // Its last round is one because of the target alone.
      const begun = landing.reports.filter(({ phase }) => phase === 'imaging');
      expect(begun.map(({ tests, targetMoved }) => ({ ...tests, targetMoved }))).toMatchObject([
        {},
        { renewed: true },
        { targetMoved: ['mksh 2'] },
      ]);
      expect(begun.at(-1)?.tests).not.toHaveProperty('renewed');
      expect((await landing.status()).tests).not.toHaveProperty('renewed');
    });

    test.concurrent(
      'is tested once more where an override ends while it waits for a person',
      async () => {
        const asks = said('cannot_tell');
        const landing = await land({
          newerThan: 'base young',
          judged: [asks, asks, said('blocked'), said('passes')],
        });
        await until('it waits', async () => landing.judgedWith.length === 2, PATIENCE_MS);
        await landing.handle.signal(WAKE_SIGNAL);
        expect(await landing.handle.result()).toEqual({ phase: 'complete' });
        expect(planned(landing)).toEqual([...AGAIN, 'copy ed']);
      },
    );
  });

  test.concurrent('whose tests take too long fails', async () => {
    const progress = { images: [], left: 0, round: 0, endsAtMs: 1 };
    const landing = await land(
      { judged: [said('waits', [1])] },
      {},
      { resumed: { queuedAtMs: 0, reports: 9, testing: { progress, parts: [], order: [] } } },
    );
    expect(await landing.handle.result()).toMatchObject({
      failure: { class: 'tests_timed_out', message: '1 of 2 sources were tested in time' },
    });
    expect(landing.calls).toEqual([]);
  });

  test.concurrent.each([
    ['whose history grows long', 60],
    ['whose history is long before its first test', 1],
  ])('%s continues as new among its tests, and keeps what is done', async (_, historyMaxEvents) => {
    const landing = await land(
      { judged: (made) => (made < 12 ? said('waits', [made + 1]) : said('passes')) },
      {},
      { buildLimits: { ...BUILD_LIMITS, historyMaxEvents } },
    );
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
    expect(landing.calls.filter((name) => name === 'plan')).toEqual(['plan']);
    const runs = landing.calls.filter((name) => name.startsWith('run '));
    expect(runs).toEqual(Array.from({ length: 12 }, (_, made) => `run ${made + 1}`));
    expect(landing.reports.at(-1)?.parts).toMatchObject([{ state: 'published', build_id: 1 }]);
    expect(new Set(landing.reports.map(({ key }) => key)).size).toBe(landing.reports.length);
    const { raw } = await landing.handle.describe();
    expect(raw.workflowExecutionInfo?.firstRunId).not.toBe(
      raw.workflowExecutionInfo?.execution?.runId,
    );
  });

  test.concurrent.each(['reverse_dependencies', 'none'] as const)(
    'continues as new while it waits for an approval and is woken often (tests: %s)',
    async (tests) => {
      const landing = await land(
        { judged: [said('needs_approval')] },
        { tests, approval: 'always' },
        {
          limits: { ...LANDING_LIMITS, approvalMs: 600_000 },
          buildLimits: { ...BUILD_LIMITS, historyMaxEvents: 1 },
        },
      );
      const resumed: LandingInput['resumed'][] = [];
      for (const run of ['second', 'third']) {
        await landing.inPhase('approving');
        const { runId } = await landing.handle.describe();
        await landing.handle.signal(WAKE_SIGNAL);
        const isNew = async () => (await landing.handle.describe()).runId !== runId;
        await until(`the ${run} run`, isNew, PATIENCE_MS);
        resumed.push((await inputOfLastRun<LandingInput>(client, landing.handle)).resumed);
      }
      const [first, second] = resumed;
      expect(first?.approving).toMatchObject({ order: ['ed'] });
      expect(second?.approving).toEqual(first?.approving);
      await landing.decide('approve');
      expect(await landing.handle.result()).toEqual({ phase: 'complete' });
      expect(landing.calls).toEqual([
        ...(tests === 'none' ? [] : ['base young', ...PLANNED]),
        'copy ed',
      ]);
      expect(landing.reports.at(-1)?.parts).toMatchObject([{ state: 'published', build_id: 1 }]);
      expect(new Set(landing.reports.map(({ key }) => key)).size).toBe(landing.reports.length);
    },
  );

  test.concurrent('whose policy wants neither tests nor a person has neither', async () => {
    const landing = await land({}, { tests: 'none', approval: 'never' });
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
    expect(landing.phases()).toEqual(['queued', 'building', 'publishing', 'complete']);
  });

  // Not beside the others: its images have to be made in time.
  test('whose time is over while its tests are chosen says so', async () => {
    const limits = { ...LANDING_LIMITS, testsMs: 6 * TESTS_MS };
    const landing = await land({ hangs: 'plan' }, {}, { limits });
    expect(await landing.handle.result()).toMatchObject({
      failure: {
        class: 'tests_timed_out',
        phase: 'imaging',
        message: 'the tests to run were not chosen in time',
      },
    });
  });
});
