import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { NativeConnection } from '@temporalio/worker';
import pino from 'pino';
import type { BuildState } from '../../domain/builds/build-request.ts';
import { STATUS_QUERY, type BuildStatus } from '../../domain/builds/build-workflow.ts';
import { NEWS_SIGNAL, type PpaNews } from '../../domain/builds/ppa-watch.ts';
import { DECIDE_SIGNAL, WAKE_SIGNAL, type LandingStatus } from '../../domain/landings/landing.ts';
import { foreignEnvironment } from '../../main/config/config.ts';
import { scrubEvent } from '../../api/builds/scrub-history.ts';
import { fetchHistories } from '../../admin/replay/fetch-histories.ts';
import { parseHistory, type HistoryJson } from '../../admin/replay/history.ts';
import { activityName } from '../../admin/replay/step.ts';
import { readCommandLine, refuseCall } from '../../scripts/command-line.ts';
import { registerSearchAttributes } from '../../main/config/search-attributes.ts';
import { connectToTemporal } from '../../main/config/temporal-connection.ts';
import { startAirline, type Airline, type Script, type TestScript } from '../support/airline.ts';
import { packaging, startGitServer } from '../support/git-server.ts';
import { requestProposalBuild } from '../support/request-proposal.ts';
import { resetToFirstTask } from '../support/reset-to-each-task.ts';
import { startSharedStack, stopSharedStack } from '../support/stack/shared-stack.ts';
import { BUILT, createLandings, landingScript, type Landing } from '../support/landings.ts';
import { until } from '../support/until.ts';
import { PATHS } from './paths.ts';

/*
 * Records the histories of this folder anew (`npm run histories:record`): takes builds through every path of paths.ts
 * with the scripted PPA, and keeps what the API gives of their workflows. Histories of earlier code, in earlier/, stay.
 */
const USAGE = `npm run histories:record [-- PATH ...]

Records the histories of test/histories/ anew, all of them or those of the paths that are named (test/histories/paths.ts).
Record only after every history that is there replays on the changed workflow: what it cannot replay, it would break.`;

/** More than the outage of the PPA that one of them waits out. */
const LIMIT_MS = 600_000;
const AT_ONCE = 4;
const ENDLESS = {
  '*': [{ state: 'Currently building', durationMs: 600_000 }, { state: 'Successfully built' }],
};
/** Each is of its own: they are uploaded side by side, and a PPA takes no older version. */
const ENDLESS_NAMES = ['endless-1', 'endless-2', 'endless-3', 'endless-4'];
const ends = (state: string) => ({ builds: { '*': [{ state: 'Currently building' }, { state }] } });

type Build = Awaited<ReturnType<Airline['requestBuild']>>;
/** The histories of a workflow, one for each run. */
type Recording = { runs: string[] };
/**
 * Takes a build, or a few, along a path.
 *
 * @returns the build whose latest attempt is the path; or the histories of a workflow of another kind
 */
type Scenario = (airline: Airline) => Promise<Build | Recording>;
type Group = {
  script: Script;
  /** What comes of images and tests; without it there is no tester. */
  tests?: TestScript;
  environment: Record<string, string>;
  /** The worker signs. */
  signs?: boolean;
  scenarios: Record<string, Scenario>;
  /** After all others of the group. */
  afterwards?: Record<string, Scenario>;
};

const recorded = new Map<string, string>();

const BUILT_WHEN_RETRIED = {
  attempts: [
    [{ state: 'Currently building' }, { state: 'Failed to build', log: 'main.c:3:1: error: no\n' }],
    [{ state: 'Currently building', durationMs: 500 }, { state: 'Successfully built' }],
  ],
};

/** Deadlines are ordinary, waits are short. */
const ORDINARY: Group = {
  environment: {
    AIRLINE_STAND_IN_ARCHITECTURES: 'amd64,riscv64',
    AIRLINE_CANCELLATION_MS: '6000',
    AIRLINE_DEPENDENCY_WAIT_MS: '1000',
  },
  script: {
    sources: {
      'chroot-problem': ends('Chroot problem'),
      'publish-failed': ends('Failed to upload'),
      superseded: ends('Build for superseded Source'),
      'cancelled-by-others': ends('Cancelled build'),
      'cancelled-on-one': {
        builds: { amd64: [{ state: 'Cancelled build' }], '*': [{ state: 'Failed to build' }] },
      },
      'dependency-wait': {
        builds: { '*': [{ state: 'Dependency wait', dependencies: 'libprobe-dev (>= 2)' }] },
      },
      'build-failed': ends('Failed to build'),
      retried: { builds: { '*': BUILT_WHEN_RETRIED } },
      'requested-anew': {
        builds: { '*': { attempts: [ENDLESS['*'], [{ state: 'Successfully built' }]] } },
      },
      'retried-on-one': { builds: { '*': BUILT_WHEN_RETRIED } },
      'never-accepted': { acceptAfterMs: 600_000 },
      ...Object.fromEntries(ENDLESS_NAMES.map((name) => [name, { builds: ENDLESS }])),
      'late-log': { builds: { '*': [{ state: 'Successfully built', logAfterMs: 20_000 }] } },
    },
    ftp: [{ on: 'STOR', match: 'hanging', hang: true }],
  },
  scenarios: {
    'failed-invalid-source': (airline) => toTheEnd(airline, { name: 'unsigned', signed: false }),
    'failed-chroot-problem': (airline) => toTheEnd(airline, { name: 'chroot-problem' }),
    'failed-publish-failed': (airline) => toTheEnd(airline, { name: 'publish-failed' }),
    'failed-superseded': (airline) => toTheEnd(airline, { name: 'superseded' }),
    'failed-cancelled-by-others': (airline) => toTheEnd(airline, { name: 'cancelled-by-others' }),
    'failed-and-cancelled': (airline) =>
      toTheEnd(airline, { name: 'cancelled-on-one', architecture: 'any' }),
    'failed-dependency-wait': (airline) => toTheEnd(airline, { name: 'dependency-wait' }),
    'failed-build-failed': (airline) => toTheEnd(airline, { name: 'build-failed' }),
    'retried-in-ppa': async (airline) =>
      retry(airline, await toTheEnd(airline, { name: 'retried' })),
    'retried-in-ppa-on-one': async (airline) =>
      retry(airline, await toTheEnd(airline, { name: 'retried-on-one', architecture: 'any' }), {
        architectures: ['riscv64'],
      }),
    'requested-anew': async (airline) => {
      const submitted = await airline.submit({ name: 'requested-anew' });
      await cancelIn('building', airline, await airline.requestBuild(submitted));
      return ended(airline, await airline.requestBuild(submitted));
    },
    'cancelled-checking': (airline) =>
      withServer(
        createServer(() => undefined),
        async (url) => {
          const { ticketId } = await airline.submit({ name: 'unfetched' });
          const urls = [`${url}/unfetched_1.0_source.changes`];
          return cancelIn('checking', airline, await airline.requestBuild({ ticketId, urls }));
        },
      ),
    'cancelled-uploading': async (airline) =>
      cancelIn('uploading', airline, await request(airline, { name: 'hanging' })),
    'cancelled-accepting': async (airline) =>
      cancelIn('accepting', airline, await request(airline, { name: 'never-accepted' })),
    'cancelled-building': async (airline) =>
      cancelIn('building', airline, await request(airline, { name: 'endless-1' })),
    'cancelled-collecting': async (airline) =>
      cancelIn('collecting', airline, await request(airline, { name: 'late-log' })),
    'cancelled-by-url': (airline) => {
      const caller = { building: true };
      return withServer(cancelUrlOf(caller), async (url) => {
        const fields = { cancel_url: `${url}/7?key=x` };
        const build = await request(airline, { name: 'endless-2' }, fields);
        await untilIn('building', airline, build);
        caller.building = false;
        return ended(airline, build);
      });
    },
    'cancelled-by-url-at-once': (airline) =>
      withServer(cancelUrlOf({ building: false }), async (url) =>
        ended(
          airline,
          await request(airline, { name: 'unwanted' }, { cancel_url: `${url}/7?key=x` }),
        ),
      ),
    'cancelled-in-temporal': async (airline) => {
      const build = await request(airline, { name: 'endless-3' });
      await untilIn('building', airline, build);
      await airline.temporal.workflow.getHandle(build.workflow_id).cancel();
      return ended(airline, build);
    },
    terminated: async (airline) => {
      const build = await request(airline, { name: 'endless-4' });
      await untilIn('building', airline, build);
      await airline.temporal.workflow.getHandle(build.workflow_id).terminate('by an operator');
      return ended(airline, build);
    },
  },
  afterwards: {
    'cancelled-after-reset': async (airline) => {
      const sources = { held: { builds: ENDLESS } };
      airline.play({ sources });
      const build = await request(airline, { name: 'held' });
      await untilIn('building', airline, build);
      airline.play({ sources, web: [{ match: '+build', status: 503 }] });
      await cancel(airline, build);
      await until('the PPA does not answer', () => isInTrouble(airline, build), LIMIT_MS);
      await resetToFirstTask(airline, build.workflow_id);
      airline.play({ sources });
      return historyOfWorkflow(airline, build.workflow_id);
    },
  },
};

