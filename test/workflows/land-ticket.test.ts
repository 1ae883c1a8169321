import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { LandingActivities } from '../../activities/landing/index.ts';
import { labelsOf } from '../../domain/builds/build-labels.ts';
import { CANCEL_SIGNAL, STATUS_QUERY } from '../../domain/builds/build-workflow.ts';
import {
  DEFAULT_LANDING_POLICY,
  type LandingPolicy,
} from '../../domain/landings/landing-policy.ts';
import type { LandingPhase } from '../../domain/landings/landing-phase.ts';
import {
  DECIDE_SIGNAL,
  WAKE_SIGNAL,
  landingWorkflowId,
  type LandingAhead,
  type LandingInput,
  type LandingLimits,
  type LandingPart,
  type LandingReport,
  type LandingResult,
  type LandingStatus,
  type LeaseAnswer,
} from '../../domain/landings/landing.ts';
import { temporalAddress, workflowBundle } from '../support/addresses.ts';
import { BUILD_LIMITS, LANDING_LIMITS } from '../support/build-limits.ts';
import { until } from '../support/until.ts';
import { activitiesOfScenes, scriptedActivities, type PpaScript } from './scripted-activities.ts';
import { queryWorkflow } from './query-workflow.ts';

// What a scene waits out is short, and yet longer than anything before it takes on a busy machine.
const WAITED_OUT_MS = 10_000;
const PATIENCE_MS = 300_000;
const PAUSE_MS = 4_000;
jest.setTimeout(600_000);

/** A landing as its workflow sees it. */
type Script = {
  /** The packages by level. */
  levels: string[][];
  /** How the PPA builds a package; it succeeds where nothing is said. */
  builds?: Record<string, PpaScript>;
  /** Packages that are built already. */
  built?: string[];
  /** Who is before it in line, at each question; nobody after the last. */
  ahead?: LandingAhead[][];
  /**
   * What it is told at each question for a PPA of the pool; it gets one after the last. It names its PPA where nothing
   * is said.
   */
  leases?: LeaseAnswer[];
  circle?: boolean;
  /** The host of the sources does not answer. */
  isSourceHostAway?: boolean;
  /** The packages are not what their subtickets stand for. */
  mismatch?: boolean;
  /** Why the target does not take a package. */
  refused?: Record<string, string>;
  /** What an earlier attempt has published. */
  publishedBefore?: string[];
  /** The package that the target never shows, and the one whose copy it refuses when it is asked for. */
  unseen?: string;
  refusedLate?: string;
  /** The package whose copy cannot be sent, and the one after which nobody can ask the target. */
  uncopied?: string;
  unasked?: string;
  /** The package whose copy is sent while Launchpad gives no answer. */
  unanswered?: string;
  /** The row knows of a cancellation that the workflow has not heard of when it wants to publish. */
  isCancelledInRow?: boolean;
  held?: string;
  /** The package that somebody rejected at the target before this landing. */
  rejectedBefore?: string;
  /** One of its two copies is rejected in the first round of the watch, and the other let in before the second. */
  letInLater?: string;
  /** Is published in the third round. */
  lastOut?: string;
  /** What a worker has reported before it died, without having told Temporal. */
  reported?: LandingReport[];
  /** What its policy says beside that no tests are run; it has none where nothing is said. */
  policy?: Partial<LandingPolicy>;
  /** The architectures that all is built on; all where nothing is said. */
  builtOn?: string[];
  /** The PPA has said what is built; else whether it is on an architecture is not known. */
  isListed?: boolean;
  /** Names its attempt; none, where older code accepted it. */
  attemptKey?: string;
  /** When it was first requested; not told, where older code accepted it. */
  requestedAtMs?: number;
  /** Ann has done this by the time that it has made so many reports of `approving`; nobody has told it. */
  approvedAtReport?: number;
  pausedAtReport?: number;
  resumedAtReport?: number;
  /** The phase in which ann pauses it as it begins. */
  pausedIn?: LandingPhase;
  /** Ann has paused it before it began. */
  isPausedBefore?: boolean;
  /** It has continued as new while it waits for a PPA of the pool: since when it waits. */
  leasingAtMs?: number;
  /** The workflows of builds that an earlier attempt has left under way. */
  underWay?: Record<string, string>;
  /**
   * The package whose build the database does not take the report of: at the first try, at any, or for good. The builds
   * of the others are opened after the first try.
   */
  untold?: { source: string; at: 'first try' | 'any try' | 'first try, for good' };
};

let connection: Connection;
let nativeConnection: NativeConnection;
let client: Client;
let worker: Worker;
let stopped: Promise<void>;
let landings = 0;
const taskQueue = `test-${randomUUID()}`;
const builds = new Map<string, ReturnType<typeof scriptedActivities>>();
const scenes = new Map<string, ReturnType<typeof scripted>>();

const APPROVAL = { decision: 'approve', by: 'ann', comment: 'tried by hand' } as const;
const POOL_PPA = { owner: 'airline', distribution: 'debian', name: 'pool-1' };
const OLD_UPLOAD = 'https://ppa/debian/bookworm/+upload/1';
const IN_LINE = Array.from({ length: 100 }, () => [{ landing_id: 5, ticket_id: 9 }]);
const NO_PPA = Array.from({ length: 100 }, () => ({ ahead: [], waitsFor: 'a PPA' }));
const SUCCEEDS: PpaScript = { polls: [{ builds: ['Successfully built'] }] };

/** No landing here has tests. */
const unasked = async () => {
  throw ApplicationFailure.nonRetryable('it has no tests');
};
const unwatched = async () => {
  throw ApplicationFailure.nonRetryable('only older code asks for one copy after the other');
};
const UNTESTED = {
  findTester: unasked,
  findUntaken: async () => ({ waitsFor: null }),
  noteTarget: unasked,
  judgeTests: unasked,
  checkBases: unasked,
  checkStale: unasked,
};

/** A database that does not take the report of a build, as a script says. */
function unwillingDatabase(untold: Script['untold']) {
  let key: string | undefined;
  let tries = 0;
  let isRefused = () => {};
  const refused = new Promise<void>((resolve) => (isRefused = resolve));
  return {
    /** @throws what it answers to a report that it does not take */
    assertTaken({ key: given, parts = [] }: LandingReport): void {
      if (!untold) return;
      const { source, at } = untold;
      if (parts.some((part) => part.source === source && part.state === 'building')) key ??= given;
      if (given !== key || (tries++ > 0 && at === 'first try')) return;
      isRefused();
      if (at === 'first try, for good') throw ApplicationFailure.nonRetryable('it takes it never');
      throw new Error('the database is away');
    },
    /** Waits until it has refused one, for the other packages. */
    async untilRefused(source: string): Promise<void> {
      if (untold && untold.source !== source) await refused;
    },
  };
}