/** Deadlines pass soon. */
const HURRIED: Group = {
  environment: {
    AIRLINE_ACCEPTANCE_MS: '3000',
    AIRLINE_UPLOAD_MS: '4000',
    AIRLINE_CANCELLATION_MS: '3000',
    AIRLINE_WHOLE_BUILD_MS: '25000',
    AIRLINE_POLL_INITIAL_MS: '1000',
    AIRLINE_POLL_MAX_MS: '10000',
  },
  script: {
    sources: { rejected: { rejected: 'Not today.' }, endless: { builds: ENDLESS } },
    ftp: [
      { on: 'STOR', match: 'refused', reply: '550 Requested action not taken' },
      { on: 'STOR', match: 'broken-off_1.0_source.ch', cutAfterBytes: 9 },
      { on: 'STOR', match: 'silent_1.0_source.ch', hang: true },
    ],
  },
  scenarios: {
    'failed-upload-rejected': (airline) => toTheEnd(airline, { name: 'rejected' }),
    'failed-upload-failed': (airline) => toTheEnd(airline, { name: 'refused', version: '1.0' }),
    'failed-upload-broken-off': (airline) => toTheEnd(airline, { name: 'broken-off' }),
    'failed-upload-silent': (airline) => toTheEnd(airline, { name: 'silent' }),
    'failed-timed-out': (airline) => toTheEnd(airline, { name: 'endless' }),
  },
  afterwards: {
    'retried-anew': async (airline) => {
      const build = await toTheEnd(airline, { name: 'refused', version: '2.0' });
      airline.play({});
      return retry(airline, build);
    },
    'retried-beside-held': async (airline) => {
      const sources = { held: { builds: { '*': BUILT_WHEN_RETRIED } } };
      airline.play({
        sources,
        ftp: [{ on: 'STOR', match: 'refused_3', reply: '550 Requested action not taken' }],
      });
      const build = await ended(
        airline,
        await requestBoth(airline, { name: 'held' }, { name: 'refused', version: '3.0' }),
      );
      airline.play({ sources });
      return retry(airline, build);
    },
    'cancelled-retrying': async (airline) => {
      airline.play({ sources: { 'build-failed': ends('Failed to build') } });
      const build = await toTheEnd(airline, { name: 'build-failed' });
      airline.play({ web: [{ method: 'POST', match: '+build', status: 503 }] });
      return cancelIn('accepting', airline, await askToRetry(airline, build));
    },
  },
};

/** Short histories, and builds that wait for their publication. The worker is the recorder's own. */
const CONTINUING: Group = {
  environment: { AIRLINE_HISTORY_MAX_EVENTS: '20', AIRLINE_AWAIT_PUBLICATION: 'on' },
  script: {
    sources: {
      published: {
        publishAfterMs: 2_000,
        builds: { '*': [{ state: 'Successfully built', binaries: true }] },
      },
      long: {
        builds: {
          '*': [
            { state: 'Currently building', durationMs: 6_000 },
            { state: 'Successfully built', binaries: true },
          ],
        },
      },
      'long-base': {
        publishAfterMs: 3_000,
        builds: { '*': [{ state: 'Successfully built', binaries: true }] },
      },
      'long-app': { builds: { '*': [{ state: 'Successfully built', binaries: true }] } },
      'watched-on': {
        builds: { '*': [{ state: 'Currently building', durationMs: 2_000 }, BUILT] },
      },
      'woken-lib': { builds: { '*': [BUILT] } },
      endless: { builds: ENDLESS },
      'late-accepted': { acceptAfterMs: 4_000, builds: ENDLESS },
    },
    ftp: [{ on: 'STOR', match: 'lost', hang: true }],
  },
  scenarios: {
    'cancelled-queued': async (airline) => {
      await registerAttributes(airline);
      const build = await request(airline, { name: 'endless', version: '1.0' });
      await cancel(airline, build);
      return withWorker(airline, 0, () => ended(airline, build));
    },
  },
  afterwards: {
    'completed-when-published': (airline) =>
      withWorker(airline, 0, () => toTheEnd(airline, { name: 'published' })),
    'continued-as-new': (airline) =>
      withWorker(airline, 0, () => toTheEnd(airline, { name: 'long' })),
    'in-order-continued-as-new': (airline) =>
      withWorker(airline, 0, async () => ended(airline, await requestInOrder(airline, 'long'))),
    'ppa-watched-on': (airline) =>
      withWorker(airline, 0, async () => {
        const fields = { ppa: 'ppa:airline/watched-on' };
        await ended(airline, await request(airline, { name: 'watched-on' }, fields));
        return historyOfAllRuns(airline, 'watch-ppa-airline_debian_watched-on');
      }),
    'landing-woken': (airline) => withWorker(airline, 0, () => landedWoken(airline, 'woken-lib')),
    'stop-continued-as-new': (airline) =>
      withWorker(airline, 0, async () =>
        cancelIn('accepting', airline, await request(airline, { name: 'late-accepted' })),
      ),
    // What is to be cancelled is not tried again: it fails where its worker has died.
    'cancelled-uploading-without-worker': async (airline) => {
      const build = await requestBoth(airline, { name: 'sent' }, { name: 'lost' });
      await withWorker(airline, 0, async (worker) => {
        await untilUploading(2, airline, build);
        worker.kill('SIGKILL');
      });
      await cancel(airline, build);
      return withWorker(airline, 0, () => ended(airline, build));
    },
    'cancelled-continuing-as-new': (airline) =>
      // What the worker sends is late, so that a signal comes before the continue-as-new that the worker has decided.
      withWorker(airline, 1_000, async () => {
        const build = await request(airline, { name: 'endless', version: '2.0' });
        await untilItContinues(airline, build);
        await airline.temporal.workflow.getHandle(build.workflow_id).signal('cancel', 'ana');
        return ended(airline, build);
      }),
  },
};

/**
 * Builds that poll their PPA by themselves. One waits on one architecture past the end of the build on the other; the
 * PPA of the other does not answer for more than five minutes.
 */
const ALONE: Group = {
  environment: {
    AIRLINE_PPA_WATCH: 'off',
    AIRLINE_STAND_IN_ARCHITECTURES: 'amd64,riscv64',
    AIRLINE_STAND_IN_BUILDERS: '2',
    AIRLINE_DEPENDENCY_WAIT_MS: '2500',
    AIRLINE_POLL_INITIAL_MS: '500',
    AIRLINE_POLL_MAX_MS: '500',
  },
  script: {
    web: [{ match: ['/away/', 'getBuilds'], status: 503, retryAfterS: 120, count: 3 }],
    sources: {
      'waits-on-one': {
        builds: {
          amd64: [
            { state: 'Dependency wait', durationMs: 5_000, dependencies: 'libprobe-dev (>= 2)' },
            { state: 'Successfully built' },
          ],
          riscv64: [
            { state: 'Currently building', durationMs: 3_000 },
            { state: 'Successfully built' },
          ],
        },
      },
    },
  },
  scenarios: {
    'completed-after-dependency-wait': (airline) =>
      toTheEnd(airline, { name: 'waits-on-one', architecture: 'any' }),
    'completed-after-outage': async (airline) => {
      const fields = { ppa: 'ppa:airline/away' };
      return ended(airline, await request(airline, { name: 'outlasts' }, fields));
    },
  },
};

/** The PPA gives its watch no lists for more than five minutes, and shows the upload later than it has time to. */
const AWAY: Group = {
  environment: {
    AIRLINE_ACCEPTANCE_MS: '120000',
    AIRLINE_POLL_INITIAL_MS: '1000',
    AIRLINE_POLL_MAX_MS: '5000',
  },
  script: {
    web: [{ match: 'created_since_date', status: 503, forMs: 360_000 }],
    sources: { 'late-shown': { acceptAfterMs: 420_000 } },
  },
  scenarios: {
    'completed-after-watched-outage': async (airline) => {
      const build = await request(airline, { name: 'late-shown' });
      await until('the PPA is away', () => isInTrouble(airline, build), LIMIT_MS);
      await until('the PPA answers', async () => !(await isInTrouble(airline, build)), LIMIT_MS);
      // As where its watch was lost in the outage.
      const ask: PpaNews = { ask: true };
      await airline.temporal.workflow.getHandle(build.workflow_id).signal(NEWS_SIGNAL, ask);
      return ended(airline, build);
    },
  },
};

const MADE = { state: 'Successfully built', binaries: true };

/** Packages that need each other, merge proposals, and checks of uploads. */
const RELATED: Group = {
  environment: { AIRLINE_CANCELLATION_MS: '6000' },
  signs: true,
  script: {
    sources: {
      '*': { publishAfterMs: 1_000, builds: { '*': [{ state: 'Currently building' }, MADE] } },
      'broken-base': {
        builds: { '*': [{ state: 'Currently building' }, { state: 'Failed to build' }] },
      },
      'flaky-base': { builds: { '*': { attempts: [[{ state: 'Failed to build' }], [MADE]] } } },
      'unpublished-base': { publishAfterMs: 600_000, builds: { '*': [MADE] } },
    },
  },
  scenarios: {
    'in-order': async (airline) => ended(airline, await requestInOrder(airline, 'good')),
    'in-order-retried': async (airline) =>
      retry(airline, await ended(airline, await requestInOrder(airline, 'flaky'))),
    'failed-prerequisite': async (airline) =>
      ended(airline, await requestInOrder(airline, 'broken')),
    'cancelled-in-order': async (airline) => {
      const build = await requestInOrder(airline, 'unpublished');
      await until(
        'it waits for the publication',
        async () => (await airline.build(build.id)).phase === 'prerequisite_wait',
        LIMIT_MS,
      );
      await cancel(airline, build);
      return ended(airline, build);
    },
    merged: async (airline) => {
      const server = await startGitServer();
      try {
        const { url, commit } = await server.make('proposed');
        await commit('main', packaging('proposed', '1.0', { 'a.c': 'a\n' }));
        await commit('fix', { 'b.c': 'b\n' }, 'main');
        return await ended(
          airline,
          (await requestProposalBuild(airline, { url, branch: 'fix' })).build,
        );
      } finally {
        await server.close();
      }
    },
    'ppa-watched': async (airline) => {
      const fields = { ppa: 'ppa:airline/watched' };
      await ended(airline, await request(airline, { name: 'watched' }, fields));
      return historyOfWorkflow(airline, 'watch-ppa-airline_debian_watched');
    },
    'check-upload': async ({ rest, temporal }) => {
      await rest.post('/api/v1/check_upload', {
        ppa: 'ppa:airline/test',
        archive: 'debian',
        series: 'bookworm',
        packages: [
          {
            source: 'probe',
            version: '1.0',
            files: [{ name: 'probe_1.0.dsc', sha256: '0'.repeat(64), size: 1 }],
            signed_by: null,
          },
        ],
      });
      const { workflow } = temporal;
      const query = "WorkflowType = 'CheckUploadWorkflow'";
      const workflowId = await until('it is listed', async () => {
        for await (const listed of workflow.list({ query })) return listed.workflowId;
        return undefined;
      });
      return recordingOf(await workflow.getHandle(workflowId).fetchHistory());
    },
  },
};

/** Histories as the files of this folder have them. */
function recordingOf(...histories: Parameters<typeof historyToJSON>[0][]): Recording {
  const runs = histories.map((history) => {
    const { events } = JSON.parse(historyToJSON(history)) as HistoryJson;
    return `${JSON.stringify({ events: events.map(scrubEvent) }, null, 1)}\n`;
  });
  return { runs };
}

/** Requests a build of two packages, of which one needs the other. */
async function requestInOrder(airline: Airline, kind: string): Promise<Build> {
  const base = await airline.submit({ name: `${kind}-base` });
  const app = await airline.submit({ name: `${kind}-app`, buildDepends: [`${kind}-base`] });
  const urls = [...app.urls, ...base.urls];
  return airline.requestBuild({ ticketId: app.ticketId, urls }, { order: 'dependencies' });
}

/** Requests a build of two packages, which are uploaded in this order. */
async function requestBoth(
  airline: Airline,
  ...[one, other]: [Parameters<Airline['submit']>[0], Parameters<Airline['submit']>[0]]
): Promise<Build> {
  const first = await airline.submit(one);
  const second = await airline.submit(other);
  const urls = [...first.urls, ...second.urls];
  return airline.requestBuild({ ticketId: second.ticketId, urls });
}

const landings = (airline: Airline) => createLandings(() => airline);

/** Lands packages, and takes the landing to its end. @returns the history of its latest attempt */
async function landed(
  airline: Airline,
  sources: Parameters<ReturnType<typeof createLandings>['submit']>,
  meanwhile: (landing: Landing) => Promise<unknown> = (landing) =>
    landings(airline).decide(landing, 'approve'),
  fields: object = {},
): Promise<Recording> {
  const { submit, land } = landings(airline);
  const landing = await land(await submit(...sources), fields);
  await meanwhile(landing);
  return historyOfLanding(airline, landing);
}

async function historyOfLanding(airline: Airline, landing: Landing): Promise<Recording> {
  const { workflow_id: workflowId } = await landings(airline).inPhase(
    landing,
    'complete',
    'failed',
    'cancelled',
  );
  return historyOfWorkflow(airline, workflowId);
}