/** The activities of a landing that play the script, and what they were asked to do. */
function scripted({ levels, built = [], ahead = [], ...script }: Script) {
  const reports: LandingReport[] = [...(script.reported ?? [])];
  const calls: string[] = [];
  let pausedBy = script.isPausedBefore ? 'ann' : null;
  /** Which attempt its row was asked for a PPA and for builds by. */
  const askedBy: (string | undefined)[] = [];
  /** Since when the target was said to have got nothing but its copies, each time that it was asked. */
  const askedSince: (number | undefined)[] = [];
  /** For which landing. */
  const askedFor: (number | undefined)[] = [];
  let rounds = 0;
  let questions = 0;
  let leaseTries = 0;
  const database = unwillingDatabase(script.untold);
  const activities: LandingActivities = {
    async reportLanding(report) {
      database.assertTaken(report);
      if (script.isCancelledInRow && report.phase === 'publishing') return { isEnded: true };
      if (report.phase === script.pausedIn) {
        pausedBy = 'ann';
        delete script.pausedIn;
      }
      if (!reports.some(({ key }) => key === report.key)) reports.push(structuredClone(report));
      const made = reports.filter(({ phase }) => phase === 'approving').length;
      const isAt = (count?: number) => report.phase === 'approving' && made === count;
      if (isAt(script.pausedAtReport)) pausedBy = 'ann';
      if (isAt(script.resumedAtReport)) pausedBy = null;
      const isDecided = isAt(script.approvedAtReport);
      return { isEnded: false, ...(isDecided ? { decision: APPROVAL } : {}) };
    },
    async claimPackages() {
      return ahead[questions++] ?? [];
    },
    async leasePpa({ attemptKey }) {
      calls.push('lease');
      askedBy.push(attemptKey);
      return script.leases?.[leaseTries++] ?? { ppa: POOL_PPA };
    },
    async orderBuilds() {
      if (script.isSourceHostAway) {
        calls.push('order');
        await Context.current().cancelled;
      }
      if (script.circle)
        throw ApplicationFailure.nonRetryable('a needs b, b needs a', 'dependency_cycle');
      if (script.mismatch)
        throw ApplicationFailure.nonRetryable('a is of another version', 'malformed_control_file');
      return levels;
    },
    async checkArchitectures({ parts, architectures }) {
      const { builtOn = architectures } = script;
      const architecture = architectures.find((one) => !builtOn.includes(one));
      const sources = parts.map(({ source }) => source);
      const { isListed: isKnown = true } = script;
      return { lacking: architecture === undefined ? null : { architecture, sources, isKnown } };
    },
    async openBuild({ landingId, attempt, attemptKey, source, limits }) {
      calls.push(`build ${source}`);
      askedBy.push(attemptKey);
      await database.untilRefused(source);
      const buildId = landingId * 100 + levels.flat().indexOf(source);
      if (built.includes(source)) return { buildId, isBuilt: true };
      const underWay = script.underWay?.[source];
      const workflowId = underWay ?? `build-${buildId}-ticket-3-${source}-${attempt}`;
      if (underWay === undefined)
        builds.set(
          workflowId,
          scriptedActivities({ sources: [source], ...(script.builds?.[source] ?? SUCCEEDS) }),
        );
      const ppa = { owner: 'airline', distribution: 'debian', name: 'silo' };
      const request = {
        buildId,
        attempt: 1,
        ticketId: 3,
        sourcePackages: [`http://store/${source}_1_source.changes`],
        series: 'bookworm',
        ppa: 'ppa:airline/silo',
        archive: 'debian',
        progressTrigger: 'lander',
        cancelUrl: null,
      };
      const labels = labelsOf({ request, ppa, requestId: null });
      return { buildId, isBuilt: false, workflowId, input: { request, ppa, limits }, labels };
    },
    readPause: async () => ({ pausedBy }),
    ...UNTESTED,
    async checkCopies({ ppa, packages, requestedAtMs, landingId }) {
      askedSince.push(requestedAtMs);
      askedFor.push(landingId);
      calls.push(ppa.name === POOL_PPA.name ? 'check from the pool' : 'check');
      const refused = packages.flatMap(({ source }) => {
        const message = script.refused?.[source];
        return message === undefined ? [] : [{ source, message }];
      });
      const { publishedBefore: published = [], rejectedBefore } = script;
      const seenUploads = rejectedBefore ? { [rejectedBefore]: OLD_UPLOAD } : {};
      return { refused, published, seenUploads };
    },
    async copyPackage({ source, requestedAtMs, landingId }) {
      askedSince.push(requestedAtMs);
      askedFor.push(landingId);
      calls.push(`copy ${source}`);
      if (source === script.unanswered)
        throw ApplicationFailure.nonRetryable('Launchpad does not answer', 'PpaUnavailableError');
      if (source === script.uncopied) throw ApplicationFailure.nonRetryable('the link broke');
      return source === script.refusedLate ? { refused: 'Not today.' } : {};
    },
    pollTarget: unwatched,
    async pollTargets({ packages, seenUploads, requestedAtMs, landingId }) {
      askedSince.push(requestedAtMs);
      askedFor.push(landingId);
      rounds += 1;
      if (packages.every(({ source }) => source === script.unasked))
        throw ApplicationFailure.nonRetryable('the link broke');
      return packages.map(({ source }) => {
        const held = { source, isPublished: false };
        if (source === script.unasked) return { ...held, fault: 'the link broke' };
        if (source === script.rejectedBefore && seenUploads[source] !== OLD_UPLOAD)
          return { ...held, held: 'Rejected' };
        if (source === script.letInLater) {
          const isLater = rounds > 1;
          return isLater ? { source, isPublished: true } : { ...held, held: 'Rejected' };
        }
        if (source === script.lastOut) return { source, isPublished: rounds > 2 };
        if (source !== script.unseen) return { source, isPublished: true };
        return { ...held, ...(script.held ? { held: script.held } : {}) };
      });
    },
  };
  return {
    activities,
    reports,
    calls,
    askedBy,
    askedSince,
    askedFor,
    resume: () => (pausedBy = null),
    /** From now on the target shows all. */
    show: () => delete script.unseen,
  };
}

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  connection = await Connection.connect({ address: temporalAddress() });
  nativeConnection = await NativeConnection.connect({ address: temporalAddress() });
  client = new Client({ connection });
  const own = () => {
    const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
    const scene = scenes.get(workflowId);
    if (!scene) throw ApplicationFailure.nonRetryable(`no scene has the workflow ${workflowId}`);
    return scene.activities;
  };
  worker = await Worker.create({
    connection: nativeConnection,
    taskQueue,
    workflowBundle: { codePath: workflowBundle() },
    activities: {
      ...activitiesOfScenes((workflowId) => builds.get(workflowId)),
      reportLanding: (input) => own().reportLanding(input),
      claimPackages: (input) => own().claimPackages(input),
      leasePpa: (input) => own().leasePpa(input),
      orderBuilds: (input) => own().orderBuilds(input),
      checkArchitectures: (input) => own().checkArchitectures(input),
      openBuild: (input) => own().openBuild(input),
      readPause: (input) => own().readPause(input),
      ...UNTESTED,
      checkCopies: (input) => own().checkCopies(input),
      copyPackage: (input) => own().copyPackage(input),
      pollTarget: (input) => own().pollTarget(input),
      pollTargets: (input) => own().pollTargets(input),
    } satisfies LandingActivities & ReturnType<typeof activitiesOfScenes>,
    maxHeartbeatThrottleInterval: 20,
    defaultHeartbeatThrottleInterval: 20,
  });
  stopped = worker.run();
});