/** Lands a package that is paused and resumed while it waits for an approval, which makes its history long. */
async function landedWoken(
  airline: Airline,
  name: string,
  fields: { target?: string } = {},
): Promise<Recording> {
  const { submit, land, inPhase, decide } = landings(airline);
  const landing = await land(await submit({ name }), fields);
  const { workflow_id: workflowId } = await inPhase(landing, 'approving');
  const runs = airline.temporal.workflow.getHandle(workflowId);
  const { runId } = await runs.describe();
  await airline.rest.post(`${landing.resource_uri}pause/`, {});
  await until('it is held', () => isHeld(airline, landing), LIMIT_MS);
  await airline.rest.post(`${landing.resource_uri}resume/`, {});
  await until('its next run', async () => (await runs.describe()).runId !== runId, LIMIT_MS);
  await decide(landing, 'approve');
  await inPhase(landing, 'complete');
  return historyOfAllRuns(airline, workflowId);
}

/** Has the target of a landing get a package, which it did not have; by default one that is older than the landed. */
async function move(
  airline: Airline,
  target: string,
  name: string,
  version = '0.9',
): Promise<void> {
  await ended(airline, await request(airline, { name, version }, { ppa: target }));
}

async function hasWorkflow(airline: Airline, workflowId: string): Promise<boolean> {
  return airline.temporal.workflow
    .getHandle(workflowId)
    .describe()
    .then(
      () => true,
      () => false,
    );
}

/** @returns the history of a workflow, once that has ended, however it has */
async function historyOfWorkflow(airline: Airline, workflowId: string): Promise<Recording> {
  const handle = airline.temporal.workflow.getHandle(workflowId);
  await handle.result().catch(() => undefined);
  return recordingOf(await handle.fetchHistory());
}

/** @returns the histories of all runs of a workflow, once its last has ended */
async function historyOfAllRuns(airline: Airline, workflowId: string): Promise<Recording> {
  const { workflow } = airline.temporal;
  const last = workflow.getHandle(workflowId);
  await last.result().catch(() => undefined);
  const { raw } = await last.describe();
  const histories: Parameters<typeof historyToJSON>[0][] = [];
  let runId = raw.workflowExecutionInfo?.firstRunId;
  while (runId) {
    const history = await workflow.getHandle(workflowId, runId).fetchHistory();
    histories.push(history);
    const ending = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes;
    runId = ending?.newExecutionRunId;
  }
  return recordingOf(...histories);
}

/** What a landing names that takes a PPA of the pool. */
const FROM_POOL = { ppa: undefined };
/** What recorded landings have to fulfil, where one policy for all is not enough. */
const POLICIES = join(import.meta.dirname, 'landing-policies.yaml');

/** Landings: of one package or two, of which the second needs the first. */
const LANDINGS: Group = {
  environment: {
    AIRLINE_CANCELLATION_MS: '6000',
    AIRLINE_LANDING_POLL_MS: '500',
    AIRLINE_PPA_POOL: '~airline/debian/pool-1',
  },
  script: {
    ...landingScript({
      'broken-lib': { builds: { '*': [{ state: 'Failed to build' }] } },
      'flaky-lib': { builds: { '*': { attempts: [[{ state: 'Failed to build' }], [BUILT]] } } },
      'endless-lib': { builds: ENDLESS },
      'endless-twin': { builds: ENDLESS },
      'endless-sister': { builds: ENDLESS },
    }),
    copies: { 'held-lib': { held: 'Unapproved' } },
  },
  scenarios: {
    landed: (airline) =>
      landed(airline, [{ name: 'good-tool', buildDepends: ['good-lib'] }, { name: 'good-lib' }]),
    'landed-after-another': async (airline) => {
      const { submit, land, inPhase, decide } = landings(airline);
      const first = await land(await submit({ name: 'shared-lib' }));
      await inPhase(first, 'approving');
      return landed(airline, [{ name: 'shared-lib', version: '2.0' }], async (landing) => {
        await until(
          'it is in line',
          async () => (await inPhase(landing, 'queued')).ahead.length > 0,
          LIMIT_MS,
        );
        await decide(first, 'reject');
        await decide(landing, 'approve');
      });
    },
    'landing-paused-in-line': async (airline) => {
      const { submit, land, inPhase, decide } = landings(airline);
      const first = await land(await submit({ name: 'halted-lib' }));
      await inPhase(first, 'approving');
      return landed(airline, [{ name: 'halted-lib', version: '2.0' }], async (landing) => {
        await until(
          'it is in line',
          async () => (await inPhase(landing, 'queued')).ahead.length > 0,
          LIMIT_MS,
        );
        await airline.rest.post(`${landing.resource_uri}pause/`, {});
        await until('it is held', () => isHeld(airline, landing), LIMIT_MS);
        await decide(first, 'reject');
        await airline.rest.post(`${landing.resource_uri}resume/`, {});
        await decide(landing, 'approve');
      });
    },
    'landed-from-pool': async (airline) => {
      const { submit, land, now, decide, inPhase } = landings(airline);
      const first = await land(await submit({ name: 'pool-lib' }), FROM_POOL);
      await inPhase(first, 'approving');
      const second = await land(await submit({ name: 'pool-tool' }), FROM_POOL);
      await until(
        'it waits for the PPA',
        async () => (await now(second)).ahead.length > 0,
        LIMIT_MS,
      );
      await decide(first, 'approve');
      await decide(second, 'approve');
      return historyOfLanding(airline, second);
    },
    'ppa-cleaned': async (airline) => {
      const { submit, land, decide, inPhase } = landings(airline);
      const landing = await land(await submit({ name: 'tidy-lib' }), FROM_POOL);
      await decide(landing, 'approve');
      await inPhase(landing, 'complete');
      const { objects } = await airline.rest.get<{ objects: { id: number }[] }>('/api/v1/ppapool/');
      // The first one was when the PPA came to the pool.
      const workflowId = `clean-ppa-${objects[0]?.id}-2`;
      await until('it is cleaned', () => hasWorkflow(airline, workflowId), LIMIT_MS);
      return historyOfWorkflow(airline, workflowId);
    },
    'landed-by-retry': (airline) =>
      landed(airline, [{ name: 'flaky-lib' }], async (landing) => {
        const { inPhase, decide } = landings(airline);
        await inPhase(landing, 'failed');
        await airline.rest.post(`${landing.resource_uri}retry/`, {});
        await inPhase(landing, 'approving');
        await decide(landing, 'approve');
      }),
    'landing-build-failed': (airline) =>
      landed(
        airline,
        [{ name: 'broken-tool', buildDepends: ['broken-lib'] }, { name: 'broken-lib' }],
        async () => undefined,
      ),
    'landing-circle': (airline) =>
      landed(
        airline,
        [
          { name: 'round-one', buildDepends: ['round-two'] },
          { name: 'round-two', buildDepends: ['round-one'] },
        ],
        async () => undefined,
      ),
    'landing-rejected': (airline) =>
      landed(airline, [{ name: 'unwanted-lib' }], (landing) =>
        landings(airline).decide(landing, 'reject'),
      ),
    'landing-copy-refused': async (airline) => {
      const { submit, land, decide, inPhase } = landings(airline);
      const newer = await land(await submit({ name: 'older-lib', version: '2.0' }));
      await decide(newer, 'approve');
      await inPhase(newer, 'complete');
      const older = await land(await submit({ name: 'older-lib', version: '1.0' }), {
        ppa: 'airline/other',
      });
      await decide(older, 'approve');
      return historyOfLanding(airline, older);
    },
    'landing-cancelled-queued': async (airline) => {
      const { submit, land, inPhase, decide } = landings(airline);
      const first = await land(await submit({ name: 'busy-lib' }));
      await inPhase(first, 'approving');
      const second = await land(await submit({ name: 'busy-lib', version: '2.0' }));
      await until(
        'it is in line',
        async () => (await inPhase(second, 'queued')).ahead.length > 0,
        LIMIT_MS,
      );
      await airline.rest.post(`${second.resource_uri}cancel/`, {});
      const history = await historyOfLanding(airline, second);
      await decide(first, 'reject');
      return history;
    },
    'landing-cancelled-leasing': async (airline) => {
      const { submit, land, inPhase } = landings(airline);
      const ticket = await submit({ name: 'homeless-lib' });
      const cancelIn = async (phase: string) => {
        const landing = await land(ticket, FROM_POOL);
        await inPhase(landing, phase);
        await airline.rest.post(`${landing.resource_uri}cancel/`, {});
        return landing;
      };
      await inPhase(await cancelIn('approving'), 'cancelled');
      // The only PPA of the pool has had this version.
      return historyOfLanding(airline, await cancelIn('leasing'));
    },
    'landing-cancelled-ordering': (airline) =>
      withServer(
        createServer(() => undefined),
        async (url) => {
          const ticket = await airline.rest.post<{
            id: number;
            subtickets: { resource_uri: string }[];
          }>('/api/v1/ticket/bundle/', {
            owner: 'dev@example.org',
            title: 'A fix',
            subtickets: [
              { source_package_upload: { sourcepackage: { name: 'unread-lib' }, version: '1.0' } },
            ],
          });
          for (const name of ['unread-lib_1.0_source.changes', 'unread-lib_1.0.dsc'])
            await airline.rest.post('/api/v1/subticketartifact/', {
              subticket: ticket.subtickets[0]?.resource_uri,
              name,
              reference: `${url}/${name}`,
              type: 'SPU',
            });
          const landing = await landings(airline).land(ticket);
          await landings(airline).inPhase(landing, 'building');
          await airline.rest.post(`${landing.resource_uri}cancel/`, {});
          return historyOfLanding(airline, landing);
        },
      ),
    'landing-cancelled-building': (airline) =>
      landed(airline, [{ name: 'endless-lib' }], async (landing) => {
        await landings(airline).building(landing);
        await airline.rest.post(`${landing.resource_uri}cancel/`, {});
      }),
    'landing-cancelled-in-temporal': (airline) =>
      landed(airline, [{ name: 'endless-twin' }, { name: 'endless-sister' }], async (landing) => {
        await landings(airline).building(landing);
        await airline.temporal.workflow.getHandle(landing.workflow_id).cancel();
      }),
    'landing-cancelled-approving': (airline) =>
      landed(airline, [{ name: 'forgotten-lib' }], async (landing) => {
        await landings(airline).inPhase(landing, 'approving');
        await airline.rest.post(`${landing.resource_uri}cancel/`, {});
      }),
  },
  afterwards: {
    'landing-copy-held': (airline) =>
      landed(airline, [{ name: 'held-lib' }, { name: 'held-tool' }], async (landing) => {
        const { decide, now } = landings(airline);
        await decide(landing, 'approve');
        const isHeld = async () => (await now(landing)).waits_for?.startsWith('a person') ?? false;
        await until('its copy is held', isHeld, LIMIT_MS);
        const copies = { 'held-lib': { held: 'Unapproved', released: true } } as const;
        airline.play({ ...landingScript(), copies });
      }),
    'ppa-quarantined': async (airline) => {
      airline.play({ ...landingScript(), deletions: { '*': { refused: 'Not today.' } } });
      await landed(airline, [{ name: 'sticky-lib' }], undefined, FROM_POOL);
      const poolPpa = async () => {
        const path = '/api/v1/ppapool/';
        type Listed = { objects: { id: number; state: string }[] };
        return (await airline.rest.get<Listed>(path)).objects[0];
      };
      const isQuarantined = async () => (await poolPpa())?.state === 'quarantined';
      await until('it is quarantined', isQuarantined, LIMIT_MS);
      const cleaning = `clean-ppa-${(await poolPpa())?.id}-`;
      let latest = 1;
      while (await hasWorkflow(airline, `${cleaning}${latest + 1}`)) latest += 1;
      return historyOfWorkflow(airline, `${cleaning}${latest}`);
    },
  },
};

/** Landings with short deadlines, which nothing else here is in danger of. */
const IMPATIENT_LANDINGS: Group = {
  environment: {
    AIRLINE_LANDING_POLL_MS: '500',
    AIRLINE_LANDING_APPROVAL_MS: '20000',
    AIRLINE_LANDING_PUBLICATION_MS: '10000',
    AIRLINE_LANDING_QUEUE_MS: '5000',
    AIRLINE_LANDING_LEASE_MS: '15000',
    AIRLINE_PPA_POOL: '~airline/debian/pool-1',
    AIRLINE_LANDING_POLICY: POLICIES,
  },
  script: { ...landingScript(), copies: { 'unseen-lib': { fails: 'Not today.' } } },
  scenarios: {
    'landing-approval-expired': (airline) =>
      landed(airline, [{ name: 'ignored-lib' }], async () => undefined),
    'landing-copy-not-seen': (airline) =>
      landed(airline, [{ name: 'unseen-lib' }, { name: 'seen-tool' }]),
    'landing-pause-expired': (airline) =>
      landed(airline, [{ name: 'stopped-lib' }], async (landing) => {
        await landings(airline).inPhase(landing, 'approving');
        await airline.rest.post(`${landing.resource_uri}pause/`, {});
      }),
    'landing-queue-expired': async (airline) => {
      const { submit, land, inPhase } = landings(airline);
      await inPhase(await land(await submit({ name: 'crowded-lib' })), 'approving');
      return landed(airline, [{ name: 'crowded-lib', version: '2.0' }], async () => undefined);
    },
    'landing-no-ppa-free': async (airline) => {
      const { submit, land, inPhase } = landings(airline);
      const first = await land(await submit({ name: 'lodged-lib' }), FROM_POOL);
      await inPhase(first, 'approving');
      return landed(airline, [{ name: 'unlodged-lib' }], async () => undefined, FROM_POOL);
    },
    'landing-architecture-missing': (airline) =>
      landed(airline, [{ name: 'lacking-lib' }], async () => undefined, {
        target: 'ppa:airline/on-two-architectures',
      }),
  },
  afterwards: {
    'landing-service-unavailable': (airline) =>
      landed(airline, [{ name: 'unanswered-lib' }], async (landing) => {
        const { inPhase, decide } = landings(airline);
        await inPhase(landing, 'approving');
        airline.play({ ...landingScript(), web: [{ status: 503 }] });
        await decide(landing, 'approve');
      }),
  },
};

const REGRESS = { results: [{ name: 'regress', status: 'FAIL' as const }] };
const GOOD = { results: [{ name: 'regress', status: 'PASS' as const }] };
const TESTED_SOURCES: NonNullable<TestScript['sources']> = {
  'fine-app': { landing: [GOOD] },
  'regressed-app': { landing: [REGRESS], baseline: [GOOD] },
  'flaky-app': { landing: [REGRESS, GOOD], baseline: [GOOD] },
  'shaky-app': { landing: [{ exitCode: 16, summary: 'testbed failure: gone\n' }, GOOD] },
  'slow-app': { landing: [{ hang: true }] },
  'held-app': { landing: [{ ...GOOD, untilReleased: true }, GOOD] },
  'unwanted-app': { landing: [{ ...GOOD, untilReleased: true }, GOOD] },
  'moved-app': { landing: [{ ...GOOD, untilReleased: true }, GOOD] },
  'disputed-app': { landing: [REGRESS], baseline: [REGRESS] },
  'updated-app': { landing: [GOOD] },
  'indexed-app': { landing: [GOOD] },
  'delayed-app': { landing: [GOOD] },
};
const TESTED_SCRIPT: TestScript = {
  sources: TESTED_SOURCES,
  archive: Object.fromEntries(
    Object.keys(TESTED_SOURCES).map((name) => [
      name,
      { dependsOn: [name.replace('-app', '-lib')] },
    ]),
  ),
};