afterAll(async () => {
  worker.shutdown();
  await stopped;
  await connection.close();
  await nativeConnection.close();
});

/** Starts a landing whose activities play the script. @param ofTicket its packages as the ticket names them */
async function land(
  script: Script,
  limits: Partial<LandingLimits> = {},
  ofTicket = script.levels.flat(),
) {
  const landingId = (landings += 1);
  const workflowId = `${landingWorkflowId({ id: landingId, ticketId: 3, attempt: 1 })}-${randomUUID()}`;
  const scene = scripted(script);
  scenes.set(workflowId, scene);
  const input: LandingInput = {
    landingId,
    ticketId: 3,
    attempt: 1,
    ...(script.attemptKey ? { attemptKey: script.attemptKey } : {}),
    ...(script.requestedAtMs ? { requestedAtMs: script.requestedAtMs } : {}),
    packages: ofTicket.map((source, index) => ({
      subticketId: index + 1,
      source,
      version: '1',
      files: [`http://store/${source}_1_source.changes`],
    })),
    ...(script.leases ? {} : { ppa: { owner: 'airline', distribution: 'debian', name: 'silo' } }),
    target: { archive: '~airline/debian/landed', series: 'bookworm', pocket: 'Release' },
    limits: { ...LANDING_LIMITS, ...limits },
    buildLimits: BUILD_LIMITS,
    ...(script.leasingAtMs === undefined
      ? {}
      : { resumed: { queuedAtMs: 1, reports: 3, leasingAtMs: script.leasingAtMs } }),
    ...(script.policy
      ? { policy: { ...DEFAULT_LANDING_POLICY, tests: 'none', ...script.policy } }
      : {}),
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
  const inPhase = (phase: LandingStatus['phase']) =>
    until(
      phase,
      async () => (await queryWorkflow<LandingStatus>(handle, STATUS_QUERY)).phase === phase,
      PATIENCE_MS,
    );
  return {
    ...scene,
    landingId,
    handle,
    inPhase,
    decide: async (decision: 'approve' | 'reject') => {
      await inPhase('approving');
      await handle.signal(DECIDE_SIGNAL, { ...APPROVAL, decision });
    },
    phases: () => [...new Set(scene.reports.map(({ phase }) => phase))],
    partStates: () => scene.reports.at(-1)?.parts?.map(({ state }) => state),
    /** How a package stands, and in which build, as the reports say one after the other. */
    told: (source: string) => {
      const told = scene.reports.map(({ parts = [] }) => {
        const part = parts.find((one) => one.source === source);
        return `${part?.state ?? 'untold'}${part?.build_id ? ` in ${part.build_id % 100}` : ''}`;
      });
      return told.filter((one, index) => one !== told[index - 1]);
    },
    /** What cannot be published any more, as the reports say one after the other. */
    unpublishable: () => {
      const sources = (parts: readonly LandingPart[] = []) =>
        parts.filter((part) => part.unpublishable).map(({ source }) => source);
      const told = scene.reports.map(({ parts }) => sources(parts).join(', '));
      return told.filter((one, index) => one !== told[index - 1]);
    },
    levels: () => scene.reports.at(-1)?.parts?.map(({ level }) => level),
    /** The workflow id of the build of a package, and what was asked of its activities; once it polls the PPA. */
    buildOf: (source: string) =>
      until(
        `${source} builds`,
        async () => {
          const id = `build-${landingId * 100 + script.levels.flat().indexOf(source)}-ticket-3-${source}-1`;
          const build = builds.get(id);
          return build !== undefined && build.polls() > 0 && { id, ...build };
        },
        PATIENCE_MS,
      ),
  };
}

type Landed = Awaited<ReturnType<typeof land>>;

describe('LandTicketWorkflow', () => {
  test.concurrent('builds in order, waits for an approval and publishes in order', async () => {
    const landing = await land({ levels: [['lib'], ['tool', 'docs']] }, {}, [
      'docs',
      'tool',
      'lib',
    ]);
    await landing.decide('approve');
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
    expect(landing.phases()).toEqual(['queued', 'building', 'approving', 'publishing', 'complete']);
    expect(landing.calls[0]).toBe('build lib');
    expect(landing.calls.slice(1, 3).toSorted()).toEqual(['build docs', 'build tool']);
    expect(landing.calls.slice(3)).toEqual(['check', 'copy lib', 'copy tool', 'copy docs']);
    expect(landing.partStates()).toEqual(['published', 'published', 'published']);
    expect(landing.levels()).toEqual([1, 1, 0]);
  });

  test.concurrent('takes no signal for an approval that says something else', async () => {
    const landing = await land({ levels: [['lib']], built: ['lib'] });
    await landing.inPhase('approving');
    for (const given of [undefined, 'x', {}, { ...APPROVAL, decision: 'aprove' }])
      await landing.handle.signal(DECIDE_SIGNAL, given);
    await landing.decide('reject');
    expect(await landing.handle.result()).toMatchObject({ failure: { class: 'not_approved' } });
    expect(landing.calls).toEqual(['build lib']);
  });

  test.concurrent('waits for the landings before it, and names them', async () => {
    const first = { landing_id: 5, ticket_id: 9 };
    const landing = await land({
      levels: [['lib']],
      ahead: [[first], [first], []],
      built: ['lib'],
    });
    await landing.decide('approve');
    await landing.handle.result();
    const waits = landing.reports.filter(({ ahead }) => ahead);
    expect(waits).toMatchObject([{ phase: 'queued', ahead: [first] }]);
  });

  test.concurrent('gives up a line that does not move', async () => {
    const ahead = Array.from({ length: 100_000 }, () => [{ landing_id: 5, ticket_id: 9 }]);
    const landing = await land({ levels: [['lib']], ahead }, { queueMs: 1, pollMs: 1 });
    expect(await landing.handle.result()).toMatchObject({
      phase: 'failed',
      failure: {
        class: 'queue_timed_out',
        message: expect.stringMatching(/landing 5 \(ticket 9\)/),
      },
    });
    expect(landing.calls).toEqual([]);
  });

  test.concurrent('names its attempt by its key wherever it asks its row', async () => {
    const attemptKey = randomUUID();
    const landing = await land({ levels: [['lib']], leases: [], built: ['lib'], attemptKey });
    await landing.decide('approve');
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
    expect(landing.calls.slice(0, 2)).toEqual(['lease', 'build lib']);
    expect(landing.askedBy).toEqual([attemptKey, attemptKey]);
    expect(new Set(landing.reports.map((report) => report.attemptKey))).toEqual(
      new Set([attemptKey]),
    );
  });

  test.concurrent(
    'takes a PPA of the pool where it names none, and says what it waits for',
    async () => {
      const ahead = [{ landing_id: 5, ticket_id: 9 }];
      const waitsFor = '~airline/debian/pool-1, which landing 5 holds';
      const landing = await land({
        levels: [['lib']],
        leases: [
          { ahead, waitsFor },
          { ahead, waitsFor },
        ],
        built: ['lib'],
      });
      await landing.decide('approve');
      expect(await landing.handle.result()).toEqual({ phase: 'complete' });
      expect(landing.phases()).toEqual([
        'queued',
        'leasing',
        'building',
        'approving',
        'publishing',
        'complete',
      ]);
      const waits = landing.reports.filter((report) => report.waitsFor !== undefined);
      expect(waits).toMatchObject([{ phase: 'leasing', ahead, waitsFor }]);
      expect(landing.calls).toEqual([
        'lease',
        'lease',
        'lease',
        'build lib',
        'check from the pool',
        'copy lib',
      ]);
    },
  );

  test.concurrent.each([
    ['it waits for its turn', ['queued'], { pausedIn: 'queued', ahead: IN_LINE }],
    ['it waits for a PPA', ['queued', 'leasing'], { pausedIn: 'leasing', leases: NO_PPA }],
    [
      'it waits for a PPA and continues as new',
      ['leasing'],
      { isPausedBefore: true, leases: NO_PPA, leasingAtMs: Date.now() },
    ],
  ] as const)(
    'that is paused while %s neither goes on nor loses its time',
    async (_, phases, script: Partial<Script>) => {
      const WAIT_MS = 600_000;
      const beganAtMs = script.leasingAtMs ?? Date.now();
      const landing = await land(
        { levels: [['lib']], policy: {}, ...script },
        { queueMs: WAIT_MS, leaseMs: WAIT_MS, pollMs: 2 * WAIT_MS },
      );
      const isPaused = async () =>
        (await queryWorkflow<LandingStatus>(landing.handle, STATUS_QUERY)).paused_by === 'ann';
      await until('it is paused', isPaused, PATIENCE_MS);
      const pausedAtMs = Date.now();
      await until('a long pause', () => Date.now() - pausedAtMs >= PAUSE_MS, PATIENCE_MS);
      expect(landing.calls).toEqual([]);
      expect(landing.reports.filter(({ ahead }) => ahead)).toEqual([]);
      const pausedMs = Date.now() - pausedAtMs;
      landing.resume();
      await landing.handle.signal(WAKE_SIGNAL);
      await until(
        'it says for what it waits',
        async () => landing.reports.some(({ ahead }) => ahead),
        PATIENCE_MS,
      );
      await landing.handle.signal(CANCEL_SIGNAL, 'ann');
      expect(await landing.handle.result()).toMatchObject({ failure: { phase: phases.at(-1) } });
      expect(landing.phases()).toEqual([...phases, 'cancelled']);
      const { events } = await landing.handle.fetchHistory();
      const ends = (events ?? []).flatMap(({ eventTime, timerStartedEventAttributes: timer }) =>
        timer ? [tsToMs(eventTime) + tsToMs(timer.startToFireTimeout)] : [],
      );
      expect(ends.at(-1)).toBeGreaterThanOrEqual(beganAtMs + pausedMs + WAIT_MS);
    },
  );

  test.concurrent('gives up where no PPA of the pool becomes free, and says which', async () => {
    const waitsFor = 'a PPA: the pool has none of debian';
    const leases = Array.from({ length: 100_000 }, () => ({ ahead: [], waitsFor }));
    const landing = await land({ levels: [['lib']], leases }, { leaseMs: 1, pollMs: 1 });
    expect(await landing.handle.result()).toMatchObject({
      phase: 'failed',
      failure: {
        class: 'no_ppa_free',
        phase: 'leasing',
        retryable: true,
        message: `it waited too long for ${waitsFor}`,
      },
    });
  });

  test.concurrent('a cancellation ends the wait for its turn', async () => {
    const ahead = Array.from({ length: 100_000 }, () => [{ landing_id: 5, ticket_id: 9 }]);
    const landing = await land({ levels: [['lib']], ahead });
    await landing.inPhase('queued');
    await landing.handle.signal(CANCEL_SIGNAL, 'ann');
    expect(await landing.handle.result()).toMatchObject({
      phase: 'cancelled',
      failure: { phase: 'queued', message: 'cancelled by ann' },
    });
    expect(landing.calls).toEqual([]);
  });

  test.concurrent(
    'ends by its own report where a worker that died had taken another way',
    async () => {
      const first = [{ landing_id: 5, ticket_id: 9 }];
      const other = await land({ levels: [['lib']], ahead: [first], built: ['lib'] });
      await other.inPhase('approving');
      const landing = await land({
        levels: [['lib']],
        ahead: Array.from({ length: 100_000 }, () => first),
        reported: other.reports.slice(2),
      });
      await until(
        'it says for whom it waits',
        async () => landing.reports.some(({ ahead }) => ahead),
        PATIENCE_MS,
      );
      await landing.handle.signal(CANCEL_SIGNAL, 'ann');
      expect(await landing.handle.result()).toMatchObject({ phase: 'cancelled' });
      expect(landing.reports.at(-1)).toMatchObject({ phase: 'cancelled' });
    },
  );

  test.concurrent('says for whom it waits where a worker that died had met it paused', async () => {
    const first = { landing_id: 5, ticket_id: 9 };
    const other = await land({ levels: [['lib']], policy: {}, isPausedBefore: true });
    await until('it is paused', () => other.reports.length === 2, PATIENCE_MS);
    const landing = await land({
      levels: [['lib']],
      policy: {},
      ahead: [[first], []],
      built: ['lib'],
      reported: other.reports.slice(0, 2),
    });
    await landing.decide('approve');
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
    expect(landing.reports.filter(({ ahead }) => ahead)).toMatchObject([{ ahead: [first] }]);
    await other.handle.signal(CANCEL_SIGNAL, 'ann');
    await other.handle.result();
  });

  test.concurrent('a cancellation ends the wait for a PPA', async () => {
    const leases = Array.from({ length: 100_000 }, () => ({ ahead: [], waitsFor: 'a PPA' }));
    const landing = await land({ levels: [['lib']], leases });
    await landing.inPhase('leasing');
    await landing.handle.signal(CANCEL_SIGNAL, 'ann');
    expect(await landing.handle.result()).toMatchObject({
      phase: 'cancelled',
      failure: { phase: 'leasing' },
    });
  });

  test.concurrent(
    'a package whose prerequisite fails is not built, and the build is named',
    async () => {
      const landing = await land({
        levels: [['lib', 'other'], ['tool']],
        builds: { lib: { polls: [{ builds: ['Failed to build'] }] } },
      });
      expect(await landing.handle.result()).toMatchObject({
        phase: 'failed',
        failure: { class: 'build_failed', package: 'lib', phase: 'building', retryable: true },
      });
      expect(landing.partStates()).toEqual(['failed', 'built', 'not_built']);
      expect(landing.calls.toSorted()).toEqual(['build lib', 'build other']);
    },
  );

  test.concurrent(
    'packages beside each other are told in order, also where a report is tried again',
    async () => {
      const landing = await land({
        levels: [['lib', 'tool']],
        untold: { source: 'lib', at: 'first try' },
      });
      await landing.decide('reject');
      await landing.handle.result();
      expect(landing.told('lib')).toEqual(['waiting', 'building in 0', 'built in 0']);
      expect(landing.told('tool')).toEqual(['waiting', 'building in 1', 'built in 1']);
    },
  );

  test.concurrent('a report that fails for good keeps no other from being made', async () => {
    const landing = await land({
      levels: [['lib', 'tool']],
      untold: { source: 'lib', at: 'first try, for good' },
    });
    await expect(landing.handle.result()).rejects.toThrow();
    expect(landing.told('tool')).toEqual(['waiting', 'building in 1', 'built in 1']);
  });

  test.concurrent(
    "Temporal's own cancellation ends it while a report is tried again and again",
    async () => {
      const landing = await land({
        levels: [['lib', 'tool']],
        untold: { source: 'lib', at: 'any try' },
      });
      await until('it builds', () => landing.calls.length === 2, PATIENCE_MS);
      await landing.handle.cancel();
      await expect(landing.handle.result()).rejects.toThrow();
      expect(landing.reports.at(-1)).toMatchObject({ phase: 'cancelled' });
    },
  );

  test.concurrent('packages that fail beside each other are all named', async () => {
    const fails = { polls: [{ builds: ['Failed to build'] }] };
    const landing = await land({
      levels: [['lib', 'other']],
      builds: { lib: fails, other: fails },
    });
    expect(await landing.handle.result()).toMatchObject({
      failure: {
        class: 'build_failed',
        package: 'lib',
        packages: ['lib', 'other'],
        message: expect.stringMatching(
          /^build \d+00 of lib failed: .*; build \d+01 of other failed: /,
        ),
      },
    });
    expect(landing.partStates()).toEqual(['failed', 'failed']);
  });

  test.concurrent('a circle ends it before anything is built', async () => {
    const landing = await land({ levels: [['a', 'b']], circle: true });
    expect(await landing.handle.result()).toMatchObject({
      failure: { class: 'dependency_cycle', message: 'a needs b, b needs a' },
    });
    expect(landing.calls).toEqual([]);
  });

  test.concurrent(
    'a cancellation ends it while the host of its sources does not answer',
    async () => {
      const landing = await land({ levels: [['a']], isSourceHostAway: true });
      await until('its sources are read', async () => landing.calls.length > 0, PATIENCE_MS);
      await landing.handle.signal(CANCEL_SIGNAL, 'ann');
      expect(await landing.handle.result()).toMatchObject({
        phase: 'cancelled',
        failure: { message: 'cancelled by ann', phase: 'building' },
      });
      expect(landing.calls).toEqual(['order']);
    },
  );

  test.concurrent('a source of another version than its subticket ends it for good', async () => {
    const landing = await land({ levels: [['a']], mismatch: true });
    expect(await landing.handle.result()).toMatchObject({
      failure: { class: 'invalid_source', retryable: false, message: 'a is of another version' },
    });
    expect(landing.calls).toEqual([]);
  });

  test.concurrent.each([
    [
      'an architecture of the policy that something is not built on ends it',
      true,
      {
        class: 'architecture_missing',
        retryable: false,
        message: 'not built on arm64, which the policy names: a',
      },
    ],
    [
      'packages that the PPA did not list are not said to lack an architecture',
      false,
      {
        class: 'service_unavailable',
        retryable: true,
        message: 'not known to be built on arm64, as the PPA did not list the packages of a',
      },
    ],
  ])('%s', async (_, isListed, failure) => {
    const landing = await land({
      levels: [['a']],
      built: ['a'],
      policy: { architectures: ['amd64', 'arm64'] },
      builtOn: ['amd64'],
      isListed,
    });
    expect(await landing.handle.result()).toMatchObject({ failure });
  });

  test.concurrent('a freeze that is on when it would be published ends it', async () => {
    const freeze = {
      from: '2000-01-01T00:00:00Z',
      until: '2100-01-01T00:00:00Z',
      why: 'a release',
    };
    const landing = await land({
      levels: [['a']],
      built: ['a'],
      policy: { architectures: ['amd64'], freezes: [{ ...freeze, exempt: [] }] },
    });
    await landing.decide('approve');
    expect(await landing.handle.result()).toMatchObject({
      failure: {
        class: 'frozen',
        phase: 'approving',
        message: 'the target is frozen until 2100-01-01T00:00:00Z: a release',
      },
    });
    expect(landing.calls).toEqual(['build a']);
  });

  test.concurrent('what is built already is not built again', async () => {
    const landing = await land({ levels: [['lib'], ['tool']], built: ['lib'] });
    await landing.decide('approve');
    await landing.handle.result();
    const ownId = String((landing.reports[0]?.landingId ?? 0) * 100);
    expect([...builds.keys()].filter((id) => id.startsWith(`build-${ownId}-`))).toEqual([]);
    expect(landing.partStates()).toEqual(['published', 'published']);
  });

  test.concurrent('a question about all packages has time for a hundred of them', async () => {
    const landing = await land({ levels: [['lib']], built: ['lib'] });
    await landing.decide('approve');
    await landing.handle.result();
    const { events } = await landing.handle.fetchHistory();
    const limits = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: asked }) =>
      asked ? [[asked.activityType?.name, tsToMs(asked.startToCloseTimeout)]] : [],
    );
    const { orderBuilds, checkCopies } = Object.fromEntries(limits) as Record<string, number>;
    expect(Math.min(orderBuilds ?? 0, checkCopies ?? 0)).toBeGreaterThan(100 * 5_000);
  });

  test.concurrent('a rejection publishes nothing', async () => {
    const landing = await land({ levels: [['lib']], built: ['lib'] });
    await landing.decide('reject');
    expect(await landing.handle.result()).toMatchObject({
      failure: { class: 'not_approved', message: 'rejected by ann: tried by hand' },
    });
    expect(landing.calls).toEqual(['build lib']);
  });

  test.concurrent('an approval that does not come in time publishes nothing', async () => {
    const landing = await land({ levels: [['lib']], built: ['lib'] }, { approvalMs: 1 });
    expect(await landing.handle.result()).toMatchObject({
      failure: { class: 'approval_timed_out', phase: 'approving' },
    });
    expect(landing.calls).toEqual(['build lib']);
  });

  test.concurrent(
    'an approval that was accepted in time counts, though nobody told it',
    async () => {
      const landing = await land(
        { levels: [['lib']], built: ['lib'], approvedAtReport: 2 },
        { approvalMs: 1 },
      );
      expect(await landing.handle.result()).toEqual({ phase: 'complete' });
    },
  );

  test.concurrent('a pause that was accepted in time counts, though nobody told it', async () => {
    const landing = await land(
      { levels: [['lib']], built: ['lib'], policy: {}, pausedAtReport: 2 },
      { approvalMs: 1 },
    );
    expect(await landing.handle.result()).toMatchObject({ failure: { class: 'pause_timed_out' } });
  });

  test.concurrent('its end that was accepted in time counts, though nobody told it', async () => {
    const script = { pausedIn: 'approving', resumedAtReport: 3, approvedAtReport: 5 } as const;
    const landing = await land(
      { levels: [['lib']], built: ['lib'], policy: {}, ...script },
      { approvalMs: 1 },
    );
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
  });

  test.concurrent('a refused copy is found before the first one is sent', async () => {
    const landing = await land({
      levels: [['lib', 'tool']],
      built: ['lib', 'tool'],
      refused: { tool: '2 is published there' },
    });
    await landing.decide('approve');
    expect(await landing.handle.result()).toMatchObject({
      failure: {
        class: 'copy_refused',
        package: 'tool',
        message: 'tool: 2 is published there; nothing is published',
      },
    });
    expect(landing.calls).toEqual(['build lib', 'build tool', 'check']);
  });

  test.concurrent(
    'all copies that are refused before the first one is sent are named',
    async () => {
      const sources = ['lib', 'tool'];
      const refused = { lib: '3 is published there', tool: '2 is published there' };
      const landing = await land({ levels: [sources], built: sources, refused });
      await landing.decide('approve');
      expect(await landing.handle.result()).toMatchObject({
        failure: {
          class: 'copy_refused',
          package: 'lib',
          packages: sources,
          message: 'lib: 3 is published there; tool: 2 is published there; nothing is published',
        },
      });
    },
  );

  test.concurrent('a refused copy names what an earlier attempt has published', async () => {
    const sources = ['lib', 'tool'];
    const landing = await land({
      levels: [sources],
      built: sources,
      publishedBefore: ['lib'],
      refused: { tool: '2 is published there' },
    });
    await landing.decide('approve');
    expect(await landing.handle.result()).toMatchObject({
      failure: { package: 'tool', message: 'tool: 2 is published there; published: lib 1' },
    });
    expect(landing.partStates()).toEqual(['published', 'built']);
  });

  test.concurrent.each([
    ['tool', 'published: lib 1', ['published', 'built']],
    ['lib', 'published: tool 1', ['built', 'published']],
  ])(
    'a copy that the target never shows ends it, with what is published named: %s',
    async (unseen, published, states) => {
      const landing = await land(
        { levels: [['lib', 'tool']], built: ['lib', 'tool'], unseen, held: 'Unapproved' },
        { publicationMs: WAITED_OUT_MS },
      );
      await landing.decide('approve');
      expect(await landing.handle.result()).toMatchObject({
        failure: {
          class: 'copy_not_seen',
          message: `${unseen}: it is held as Unapproved; ${published}`,
        },
      });
      expect(landing.partStates()).toEqual(states);
    },
  );

  test.concurrent(
    'a copy that waits for a person says so, and keeps no other waiting',
    async () => {
      const sources = ['lib', 'tool'];
      const landing = await land({
        levels: [sources],
        built: sources,
        unseen: 'lib',
        held: 'Unapproved',
      });
      await landing.decide('approve');
      const waits = () => landing.reports.filter(({ waitsFor }) => waitsFor !== undefined);
      await until('it says so', () => waits().length > 0, PATIENCE_MS);
      expect(waits()).toMatchObject([
        {
          phase: 'publishing',
          waitsFor: 'a person to let in lib (Unapproved) at ~airline/debian/landed bookworm',
          parts: [{ state: 'built' }, { state: 'published' }],
        },
      ]);
      landing.show();
      expect(await landing.handle.result()).toEqual({ phase: 'complete' });
      expect(waits()).toHaveLength(1);
    },
  );

  test.concurrent('a copy that is refused is told while others are waited for', async () => {
    const sources = ['lib', 'tool'];
    const script = { unseen: 'lib', refusedLate: 'tool' };
    const landing = await land({ levels: [sources], built: sources, ...script });
    await landing.decide('approve');
    const waits = () => landing.reports.flatMap(({ waitsFor }) => waitsFor ?? []);
    await until('it says so', () => waits().length > 0, PATIENCE_MS);
    expect(waits()).toEqual(['lib to be published, and fails then: tool: Not today.']);
    expect(landing.unpublishable()).toEqual(['', 'tool']);
    landing.show();
    expect(await landing.handle.result()).toMatchObject({
      failure: { message: 'tool: Not today.; published: lib 1' },
    });
  });

  test.concurrent.each([
    [
      'may come out all the same',
      ['lib', 'tool'],
      'tool to be published, and fails if tool does not come out: Launchpad does not answer',
      { phase: 'complete' },
    ],
    [
      'fails what was not sent after it, whether it comes out or not',
      ['lib', 'tool', 'docs'],
      'tool to be published, and fails then: docs: not sent, as the copy of tool had no answer',
      { phase: 'failed', failure: { package: 'docs' } },
    ],
  ])('while it is waited for, a copy without an answer %s', async (_, sources, words, outcome) => {
    const script = { unanswered: 'tool', unseen: 'tool' };
    const landing = await land({ levels: [sources], built: sources, ...script });
    await landing.decide('approve');
    const waits = () => landing.reports.flatMap(({ waitsFor }) => waitsFor ?? []);
    await until('it says so', () => waits().length > 0, PATIENCE_MS);
    landing.show();
    expect(await landing.handle.result()).toMatchObject(outcome);
    expect(waits()).toEqual([words]);
  });

  test.concurrent(
    'a copy that somebody rejects ends it once the others are published',
    async () => {
      const sources = ['lib', 'tool'];
      const landing = await land({
        levels: [sources],
        built: sources,
        unseen: 'lib',
        held: 'Rejected',
      });
      await landing.decide('approve');
      expect(await landing.handle.result()).toMatchObject({
        failure: {
          class: 'copy_refused',
          message: 'lib: somebody rejected it there; published: tool 1',
        },
      });
    },
  );

  test.concurrent(
    'one whose other copy is let in is published, though one was rejected',
    async () => {
      const sources = ['lib', 'tool'];
      const landing = await land({
        levels: [sources],
        built: sources,
        letInLater: 'lib',
        lastOut: 'tool',
      });
      await landing.decide('approve');
      expect(await landing.handle.result()).toEqual({ phase: 'complete' });
      expect(landing.partStates()).toEqual(['published', 'published']);
      expect(landing.unpublishable()).toEqual(['', 'lib', '']);
    },
  );

  test.concurrent(
    'a package that the target cannot speak of is told apart in the end',
    async () => {
      const sources = ['lib', 'tool', 'docs'];
      const landing = await land(
        { levels: [sources], built: sources, unasked: 'lib', unseen: 'tool' },
        { publicationMs: WAITED_OUT_MS },
      );
      await landing.decide('approve');
      expect(await landing.handle.result()).toMatchObject({
        failure: {
          class: 'service_unavailable',
          packages: ['lib', 'tool'],
          message:
            'lib: the target does not say whether it has it: the link broke; tool: the target does not show it; published: docs 1',
        },
      });
    },
  );

  test.concurrent('what was rejected before its copies says nothing of them', async () => {
    const sources = ['lib', 'tool'];
    const landing = await land({ levels: [sources], built: sources, rejectedBefore: 'tool' });
    await landing.decide('approve');
    await landing.handle.result();
    expect(landing.partStates()).toEqual(['published', 'published']);
  });

  test.concurrent('the target is asked for the landing, since its first request', async () => {
    const requestedAtMs = Date.parse('2026-01-01T12:00:00Z');
    const landing = await land({ levels: [['lib']], built: ['lib'], requestedAtMs });
    await landing.decide('approve');
    await landing.handle.result();
    expect(landing.askedSince).toEqual([requestedAtMs, requestedAtMs, requestedAtMs]);
    expect(new Set(landing.askedFor)).toEqual(new Set([landing.landingId]));
  });

  test.concurrent('a copy that is refused ends it once those before it are published', async () => {
    const sources = ['lib', 'tool', 'docs'];
    const landing = await land({ levels: [sources], built: sources, refusedLate: 'tool' });
    await landing.decide('approve');
    expect(await landing.handle.result()).toMatchObject({
      failure: {
        class: 'copy_refused',
        package: 'tool',
        message: 'tool: Not today.; published: lib 1',
      },
    });
    expect(landing.partStates()).toEqual(['published', 'built', 'built']);
    expect(landing.calls.slice(-2)).toEqual(['copy lib', 'copy tool']);
  });

  test.concurrent(
    'a copy that is refused beside one that nobody can ask for names both',
    async () => {
      const sources = ['lib', 'tool', 'docs'];
      const script = { refusedLate: 'docs', unasked: 'lib' };
      const landing = await land({ levels: [sources], built: sources, ...script });
      await landing.decide('approve');
      expect(await landing.handle.result()).toMatchObject({
        failure: {
          class: 'copy_refused',
          package: 'docs',
          packages: ['docs', 'lib'],
          message: 'docs: Not today.; lib: the link broke; published: tool 1',
        },
      });
      expect(landing.partStates()).toEqual(['built', 'published', 'built']);
    },
  );

  test.concurrent.each([
    [
      'a copy that cannot be sent ends it once the others are published',
      { uncopied: 'tool' },
      'tool',
      'lib 1',
      ['published', 'built', 'built'],
    ],
    [
      'a target that cannot be asked after a copy ends it once the others are published',
      { unasked: 'lib' },
      'lib',
      'tool 1, docs 1',
      ['built', 'published', 'published'],
    ],
  ] as const)('%s', async (_, script, source, out, states) => {
    const sources = ['lib', 'tool', 'docs'];
    const landing = await land({ levels: [sources], built: sources, ...script });
    await landing.decide('approve');
    expect(await landing.handle.result()).toMatchObject({
      phase: 'failed',
      failure: {
        class: 'internal',
        phase: 'publishing',
        package: source,
        message: `${source}: the link broke; published: ${out}`,
      },
    });
    expect(landing.partStates()).toEqual(states);
  });

  test.concurrent(
    'whether a copy has arrived that Launchpad did not answer is seen in the target',
    async () => {
      const sources = ['lib', 'tool', 'docs'];
      const landing = await land({ levels: [sources], built: sources, unanswered: 'docs' });
      await landing.decide('approve');
      expect(await landing.handle.result()).toEqual({ phase: 'complete' });
      expect(landing.partStates()).toEqual(['published', 'published', 'published']);
      expect(landing.unpublishable()).toEqual(['']);
    },
  );

  test.concurrent(
    'what is not sent after a copy that Launchpad did not answer keeps it from being complete',
    async () => {
      const sources = ['lib', 'tool', 'docs', 'extra'];
      const script = { unanswered: 'tool', publishedBefore: ['extra'] };
      const landing = await land({ levels: [sources], built: sources, ...script });
      await landing.decide('approve');
      expect(await landing.handle.result()).toMatchObject({
        phase: 'failed',
        failure: {
          class: 'service_unavailable',
          package: 'docs',
          message:
            'docs: not sent, as the copy of tool had no answer; published: lib 1, tool 1, extra 1',
        },
      });
      expect(landing.partStates()).toEqual(['published', 'published', 'built', 'published']);
      expect(landing.unpublishable()).toEqual(['', 'docs']);
    },
  );

  test.concurrent(
    'a copy that Launchpad did not answer, and that the target does not show, is why it fails',
    async () => {
      const sources = ['lib', 'tool', 'docs'];
      const landing = await land(
        { levels: [sources], built: sources, unanswered: 'tool', unseen: 'tool' },
        { publicationMs: WAITED_OUT_MS },
      );
      await landing.decide('approve');
      expect(await landing.handle.result()).toMatchObject({
        failure: {
          class: 'service_unavailable',
          package: 'tool',
          message: 'tool: Launchpad does not answer; published: lib 1',
        },
      });
    },
  );

  test.concurrent('a cancellation stops what runs in the PPA, and says who asked', async () => {
    const landing = await land({
      levels: [['lib'], ['tool']],
      builds: {
        lib: { polls: [{ builds: ['Currently building'] }], afterCancel: ['Cancelled build'] },
      },
    });
    await until(
      'a build',
      async () => {
        const { parts } = await queryWorkflow<LandingStatus>(landing.handle, STATUS_QUERY);
        return parts[0]?.state === 'building';
      },
      PATIENCE_MS,
    );
    await landing.handle.signal(CANCEL_SIGNAL, 'ann (request 7)');
    expect(await landing.handle.result()).toMatchObject({
      phase: 'cancelled',
      failure: { class: 'cancelled', message: 'cancelled by ann (request 7)', phase: 'building' },
    });
    expect(landing.calls).toEqual(['build lib']);
    expect(landing.partStates()).toEqual(['failed', 'waiting']);
  });

  test.concurrent(
    "Temporal's own cancellation ends it once all builds beside each other have ended",
    async () => {
      const builds = ['Currently building'];
      const landing = await land({
        levels: [['lib', 'tool']],
        builds: {
          lib: { polls: [{ builds }], afterCancel: ['Cancelled build'] },
          tool: { polls: [{ builds }], afterCancel: ['Cancelled build'], cancellingPolls: 10 },
        },
      });
      await landing.buildOf('lib');
      const tool = await landing.buildOf('tool');
      await landing.handle.cancel();
      await expect(landing.handle.result()).rejects.toThrow();
      expect(landing.reports.at(-1)).toMatchObject({ phase: 'cancelled' });
      expect(tool.reports.at(-1)).toMatchObject({ message: 'FAILURE' });
    },
  );

  test.concurrent(
    'a build that an earlier attempt has left under way fails it, and is named',
    async () => {
      const earlier = await land({
        levels: [['lib']],
        builds: {
          lib: { polls: [{ builds: ['Currently building'] }], afterCancel: ['Cancelled build'] },
        },
      });
      const { id } = await earlier.buildOf('lib');
      const landing = await land({ levels: [['lib']], underWay: { lib: id } });
      expect(await landing.handle.result()).toMatchObject({
        phase: 'failed',
        failure: {
          class: 'build_failed',
          retryable: true,
          package: 'lib',
          build_id: expect.any(Number),
          message: expect.stringMatching(/^build \d+ of lib failed: it has not ended since/),
        },
      });
      expect(landing.partStates()).toEqual(['failed']);
      await earlier.handle.signal(CANCEL_SIGNAL, 'ann');
      await earlier.handle.result();
    },
  );

  test.concurrent('a cancellation while it waits for an approval publishes nothing', async () => {
    const landing = await land({ levels: [['lib']], built: ['lib'] });
    await landing.inPhase('approving');
    await landing.handle.signal(CANCEL_SIGNAL, 'ann');
    expect(await landing.handle.result()).toMatchObject({ phase: 'cancelled' });
    expect(landing.calls).toEqual(['build lib']);
  });

  test.concurrent.each([
    [
      'a cancellation that comes among its copies changes nothing',
      ({ handle }: Landed) => handle.signal(CANCEL_SIGNAL, 'ann'),
    ],
    [
      "Temporal's own cancellation among its copies changes nothing",
      ({ handle }: Landed) => handle.cancel(),
    ],
  ])('%s', async (_, cancel) => {
    const landing = await land({ levels: [['lib']], built: ['lib'], unseen: 'lib' });
    await landing.decide('approve');
    await until('its copy is sent', async () => landing.calls.includes('copy lib'), PATIENCE_MS);
    await cancel(landing);
    // What answers knows of the cancellation. It might end the landing where that next waits for the target: the next
    // question may have been on its way before, the one after it was not.
    await queryWorkflow<LandingStatus>(landing.handle, STATUS_QUERY);
    const known = landing.askedSince.length;
    const isOver = () => landing.phases().at(-1) !== 'publishing';
    await until(
      'it asks the target twice more',
      () => isOver() || landing.askedSince.length >= known + 2,
      PATIENCE_MS,
    );
    landing.show();
    expect(await landing.handle.result()).toEqual({ phase: 'complete' });
    expect(landing.partStates()).toEqual(['published']);
  });

  test.concurrent('a cancellation that comes with the approval publishes nothing', async () => {
    const landing = await land({ levels: [['lib']], built: ['lib'], isCancelledInRow: true });
    await landing.decide('approve');
    await landing.handle.signal(CANCEL_SIGNAL, 'ann');
    expect(await landing.handle.result()).toMatchObject({
      phase: 'cancelled',
      failure: { message: 'cancelled by ann' },
    });
    expect(landing.calls).toEqual(['build lib']);
  });

  test.concurrent(
    'a cancellation that no signal tells of in time ends it all the same',
    async () => {
      const script = { levels: [['lib']], built: ['lib'], isCancelledInRow: true, policy: {} };
      const landing = await land(script, { signalMs: 1 });
      await landing.decide('approve');
      expect(await landing.handle.result()).toMatchObject({
        phase: 'cancelled',
        failure: { message: 'cancelled by an unnamed caller' },
      });
      expect(landing.calls).toEqual(['build lib']);
    },
  );

  test.concurrent("Temporal's own cancellation ends it with its final report", async () => {
    const landing = await land({ levels: [['lib']], built: ['lib'] });
    await landing.inPhase('approving');
    await landing.handle.cancel();
    await expect(landing.handle.result()).rejects.toThrow();
    expect(landing.reports.at(-1)).toMatchObject({
      phase: 'cancelled',
      failure: { message: "cancelled by Temporal's own cancellation" },
    });
  });
});