/** Waits until a test of a landing runs. */
async function untilTested({ rest }: Airline, { id }: Landing): Promise<void> {
  await until(
    'its test runs',
    async () => {
      const path = `/api/v1/testrun/?landing_id=${id}&state=running`;
      return (await rest.get<{ objects: object[] }>(path)).objects.length > 0;
    },
    LIMIT_MS,
  );
}

/** Has the tests of a source end that wait for it. */
function release(airline: Airline, source: string): void {
  const released = { ...TESTED_SOURCES[source], released: true };
  airline.playTests({ ...TESTED_SCRIPT, sources: { ...TESTED_SOURCES, [source]: released } });
}

/** What a landing names that changes the archive which images are made of. */
const IN_DEBIAN = { target: 'debian', pocket: 'Updates' };

/** Has the archive get version 2.0 of a source, which its index does not have yet. */
async function publishUpdate(airline: Airline, name: string): Promise<void> {
  const { submit, land, decide, inPhase } = landings(airline);
  const update = await land(await submit({ name, version: '2.0' }), IN_DEBIAN);
  await decide(update, 'approve');
  await inPhase(update, 'complete');
}

/** Has the archive's index get version 2.0 of a source. */
function index(airline: Airline, source: string): void {
  const updated = { ...TESTED_SCRIPT.archive?.[source], version: '2.0' };
  airline.playTests({ ...TESTED_SCRIPT, archive: { ...TESTED_SCRIPT.archive, [source]: updated } });
}

/** The same for a landing that waits for it, which would look again after minutes. */
async function indexAndWake(
  airline: Airline,
  source: string,
  { workflow_id: workflowId }: Landing,
): Promise<void> {
  index(airline, source);
  await airline.temporal.workflow.getHandle(workflowId).signal(WAKE_SIGNAL);
}

/** Waits until the tests of a landing are planned. */
async function untilPlanned({ rest }: Airline, { id }: Landing): Promise<void> {
  const path = `/api/v1/testrun/?landing_id=${id}`;
  const isPlanned = async () => (await rest.get<{ objects: object[] }>(path)).objects.length > 0;
  await until('its tests are planned', isPlanned, LIMIT_MS);
}

/** Lands a library that is tested with what depends on it, and goes on by what its tests say. */
const landedTested = (
  airline: Airline,
  name: string,
  meanwhile: (landing: Landing) => Promise<unknown> = async () => undefined,
  fields: { target?: string; pocket?: string } = {},
) => landed(airline, [{ name }], meanwhile, fields);

/** Lands a library whose dependent has an update that the index lacks, and goes on once the landing waits for that. */
async function landedAfterIndex(
  airline: Airline,
  name: string,
  meanwhile: (landing: Landing) => Promise<unknown>,
) {
  await publishUpdate(airline, `${name}-app`);
  return landedTested(
    airline,
    `${name}-lib`,
    async (landing) => {
      const waits = async () => (await landings(airline).now(landing)).waits_for;
      const isWaiting = async () => (await waits())?.startsWith('the index') ?? false;
      await until('it waits for the index', isWaiting, LIMIT_MS);
      await meanwhile(landing);
    },
    IN_DEBIAN,
  );
}

/** Landings of one package each, which testers test. */
const TESTED: Group = {
  environment: { AIRLINE_LANDING_POLL_MS: '500', AIRLINE_TEST_SLOTS: '4' },
  script: landingScript(),
  tests: TESTED_SCRIPT,
  scenarios: {
    'landed-tested': (airline) => landedTested(airline, 'fine-lib'),
    // Nothing in the archive depends on it.
    'landed-untested': (airline) => landed(airline, [{ name: 'lone-lib' }]),
    // The base image is there before it is built: its tests are run again on a new one.
    'landing-regression': async (airline) => {
      const { submit, land, inPhase } = landings(airline);
      await inPhase(await land(await submit({ name: 'fine-tool' })), 'approving');
      return landedTested(airline, 'regressed-lib');
    },
    'landing-flaky': (airline) => landedTested(airline, 'flaky-lib'),
    'landing-target-passed': async (airline) => {
      await move(airline, 'ppa:airline/landed', 'outdated-lib', '2.0');
      return landedTested(airline, 'outdated-lib');
    },
    'landing-test-bed': (airline) => landedTested(airline, 'shaky-lib'),
    // The first approval is forgotten: it was of other images.
    'landing-target-moved-approved': (airline) =>
      landedTested(airline, 'disputed-lib', async (landing) => {
        const { decide, inPhase } = landings(airline);
        await inPhase(landing, 'approving');
        await move(airline, 'ppa:airline/landed', 'disputed-lib');
        await decide(landing, 'approve');
        const isAskedAgain = async () => {
          const seen = await inPhase(landing, 'approving', 'failed');
          return seen.decision === null;
        };
        await until('another decision is asked for', isAskedAgain, LIMIT_MS);
        await decide(landing, 'approve');
      }),
    'landing-cancelled-testing': (airline) =>
      landedTested(airline, 'slow-lib', async (landing) => {
        await untilTested(airline, landing);
        await airline.rest.post(`${landing.resource_uri}cancel/`, {});
      }),
  },
  afterwards: {
    'landing-paused': (airline) =>
      landedTested(airline, 'held-lib', async (landing) => {
        await untilTested(airline, landing);
        await airline.rest.post(`${landing.resource_uri}pause/`, {});
        release(airline, 'held-app');
        await until('it is held', () => isHeld(airline, landing), LIMIT_MS);
        await airline.rest.post(`${landing.resource_uri}resume/`, {});
      }),
    'landing-target-moved': (airline) =>
      landedTested(airline, 'moved-lib', async (landing) => {
        await untilTested(airline, landing);
        await move(airline, 'ppa:airline/landed', 'moved-lib');
        release(airline, 'moved-app');
      }),
    'landed-after-index': (airline) =>
      landedAfterIndex(airline, 'indexed', (landing) =>
        indexAndWake(airline, 'indexed-app', landing),
      ),
    'landing-paused-for-index': (airline) =>
      landedAfterIndex(airline, 'delayed', async (landing) => {
        await airline.rest.post(`${landing.resource_uri}pause/`, {});
        await until('it is held', () => isHeld(airline, landing), LIMIT_MS);
        index(airline, 'delayed-app');
        await airline.rest.post(`${landing.resource_uri}resume/`, {});
      }),
    'landed-on-new-bases': async (airline) => {
      await publishUpdate(airline, 'updated-app');
      return landedTested(
        airline,
        'updated-lib',
        async (landing) => {
          await untilPlanned(airline, landing);
          index(airline, 'updated-app');
        },
        IN_DEBIAN,
      );
    },
    // The workflow hears of it while it tests: the row was `approving`, before the target moved.
    'landing-rejected-late': (airline) =>
      landedTested(airline, 'unwanted-lib', async (landing) => {
        await untilTested(airline, landing);
        const decision = { decision: 'reject', by: 'ann', comment: 'Not like this.' };
        await airline.temporal.workflow
          .getHandle(landing.workflow_id)
          .signal(DECIDE_SIGNAL, decision);
        release(airline, 'unwanted-app');
      }),
    'landing-cancelled-imaging': (airline) => {
      airline.playTests({ ...TESTED_SCRIPT, images: { landing: { durationMs: LIMIT_MS } } });
      return landed(airline, [{ name: 'late-lib' }], async (landing) => {
        await landings(airline).inPhase(landing, 'imaging');
        await airline.rest.post(`${landing.resource_uri}cancel/`, {});
      });
    },
  },
};

/** Landings with tests, and short deadlines. */
const IMPATIENT_TESTED: Group = {
  environment: {
    AIRLINE_LANDING_POLL_MS: '500',
    AIRLINE_LANDING_TESTER_MS: '20000',
    AIRLINE_LANDING_TESTS_MS: '60000',
    AIRLINE_TEST_SLOTS: '4',
    AIRLINE_LANDING_POLICY: POLICIES,
  },
  script: landingScript(),
  tests: TESTED_SCRIPT,
  scenarios: {
    'landing-no-tester': (airline) =>
      landedTested(airline, 'fine-lib', undefined, { target: 'ppa:airline/tested-elsewhere' }),
    'landing-tests-timed-out': (airline) =>
      landedTested(airline, 'slow-lib', undefined, { target: 'ppa:airline/tested' }),
    'landing-target-moved-too-often': (airline) => {
      const target = 'ppa:airline/tested-once';
      return landedTested(
        airline,
        'moved-lib',
        async (landing) => {
          await untilTested(airline, landing);
          await move(airline, target, 'moved-lib');
          release(airline, 'moved-app');
        },
        { target },
      );
    },
  },
  afterwards: {
    'landing-uninstallable': (airline) => {
      const landing = { fails: 'it needs what is not there', uninstallable: true };
      airline.playTests({ ...TESTED_SCRIPT, images: { landing } });
      const meanwhile = async (failed: Landing) => {
        await landings(airline).inPhase(failed, 'failed');
        await airline.rest.post(`${failed.resource_uri}retry/`, {});
      };
      // What the retry has kept is older than the base image.
      return landedTested(airline, 'flaky-lib', meanwhile, { target: 'ppa:airline/tested' });
    },
  },
};

/** A tester that does one thing at a time. */
const BUSY: Group = {
  environment: {
    AIRLINE_LANDING_POLL_MS: '500',
    AIRLINE_LANDING_TESTER_MS: '5000',
    AIRLINE_TEST_SLOTS: '1',
  },
  script: landingScript(),
  tests: TESTED_SCRIPT,
  scenarios: {
    'landed-by-busy-tester': async (airline) => {
      const { submit, land, inPhase } = landings(airline);
      await untilTested(airline, await land(await submit({ name: 'held-lib' })));
      return landedTested(airline, 'fine-lib', async (landing) => {
        const { workflow_id: workflowId } = await inPhase(landing, 'imaging');
        const isAsked = async () => {
          const { events } = await airline.temporal.workflow.getHandle(workflowId).fetchHistory();
          return events?.some(
            ({ activityTaskScheduledEventAttributes: activity }) =>
              activity?.activityType?.name === 'findTester',
          );
        };
        await until('it is asked whether there is a tester', isAsked, LIMIT_MS);
        release(airline, 'held-app');
      });
    },
  },
};

/** Landings with tests that continue as new, each once for what it shows. */
const CONTINUING_TESTED: Group = {
  environment: {
    AIRLINE_HISTORY_MAX_EVENTS: '60',
    AIRLINE_LANDING_POLL_MS: '500',
    AIRLINE_TEST_SLOTS: '4',
    AIRLINE_LANDING_POLICY: POLICIES,
  },
  script: landingScript(),
  tests: TESTED_SCRIPT,
  scenarios: {
    'landing-continued-testing': async (airline) => {
      const { submit, land, inPhase } = landings(airline);
      const ticket = await submit({ name: 'flaky-lib' });
      const landing = await land(ticket, { target: 'ppa:airline/tested' });
      const { workflow_id: workflowId } = await inPhase(landing, 'complete');
      return historyOfAllRuns(airline, workflowId);
    },
    'landing-woken-tested': (airline) =>
      landedWoken(airline, 'fine-lib', { target: 'ppa:airline/approved' }),
  },
};

/** One whose dependent has an update, and whose history is long once it waits for the index to have that. */
const CONTINUING_FOR_INDEX: Group = {
  environment: {
    AIRLINE_HISTORY_MAX_EVENTS: '60',
    AIRLINE_LANDING_POLL_MS: '500',
    AIRLINE_TEST_SLOTS: '4',
  },
  script: landingScript(),
  tests: TESTED_SCRIPT,
  scenarios: {
    'landing-continued-for-index': async (airline) => {
      let workflowId = '';
      await landedAfterIndex(airline, 'indexed', async (landing) => {
        workflowId = landing.workflow_id;
        await indexAndWake(airline, 'indexed-app', landing);
      });
      return historyOfAllRuns(airline, workflowId);
    },
  },
};

/** Whether the workflow of a landing waits for somebody who has paused it. */
async function isHeld(
  { temporal }: Airline,
  { workflow_id: workflowId }: Landing,
): Promise<boolean> {
  const status = await temporal.workflow.getHandle(workflowId).query<LandingStatus>(STATUS_QUERY);
  return status.paused_by !== undefined;
}

/** The waits of a real Launchpad, for the number of events of a build of one minute. */
const ONE_MINUTE: Group = {
  environment: {
    AIRLINE_POLL_INITIAL_MS: '10000',
    AIRLINE_POLL_FACTOR: '2',
    AIRLINE_POLL_MAX_MS: '60000',
  },
  script: {
    sources: {
      good: {
        builds: {
          '*': [
            { state: 'Currently building', durationMs: 50_000 },
            { state: 'Successfully built' },
          ],
        },
      },
    },
  },
  scenarios: { completed: (airline) => toTheEnd(airline, { name: 'good' }) },
};

const { positionals } = readCommandLine(USAGE, { allowPositionals: true });
const unknown = positionals.filter((name) => PATHS.every((path) => path.name !== name));
if (unknown.length > 0) refuseCall(USAGE, `There is no path ${unknown.join(', ')}.`);
const isWanted = (name: string) => positionals.length === 0 || positionals.includes(name);

try {
  await startSharedStack();
  const oneMinute = recordGroup(ONE_MINUTE);
  for (const group of [
    ORDINARY,
    RELATED,
    LANDINGS,
    IMPATIENT_LANDINGS,
    TESTED,
    IMPATIENT_TESTED,
    BUSY,
    CONTINUING_TESTED,
    CONTINUING_FOR_INDEX,
    HURRIED,
    CONTINUING,
    ALONE,
    AWAY,
  ])
    await recordGroup(group, group === CONTINUING);
  await oneMinute;
  const missing = PATHS.filter(
    ({ name }) => isWanted(name) && ![...recorded.keys()].some(isOf(name)),
  );
  if (missing.length > 0)
    throw new Error(`No scenario records ${missing.map(({ name }) => name).join(', ')}.`);
  keep();
} finally {
  await stopSharedStack();
}

/** Replaces the files of what was recorded, all at once. */
function keep(): void {
  for (const file of readdirSync(import.meta.dirname)) {
    const name = /^(.*)\.json$/.exec(file)?.[1];
    if (
      name !== undefined &&
      (positionals.length === 0 || positionals.some((path) => isOf(path)(name)))
    )
      rmSync(join(import.meta.dirname, file));
  }
  for (const [name, text] of recorded)
    writeFileSync(join(import.meta.dirname, `${name}.json`), text);
  console.log(
    `${recorded.size} histories are in test/histories/; see that they replay: npm run replay -- test/histories`,
  );
}

async function recordGroup(group: Group, isWorkerOwn = false): Promise<void> {
  const wanted = (scenarios: Record<string, Scenario> = {}) =>
    Object.entries(scenarios).filter(([name]) => isWanted(name));
  const [together, afterwards] = [wanted(group.scenarios), wanted(group.afterwards)];
  if (together.length + afterwards.length === 0) return;
  const airline = await startAirline({
    script: group.script,
    ...(group.tests ? { tests: group.tests } : {}),
    environment: group.environment,
    signs: group.signs ?? false,
    ...(isWorkerOwn ? { parts: ['stand-in', 'api'] } : {}),
  });
  try {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = together.shift(); next; next = together.shift())
          await play(airline, ...next);
      }),
    );
    if (isWorkerOwn) await registerAttributes(airline);
    for (const next of afterwards) await play(airline, ...next);
  } finally {
    await airline.stop();
  }
}

async function play(airline: Airline, name: string, scenario: Scenario): Promise<void> {
  const taken = await scenario(airline).catch((cause: unknown) => {
    throw new Error(`${name} could not be recorded`, { cause });
  });
  const runs: string[] = [];
  if ('runs' in taken) runs.push(...taken.runs);
  else
    for await (const fetched of fetchHistories(
      { url: airline.stack.addresses.api },
      String(taken.id),
    ))
      if (fetched.attempt === String(taken.attempt)) runs.unshift(fetched.text);
  for (const [at, text] of runs.entries())
    recorded.set(runs.length === 1 ? name : `${name}-${at + 1}`, text);
  console.log(
    `${name}: ${runs.map((text) => parseHistory(text).events.length).join(' + ')} events`,
  );
}

async function request(
  airline: Airline,
  source: Parameters<Airline['submit']>[0],
  fields: Record<string, unknown> = {},
): Promise<Build> {
  return airline.requestBuild(await airline.submit(source), fields);
}

async function toTheEnd(
  airline: Airline,
  source: Parameters<Airline['submit']>[0],
): Promise<Build> {
  return ended(airline, await request(airline, source));
}

/** Waits until a build's row has ended, and its workflow, which reports its end before it ends. */
async function ended(airline: Airline, build: Build): Promise<Build> {
  await until(
    `the end of build ${build.id}`,
    async () => ['completed', 'failed'].includes((await airline.build(build.id)).state),
    LIMIT_MS,
  );
  await airline.temporal.workflow
    .getHandle(build.workflow_id)
    .result()
    .catch(() => undefined);
  return build;
}

async function retry(
  airline: Airline,
  build: Build,
  fields: Record<string, unknown> = {},
): Promise<Build> {
  return ended(airline, await askToRetry(airline, build, fields));
}

function askToRetry(
  airline: Airline,
  build: Build,
  fields: Record<string, unknown> = {},
): Promise<Build> {
  return airline.rest.post<Build>(`${build.resource_uri}retry/`, { only: 'failed', ...fields });
}

async function cancel(airline: Airline, build: Build): Promise<void> {
  await airline.rest.post(`${build.resource_uri}cancel/`, {});
  await until(
    'the signal',
    async () =>
      (await historyOf(airline, build)).events.some(({ eventType }) =>
        eventType.includes('SIGNALED'),
      ),
    LIMIT_MS,
  );
}

async function cancelIn(state: BuildState, airline: Airline, build: Build): Promise<Build> {
  await untilIn(state, airline, build);
  await cancel(airline, build);
  return ended(airline, build);
}

async function untilIn(state: BuildState, airline: Airline, build: Build): Promise<void> {
  const handle = airline.temporal.workflow.getHandle(build.workflow_id);
  await until(
    `build ${build.id} is ${state}`,
    // There is no workflow before it is dispatched.
    () =>
      handle.query<BuildStatus>(STATUS_QUERY).then(
        (status) => status.state === state,
        () => false,
      ),
    LIMIT_MS,
  );
}

async function isInTrouble({ rest }: Airline, { resource_uri: uri }: Build): Promise<boolean> {
  return (await rest.get<{ trouble: unknown }>(uri)).trouble !== null;
}

/** Waits until a worker uploads a package of a build; they are counted from 1. */
async function untilUploading(count: number, airline: Airline, build: Build): Promise<void> {
  const handle = airline.temporal.workflow.getHandle(build.workflow_id);
  await until(
    `build ${build.id} uploads package ${count}`,
    async () => {
      const { events } = await historyOf(airline, build);
      const uploads = events.filter((event) => activityName(event) === 'uploadSource');
      if (uploads.length < count) return false;
      const { raw } = await handle.describe();
      return raw.pendingActivities?.some(({ heartbeatDetails }) => heartbeatDetails);
    },
    LIMIT_MS,
  );
}

/** Waits until a worker has the workflow task in which the workflow decides to continue as new. */
async function untilItContinues(airline: Airline, build: Build): Promise<void> {
  await until(
    `build ${build.id} continues`,
    async () => {
      const { events } = await historyOf(airline, build);
      const last = events.slice(-3).map(({ eventType }) => eventType);
      return (
        events.length >= Number(CONTINUING.environment['AIRLINE_HISTORY_MAX_EVENTS']) &&
        last[0]?.endsWith('EXECUTION_SIGNALED') &&
        last[2]?.endsWith('WORKFLOW_TASK_STARTED')
      );
    },
    LIMIT_MS,
  );
}

async function historyOf(airline: Airline, build: Build): Promise<HistoryJson> {
  for await (const { text } of fetchHistories(
    { url: airline.stack.addresses.api },
    String(build.id),
  ))
    return parseHistory(text);
  throw new Error(`build ${build.id} has no history`);
}

/** As a worker does when it starts, so that workflows can be started before there is one. */
async function registerAttributes(airline: Airline): Promise<void> {
  const { AIRLINE_TEMPORAL_ADDRESS: address = '' } = airline.stack.environment;
  const logger = pino({ level: 'silent' });
  const connection: NativeConnection = await connectToTemporal({ address }, logger, LIMIT_MS);
  try {
    await registerSearchAttributes(connection, airline.temporal.options.namespace, logger);
  } finally {
    await connection.close();
  }
}

/** Runs a worker, which the scenario may kill. @param lateMs how late Temporal gets what it sends */
async function withWorker<T>(
  airline: Airline,
  lateMs: number,
  scenario: (worker: ChildProcess) => Promise<T>,
): Promise<T> {
  const { environment } = airline.stack;
  const proxy = await startLateProxy(environment['AIRLINE_TEMPORAL_ADDRESS'] ?? '', lateMs);
  const worker: ChildProcess = spawn(process.execPath, ['--import', 'tsx', 'main/worker.ts'], {
    env: {
      ...foreignEnvironment(),
      ...environment,
      AIRLINE_TEMPORAL_ADDRESS: proxy.address,
      AIRLINE_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(worker, 'exit');
  try {
    return await scenario(worker);
  } finally {
    worker.kill('SIGTERM');
    await exited;
    proxy.stop();
  }
}

/** A way to a server on which what goes there takes its time, and what comes back does not. */
async function startLateProxy(target: string, lateMs: number) {
  const { hostname, port } = new URL(`tcp://${target}`);
  const sockets = new Set<Socket>();
  const server = createTcpServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
    far.pipe(near);
    near.on(
      'data',
      (chunk: Buffer) => void sleep(lateMs).then(() => far.writable && far.write(chunk)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The cancel URL of a caller who may leave. */
function cancelUrlOf(caller: { building: boolean }): Server {
  return createServer((_, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(caller));
  });
}

async function withServer<T>(server: Server, scenario: (url: string) => Promise<T>): Promise<T> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await scenario(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function isOf(path: string): (name: string) => boolean {
  return (name) =>
    name === path || (name.startsWith(`${path}-`) && /^-\d+$/.test(name.slice(path.length)));
}
