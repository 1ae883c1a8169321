import { randomUUID } from 'node:crypto';
import { Client, Connection, WorkflowFailedError } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import {
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  type LogEntry,
  type WorkerOptions,
} from '@temporalio/worker';
import type { BuildLimits, BuildRequest, Merge } from '../../domain/builds/build-request.ts';
import {
  newBuildInput,
  type BuildSourceInput,
  type BuildSourceResult,
  type BuildStatus,
} from '../../domain/builds/build-workflow.ts';
import { NEWS_SIGNAL } from '../../domain/builds/ppa-watch.ts';
import { temporalAddress, workflowBundle } from '../support/addresses.ts';
import { BUILD_LIMITS } from '../support/build-limits.ts';
import { buildRecord } from '../support/build-record.ts';
import { until } from '../support/until.ts';
import { activitiesOfScenes, scriptedActivities, type PpaScript } from './scripted-activities.ts';
import { inputOfLastRun } from './last-run.ts';
import { queryWorkflow } from './query-workflow.ts';
import { triesOf } from './tries-of.ts';

/*
 * What a scene waits out is short, and yet longer than anything before it takes on a busy machine. All scenes wait side
 * by side.
 */
const WAITED_OUT_MS = {
  step: 5_000,
  stepOnceTaken: 9_000,
  upload: 10_000,
  cancellation: 10_000,
  wholeBuild: 40_000,
};

const PATIENCE_MS = 300_000;
const HOUR_MS = 3_600_000;
// A timer takes Temporal's development server about a second, however short it is: the scenarios wait side by side.
jest.setTimeout(600_000);

let connection: Connection;
let nativeConnection: NativeConnection;
let client: Client;
const workers: Worker[] = [];
const stopped: Promise<void>[] = [];
const alarms: LogEntry[] = [];
const taskQueue = `test-${randomUUID()}`;
const transferQueue = `${taskQueue}-transfers`;
const logQueue = `${taskQueue}-logs`;

beforeAll(async () => {
  const printing = new DefaultLogger('ERROR');
  Runtime.install({
    logger: new DefaultLogger('ERROR', (entry) => {
      if (entry.meta?.['alarm']) alarms.push(entry);
      else printing.log(entry.level, entry.message, entry.meta);
    }),
  });
  connection = await Connection.connect({ address: temporalAddress() });
  nativeConnection = await NativeConnection.connect({ address: temporalAddress() });
  client = new Client({ connection });
  await startWorker(taskQueue, { workflowBundle: { codePath: workflowBundle() } });
  await startWorker(transferQueue);
  await startWorker(logQueue);
});

afterAll(async () => {
  for (const worker of workers) worker.shutdown();
  await Promise.all(stopped);
  await connection.close();
  await nativeConnection.close();
});

/** A worker of the queue for all scenes. */
async function startWorker(queue: string, more: Partial<WorkerOptions> = {}): Promise<void> {
  const worker = await Worker.create({
    connection: nativeConnection,
    activities: activitiesOfScenes((workflowId) => scenes.get(workflowId)),
    maxHeartbeatThrottleInterval: 20,
    defaultHeartbeatThrottleInterval: 20,
    ...more,
    taskQueue: queue,
  });
  workers.push(worker);
  stopped.push(worker.run());
}

type MoreInput = Pick<BuildSourceInput, 'retry'> & { request?: Partial<BuildRequest> };

type Scene = ReturnType<typeof scriptedActivities> & {
  start(limits?: Partial<BuildLimits>, input?: MoreInput): ReturnType<typeof startBuild>;
};

/** By the id of its workflow. */
const scenes = new Map<string, ReturnType<typeof scriptedActivities>>();

/** Runs a scenario whose activities play the script, on the worker of all. */
async function play<T>(script: PpaScript, scenario: (scene: Scene) => Promise<T>): Promise<T> {
  const workflowId = randomUUID();
  const scripted = scriptedActivities(script);
  scenes.set(workflowId, scripted);
  return scenario({
    ...scripted,
    start: (limits, input) =>
      startBuild(workflowId, { ...BUILD_LIMITS, ppaWatch: true, ...limits }, input),
  });
}

function startBuild(workflowId: string, limits: BuildLimits, { request, retry }: MoreInput = {}) {
  const input = newBuildInput({
    packagesToRetry: retry,
    request: {
      buildId: 7,
      ticketId: 3,
      sourcePackages: ['http://store/hello_1.0-1_source.changes'],
      series: 'bookworm',
      ppa: 'ppa:airline/test',
      archive: 'debian',
      progressTrigger: 'lander',
      cancelUrl: null,
      ...request,
    },
    ppa: { owner: 'airline', distribution: 'debian', name: 'test' },
    limits,
  });
  return client.workflow.start<(input: BuildSourceInput) => Promise<BuildSourceResult>>(
    'BuildSourceWorkflow',
    {
      taskQueue,
      workflowId,
      args: [input],
      workflowExecutionTimeout: '20 minutes',
      // A task that a slow machine does not end in time runs its local activities once more.
      workflowTaskTimeout: '2 minutes',
    },
  );
}

/** The status of a build, once it is as wanted. */
const statusOf = (
  build: Awaited<ReturnType<typeof startBuild>>,
  isWanted: (status: BuildStatus) => boolean,
) =>
  until(
    'a status',
    async () => {
      const status = await queryWorkflow<BuildStatus>(build, 'status');
      return isWanted(status) && status;
    },
    PATIENCE_MS,
  );

/** When a build asked for the first try of an activity, in milliseconds of the epoch. */
const askedAtMs = (build: Awaited<ReturnType<typeof startBuild>>, activity: string) =>
  until(
    `it asks for ${activity}`,
    async () => {
      const { events } = await build.fetchHistory();
      const asked = events?.find(
        ({ activityTaskScheduledEventAttributes: task }) => task?.activityType?.name === activity,
      );
      return asked && tsToMs(asked.eventTime);
    },
    PATIENCE_MS,
  );

/** The activities that a build has asked for, in order, each with the time for all of its tries in milliseconds. */
async function timeoutsOf(build: Awaited<ReturnType<typeof startBuild>>) {
  const { events } = await build.fetchHistory();
  return (events ?? []).flatMap(
    ({ activityTaskScheduledEventAttributes: task }): [string, number][] =>
      task ? [[task.activityType?.name ?? '', tsToMs(task.scheduleToCloseTimeout)]] : [],
  );
}

const messages = ({ reports }: Scene) => reports.map(({ message }) => message);
/** The reports, each with the phase that it names. */
const steps = ({ reports }: Scene) =>
  reports.map(({ message, phase }) => [message, phase].filter(Boolean).join(' '));
const finals = (scene: Scene) =>
  messages(scene).filter((message) => /COMPLETE|FAILURE/.test(message));

/** The result of a build that is cancelled while it uploads. */
async function cancelledInUpload(scene: Scene) {
  const build = await scene.start();
  await until('it uploads', () => scene.calls.includes('uploadSource'), PATIENCE_MS);
  await build.signal('cancel', 'ana');
  return build.result();
}

/** A request whose source is yet to be made. */
const OF_PROPOSAL = {
  sourcePackages: [] as string[],
  merge: {
    merge_proposal: '/api/v1/mergeproposal/5/',
    source_repository: 'http://git/hello.git',
    source_branch: 'fix',
    target_repository: 'http://git/hello.git',
    target_branch: 'main',
    packaging_branch: '',
  } satisfies Merge,
};

/** The PPA takes the upload of a worker that is never heard of again. */
const ARRIVED_WITHOUT_A_WORD: PpaScript = {
  silentUpload: 'committing',
  polls: [{ builds: ['Currently building'] }],
  afterCancel: ['Cancelled build'],
};

/** The PPA builds the first of two packages; the worker that sends the second is never heard of again. */
const SECOND_FELL_SILENT: PpaScript = {
  sources: ['hello', 'world'],
  silentUpload: 'sending',
  silentSource: 'world',
  polls: [{ builds: ['Currently building'] }],
  afterCancel: ['Cancelled build'],
};

describe('BuildSourceWorkflow', () => {
  test.concurrent('a build that succeeds is reported from start to end and gives its logs', () =>
    play(
      {
        polls: [
          { builds: [] },
          { builds: ['Needs building'] },
          { builds: ['Currently building'] },
          { builds: ['Successfully built'] },
        ],
      },
      async (scene) => {
        const attemptKey = randomUUID();
        const build = await scene.start({}, { request: { attemptKey } });
        expect(await build.result()).toEqual({
          state: 'completed',
          logs: ['http://store/arch0.log'],
        });
        expect(scene.reports.at(0)).toMatchObject({ key: 'started', attemptKey });
        expect(scene.reports.at(-1)).toMatchObject({ key: 'final', attemptKey });
        expect(steps(scene)).toEqual([
          'STARTED checking',
          'STARTED uploading',
          'STARTED accepting',
          'INPROGRESS',
          'INPROGRESS',
          'INPROGRESS',
          'INPROGRESS collecting',
          'COMPLETE',
        ]);
        expect(scene.reports.at(-1)).toMatchObject({ logs: ['http://store/arch0.log'] });
      },
    ),
  );

  test.concurrent(
    'a build that fails on one architecture waits for the others, then fails with its class',
    () =>
      play(
        {
          polls: [
            { builds: ['Failed to build', 'Currently building'] },
            { builds: ['Failed to build', 'Successfully built'] },
          ],
        },
        async (scene) => {
          const result = await (await scene.start()).result();
          expect(result).toMatchObject({
            state: 'failed',
            failure: { class: 'build_failed', architecture: 'arch0' },
            logs: ['http://store/arch0.log', 'http://store/arch1.log'],
          });
          expect(scene.polls()).toBe(2);
          expect(finals(scene)).toEqual(['FAILURE']);
        },
      ),
  );

  test.concurrent.each([
    ['checksum_mismatch', 'invalid_source', 'Store the files again'],
    ['not_signed', 'invalid_source', 'debsign'],
    ['dependency_cycle', 'dependency_cycle', 'Break the cycle'],
  ])(
    'sources that are wrong end the build before anything is uploaded: %s',
    (code, failureClass, hint) =>
      play({ refusedSources: code }, async (scene) => {
        const result = await (await scene.start()).result();
        expect(result).toMatchObject({
          failure: {
            class: failureClass,
            code,
            retryable: false,
            hint: expect.stringContaining(hint),
          },
        });
        expect(scene.calls).toEqual(['checkSources']);
        expect(messages(scene)).toEqual(['STARTED', 'FAILURE']);
      }),
  );

  test.concurrent('a merge proposal is made into sources first, and these are built', () =>
    play({ polls: [{ builds: ['Successfully built'] }] }, async (scene) => {
      const result = await (await scene.start({}, { request: OF_PROPOSAL })).result();
      expect(result).toMatchObject({ state: 'completed' });
      expect(scene.calls).toEqual(['mergeProposal', 'checkSources', 'uploadSource', 'collectLogs']);
      expect(steps(scene).slice(0, 3)).toEqual([
        'STARTED merging',
        'STARTED checking',
        'STARTED uploading',
      ]);
    }),
  );

  test.concurrent('a merge proposal that conflicts ends the build', () =>
    play({ refusedMerge: 'merge_conflict' }, async (scene) => {
      const result = await (await scene.start({}, { request: OF_PROPOSAL })).result();
      expect(result).toMatchObject({
        failure: { class: 'merge_failed', retryable: false, message: 'conflicts in a.c' },
      });
      expect(scene.calls).toEqual(['mergeProposal']);
      expect(steps(scene)).toEqual(['STARTED merging', 'FAILURE']);
    }),
  );

  test.concurrent('a caller who is gone while it merges has cancelled the build', () =>
    play({ callerGone: 'mergeProposal' }, async (scene) => {
      const result = await (await scene.start({}, { request: OF_PROPOSAL })).result();
      expect(result).toMatchObject({ failure: { class: 'cancelled' } });
    }),
  );

  test.concurrent('a later attempt builds the sources that an earlier one made', () =>
    play({ polls: [{ builds: ['Successfully built'] }] }, async (scene) => {
      const { merge } = OF_PROPOSAL;
      await (await scene.start({}, { request: { merge } })).result();
      expect(scene.calls).not.toContain('mergeProposal');
    }),
  );

  test.concurrent('an upload that never gets through fails as upload_failed', () =>
    play({ brokenUpload: 'hello' }, async (scene) => {
      const result = await (await scene.start({ uploadMs: WAITED_OUT_MS.upload })).result();
      expect(result).toMatchObject({ failure: { class: 'upload_failed', retryable: true } });
      expect(finals(scene)).toEqual(['FAILURE']);
      expect(scene.polls()).toBe(0);
    }),
  );

  test.concurrent('an upload waits for a web service that is away, however often it is asked', () =>
    play({ awayForUploads: 21, polls: [{ builds: ['Successfully built'] }] }, async (scene) => {
      const result = await (await scene.start()).result();
      expect(result).toMatchObject({ state: 'completed' });
      expect(scene.uploaded).toHaveLength(22);
    }),
  );

  test.concurrent(
    'one of several that does not get through fails the build, which names what was sent before it',
    () =>
      play({ sources: ['hello', 'world'], brokenUpload: 'world' }, async (scene) => {
        expect(
          await (await scene.start({ uploadMs: WAITED_OUT_MS.upload })).result(),
        ).toMatchObject({
          failure: {
            class: 'upload_failed',
            message: expect.stringMatching(
              /; hello 1\.0-1 had been sent to .*test, which may build what it takes$/,
            ),
          },
        });
      }),
  );

  test.concurrent(
    'one of several that the PPA never shows is named, and so is what it builds of the others',
    () =>
      play(
        {
          sources: ['hello', 'world'],
          polls: [{ builds: ['Currently building'], accepted: false }],
        },
        async (scene) => {
          expect(await (await scene.start({ acceptanceMs: 600 })).result()).toMatchObject({
            failure: {
              class: 'upload_rejected',
              message: expect.stringMatching(
                /; hello 1\.0-1 had been sent to .*test, which may build what it takes$/,
              ),
            },
          });
        },
      ),
  );

  test.concurrent(
    'an upload of which no word comes back is stopped in the PPA, should it have arrived',
    () =>
      play(ARRIVED_WITHOUT_A_WORD, async (scene) => {
        const result = await (await scene.start({ uploadMs: WAITED_OUT_MS.upload })).result();
        expect(result).toMatchObject({
          failure: {
            class: 'upload_failed',
            message: expect.stringMatching(/did not end in time; the PPA builds nothing of it/),
          },
        });
        expect(scene.calls).toContain('cancelBuilds');
        expect(finals(scene)).toEqual(['FAILURE']);
      }),
  );

  test.concurrent('one that fell silent before its last file is not looked for there', () =>
    play({ silentUpload: 'sending' }, async (scene) => {
      const result = await (await scene.start({ uploadMs: WAITED_OUT_MS.upload })).result();
      expect(result).toMatchObject({ failure: { class: 'upload_failed' } });
      expect(scene.polls()).toBe(0);
    }),
  );

  test.concurrent.each([
    [
      'one that was cancelled meanwhile is stopped there, too',
      ARRIVED_WITHOUT_A_WORD,
      (scene: Scene) => scene.calls.includes('uploadSource'),
    ],
    [
      'what was sent before one that fell silent is stopped by a cancellation',
      SECOND_FELL_SILENT,
      (scene: Scene) => scene.uploaded.includes('world'),
    ],
  ] as const)('%s', (_, script, uploads) =>
    play(script, async (scene) => {
      const build = await scene.start({ uploadMs: 2 * WAITED_OUT_MS.upload });
      await until('it uploads', () => uploads(scene), PATIENCE_MS);
      await build.signal('cancel', 'ann');
      expect(await build.result()).toMatchObject({
        failure: {
          class: 'cancelled',
          message: expect.stringMatching(/by ann; .*the PPA builds nothing of it/),
        },
      });
      expect(scene.calls).toContain('cancelBuilds');
    }),
  );

  test.concurrent('an upload has no more time than the whole build, which is stopped there', () =>
    play(SECOND_FELL_SILENT, async (scene) => {
      const build = await scene.start({ wholeBuildMs: WAITED_OUT_MS.wholeBuild });
      expect(await build.result()).toMatchObject({
        failure: {
          class: 'timed_out',
          message: expect.stringMatching(
            /within 40 s \(AIRLINE_WHOLE_BUILD_MS\): the upload did .*the PPA builds nothing of it/,
          ),
        },
      });
      expect(scene.calls).toContain('cancelBuilds');
      expect(finals(scene)).toEqual(['FAILURE']);
    }),
  );

  test.concurrent(
    'an upload that the PPA never shows is rejected after the acceptance deadline',
    () =>
      play({ polls: [{ builds: [] }] }, async (scene) => {
        const result = await (await scene.start({ acceptanceMs: 600 })).result();
        expect(result).toMatchObject({
          failure: {
            class: 'upload_rejected',
            message: expect.stringContaining('(AIRLINE_ACCEPTANCE_MS) of its upload'),
          },
        });
        expect(steps(scene)).toEqual([
          'STARTED checking',
          'STARTED uploading',
          'STARTED accepting',
          'FAILURE',
        ]);
      }),
  );

  test.concurrent.each([true, false])(
    'a package that the PPA has without builds is told as that, watched: %s',
    (ppaWatch) =>
      play({ polls: [{ builds: [], withoutBuilds: ['hello 1.0-1'] }] }, async (scene) => {
        const build = await scene.start({ acceptanceMs: 600, ppaWatch });
        expect(await build.result()).toMatchObject({
          failure: {
            class: 'upload_rejected',
            message: expect.stringMatching(
              /^\S+ has hello 1\.0-1 in bookworm without any build, and none came within .*\(AIRLINE_ACCEPTANCE_MS\)$/,
            ),
            hint: expect.stringContaining('copied there with its packages'),
          },
        });
      }),
  );

  test.concurrent(
    'an upload has its whole time again after an outage, as the build sees by itself',
    () => {
      const polls = [
        { builds: [], afterOutage: true as const },
        { builds: ['Successfully built'] },
      ];
      return play({ polls }, async (scene) => {
        // The first poll comes when the time is over.
        const limits = { acceptanceMs: 600, pollInitialMs: 2_000, pollMaxMs: 2_000 };
        const build = await scene.start({ ppaWatch: false, ...limits });
        expect(await build.result()).toMatchObject({ state: 'completed' });
      });
    },
  );

  test.concurrent.each([
    ['and the build sees the outage by itself', { afterOutage: true as const }],
    ['and the watch has seen the outage', { answersForMs: 0 }],
  ])('it has it also where the watch of the PPA asks the build to poll, %s', (_, outage) => {
    const polls: PpaScript['polls'] = [{ builds: [], ...outage }];
    return play({ polls }, async (scene) => {
      const build = await scene.start({ acceptanceMs: 600 });
      await until('it joins again', () => scene.joins() > 1, PATIENCE_MS);
      polls.push({ builds: ['Successfully built'] });
      expect(await build.result()).toMatchObject({ state: 'completed' });
    });
  });

  test.concurrent('an outage that ended long before the upload gives it no more time', () =>
    play({ polls: [{ builds: [], answersForMs: HOUR_MS }] }, async (scene) => {
      const build = await scene.start({ acceptanceMs: 600 });
      expect(await build.result()).toMatchObject({ failure: { class: 'upload_rejected' } });
    }),
  );

  test.concurrent('one that broke off in its last file completes where the PPA has it', () =>
    play({ unclearUpload: true, polls: [{ builds: ['Successfully built'] }] }, async (scene) => {
      expect(await (await scene.start()).result()).toMatchObject({ state: 'completed' });
    }),
  );

  test.concurrent(
    'one that broke off in its last file and is never shown fails, and a retry can help',
    () =>
      play({ unclearUpload: true, polls: [{ builds: [] }] }, async (scene) => {
        const result = await (await scene.start({ acceptanceMs: 600 })).result();
        expect(result).toMatchObject({
          failure: {
            class: 'upload_failed',
            retryable: true,
            message: expect.stringMatching(/hello 1\.0-1 within .+ of its upload, which broke/),
            hint: expect.stringContaining('retry the build'),
          },
        });
        expect(scene.calls.filter((call) => call === 'uploadSource')).toHaveLength(1);
      }),
  );

  test.concurrent('Dependency wait is waited out for its grace and then fails', () =>
    play({ polls: [{ builds: ['Dependency wait'] }] }, async (scene) => {
      const result = await (await scene.start({ dependencyWaitMs: 2_000 })).result();
      expect(result).toMatchObject({
        failure: {
          class: 'dependency_wait',
          message: expect.stringContaining('; the PPA builds it when they come'),
        },
      });
      expect(scene.polls()).toBeGreaterThan(1);
    }),
  );

  test.concurrent.each([
    ['as the watch of the PPA tells', 150, {}],
    ['as the build sees by itself', 30, { ppaWatch: false, pollInitialMs: 100, pollMaxMs: 100 }],
  ])(
    'Dependency wait has its grace once the rest of the request has been built, %s',
    (_, length, limits) => {
      const building = { builds: ['Dependency wait', 'Currently building'] };
      const polls = [
        // They take longer than the grace.
        ...Array.from({ length }, () => building),
        { builds: ['Dependency wait', 'Successfully built'] },
        { builds: ['Successfully built', 'Successfully built'] },
      ];
      return play({ polls }, async (scene) => {
        const build = await scene.start({ dependencyWaitMs: 2_000, ...limits });
        expect(await build.result()).toMatchObject({ state: 'completed' });
      });
    },
  );

  test.concurrent(
    'Dependency wait has its grace where the rest was retried between two polls',
    () => {
      const polls = [
        { builds: ['Dependency wait', 'Failed to build'] },
        { builds: ['Dependency wait', 'Currently building'] },
        { builds: ['Dependency wait', 'Successfully built'] },
        { builds: ['Successfully built', 'Successfully built'] },
      ];
      return play({ polls }, async (scene) => {
        // Each poll comes when the grace is over that may have begun at the one before.
        const limits = { pollInitialMs: 500, pollFactor: 1, pollMaxMs: 500 };
        const build = await scene.start({ ppaWatch: false, dependencyWaitMs: 300, ...limits });
        expect(await build.result()).toMatchObject({ state: 'completed' });
      });
    },
  );

  test.concurrent.each([
    ['that the build sees by itself', { afterOutage: true as const }],
    ['that the watch of the PPA has seen', { answersForMs: 0 }],
  ])('Dependency wait has its grace again after an outage %s', (_, outage) => {
    const polls = [
      { builds: ['Dependency wait'] },
      { builds: ['Dependency wait'], ...outage },
      { builds: ['Successfully built'] },
    ];
    return play({ polls }, async (scene) => {
      // The second poll comes when the grace is over that began at the first.
      const limits = { pollInitialMs: 500, pollFactor: 1, pollMaxMs: 500 };
      const build = await scene.start({ ppaWatch: false, dependencyWaitMs: 300, ...limits });
      expect(await build.result()).toMatchObject({ state: 'completed' });
    });
  });

  test.concurrent('Dependency wait that resolves completes', () =>
    play(
      { polls: [{ builds: ['Dependency wait'] }, { builds: ['Successfully built'] }] },
      async (scene) => {
        expect(await (await scene.start()).result()).toMatchObject({ state: 'completed' });
      },
    ),
  );

  test.concurrent('Dependency wait lasts as long where the clock of the database is slow', () => {
    const polls = [{ builds: ['Dependency wait'] }];
    return play({ polls, databaseAheadMs: -HOUR_MS }, async (scene) => {
      const build = await scene.start({ dependencyWaitMs: HOUR_MS });
      await statusOf(build, ({ phase }) => phase === 'dependency_wait');
      // As Temporal's own tools may send it, with nothing in it.
      await build.signal(NEWS_SIGNAL);
      await until(
        'it has polled by itself, and joins again',
        () => scene.joins() === 2,
        PATIENCE_MS,
      );
      polls.push({ builds: ['Successfully built'] });
      expect(await build.result()).toMatchObject({ state: 'completed' });
    });
  });

  test.concurrent('a build that never ends is timed out, and stopped in the PPA', () =>
    play(
      { polls: [{ builds: ['Currently building'] }], afterCancel: ['Cancelled build'] },
      async (scene) => {
        const build = await scene.start({ wholeBuildMs: WAITED_OUT_MS.wholeBuild });
        expect(await build.result()).toMatchObject({
          failure: {
            class: 'timed_out',
            message: expect.stringContaining('the PPA builds nothing of it any more'),
          },
        });
        expect(finals(scene)).toEqual(['FAILURE']);
        const timeouts = await timeoutsOf(build);
        const stopped = timeouts.findIndex(([name]) => name === 'cancelBuilds');
        // Before it is given up it is polled once more, with the time for two minutes and each package.
        expect(timeouts[stopped - 1]).toEqual(['watchBuilds', 130_000]);
      },
    ),
  );

  test.concurrent('binaries that are awaited: the build completes when they are published', () =>
    play(
      {
        polls: [
          { builds: ['Successfully built'], published: false },
          { builds: ['Successfully built'], published: true },
        ],
      },
      async (scene) => {
        const result = await (await scene.start({ awaitPublication: true })).result();
        expect(result).toMatchObject({ state: 'completed' });
        expect(scene.polls()).toBe(2);
      },
    ),
  );

  test.concurrent('binaries that are never published are named when the time is over', () =>
    play({ polls: [{ builds: ['Successfully built'], published: false }] }, async (scene) => {
      const build = await scene.start({
        awaitPublication: true,
        wholeBuildMs: WAITED_OUT_MS.wholeBuild,
      });
      expect(await build.result()).toMatchObject({
        failure: { class: 'timed_out', message: expect.stringContaining('not published') },
      });
    }),
  );

  test.concurrent('a build whose row ended before its workflow began touches nothing', () =>
    play({ endedBefore: true }, async (scene) => {
      await (await scene.start()).result();
      expect(scene.calls).toEqual([]);
    }),
  );

  test.concurrent('the failure has the lines of the log that say why', () =>
    play(
      {
        polls: [{ builds: ['Successfully built', 'Failed to build'] }],
        rootCauses: [
          { package: 'hello', architecture: 'arch0', rule: 'other', excerpt: 'no', line: 1 },
          {
            package: 'hello',
            architecture: 'arch1',
            rule: 'compiler',
            excerpt: 'error:',
            excerptLine: 8,
            line: 9,
          },
        ],
      },
      async (scene) => {
        expect(await (await scene.start()).result()).toMatchObject({
          failure: {
            class: 'build_failed',
            architecture: 'arch1',
            excerpt: 'error:',
            excerpt_line: 8,
            line: 9,
          },
        });
      },
    ),
  );

  test.concurrent('a verdict stands although the logs cannot be had, and an alarm says so', () =>
    play({ polls: [{ builds: ['Successfully built'] }], brokenLogs: true }, async (scene) => {
      const build = await scene.start();
      expect(await build.result()).toEqual({ state: 'completed', logs: [] });
      expect(alarms.map(({ meta }) => meta)).toContainEqual(
        expect.objectContaining({
          alarm: 'logs_not_collected',
          workflowId: build.workflowId,
          buildId: 7,
          problem: 'the disk is full',
        }),
      );
    }),
  );

  test.concurrent(
    'no alarm says so where the logs are those of an attempt that had ended before',
    () =>
      play({ polls: [{ builds: ['Failed to build'] }], endedBeforeLogs: true }, async (scene) => {
        const build = await scene.start();
        await build.result();
        expect(scene.calls).toContain('collectLogs');
        expect(alarms.map(({ meta }) => meta?.['workflowId'])).not.toContain(build.workflowId);
      }),
  );

  test.concurrent('logs that the PPA has not are named by an alarm', () =>
    play({ polls: [{ builds: ['Successfully built'] }], absentLogs: true }, async (scene) => {
      const build = await scene.start();
      expect(await build.result()).toEqual({ state: 'completed', logs: [] });
      expect(alarms.map(({ meta }) => meta)).toContainEqual(
        expect.objectContaining({
          alarm: 'logs_not_collected',
          workflowId: build.workflowId,
          buildId: 7,
          problem: 'arch0 could not be fetched',
        }),
      );
    }),
  );

  test.concurrent('logs that take all of their time are not asked for again', () => {
    let end = () => {};
    const hangingLogs = new Promise<void>((resolve) => (end = resolve));
    return play({ polls: [{ builds: ['Successfully built'] }], hangingLogs }, async (scene) => {
      const build = await scene.start({ logCollectionMs: WAITED_OUT_MS.step });
      expect(await build.result()).toEqual({ state: 'completed', logs: [] });
      expect(scene.calls.filter((call) => call === 'collectLogs')).toHaveLength(1);
    }).finally(end);
  });

  test.concurrent.each([
    ['mergeProposal', { sourceCheckMs: WAITED_OUT_MS.stepOnceTaken }, 'transferQueue', OF_PROPOSAL],
    ['checkSources', { sourceCheckMs: WAITED_OUT_MS.stepOnceTaken }, 'transferQueue', {}],
    ['collectLogs', { logCollectionMs: WAITED_OUT_MS.stepOnceTaken }, 'logQueue', {}],
  ] as const)(
    'the time of %s is not that in which no worker is free',
    (step, limit, its, request) =>
      play({ polls: [{ builds: ['Successfully built'] }] }, async (scene) => {
        const queue = `${taskQueue}-late-${step}`;
        const build = await scene.start({ ...limit, [its]: queue }, { request });
        const waitsSinceMs = await askedAtMs(build, step);
        const isOver = () => Date.now() > waitsSinceMs + WAITED_OUT_MS.stepOnceTaken + 1_000;
        await until('its time would be over', isOver, PATIENCE_MS);
        await startWorker(queue);
        expect(await build.result()).toEqual({
          state: 'completed',
          logs: ['http://store/arch0.log'],
        });
      }),
  );

  test.concurrent('a build whose sources no worker takes says so at its end', () =>
    play({}, async (scene) => {
      const build = await scene.start({
        transferQueue: `${taskQueue}-nobody`,
        wholeBuildMs: WAITED_OUT_MS.step,
      });
      expect(await build.result()).toMatchObject({
        failure: {
          class: 'timed_out',
          message:
            'the build did not end within 5 s (AIRLINE_WHOLE_BUILD_MS): no worker took the check of the sources',
        },
      });
    }),
  );

  test.concurrent('transfers and logs take no slot of polls and cancellations', () =>
    play({ polls: [{ builds: ['Successfully built'] }] }, async (scene) => {
      const build = await scene.start({ transferQueue, logQueue, ppaWatch: false });
      expect(await build.result()).toMatchObject({ state: 'completed' });
      const { events } = await build.fetchHistory();
      const queues = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: task }) =>
        task ? [[task.activityType?.name, task.taskQueue?.name]] : [],
      );
      expect(queues).toEqual([
        ['checkSources', transferQueue],
        ['uploadSource', transferQueue],
        ['watchBuilds', taskQueue],
        ['collectLogs', logQueue],
      ]);
    }),
  );

  test.concurrent('each step has its tries, and its time for one and for a sign of life', () =>
    play({ polls: [{ builds: ['Successfully built'] }] }, async (scene) => {
      const limits = {
        ppaWatch: false,
        sourceCheckMs: 60_000,
        uploadSessionMs: 70_000,
        logCollectionMs: 80_000,
      };
      const build = await scene.start(limits, { request: OF_PROPOSAL });
      await build.result();
      expect(await triesOf(build)).toEqual({
        mergeProposal: { most: 20, onceS: 60, silentS: 30 },
        checkSources: { most: 20, onceS: 60, silentS: 30 },
        uploadSource: { most: 0, onceS: 70, silentS: 30 },
        watchBuilds: { most: 0, onceS: 130, silentS: 30 },
        collectLogs: { most: 20, onceS: 80, silentS: 30 },
      });
    }),
  );

  test.concurrent('the status query tells where a build stands', () =>
    play({ polls: [{ builds: ['Currently building'] }] }, async (scene) => {
      const build = await scene.start();
      const status = await statusOf(build, ({ records }) => records.length > 0);
      expect(status).toMatchObject({ state: 'building', records: [{ architecture: 'arch0' }] });
      await build.signal('cancel', 'test');
      await build.result();
      expect(await queryWorkflow<BuildStatus>(build, 'status')).toMatchObject({
        state: 'failed',
        cancellation: { requestedBy: 'test' },
      });
    }),
  );

  test.concurrent(
    'Temporal shows how often the PPA was polled, before it shows the upload, too',
    () =>
      play({ polls: [{ builds: [] }] }, async (scene) => {
        const build = await scene.start({ cancellationMs: 1, ppaWatch: false });
        await statusOf(build, ({ polls }) => polls > 1);
        const { currentDetails } = await queryWorkflow<{ currentDetails: string }>(
          build,
          '__temporal_workflow_metadata',
        );
        expect(currentDetails).toMatch(/^\*\*accepting\*\* .* · [1-9]\d* polls of the PPA$/);
        await build.signal('cancel', 'test');
        await build.result();
      }),
  );

  test.concurrent(
    'a long build continues as new and loses neither its state nor its messages',
    () =>
      play(
        {
          polls: [
            ...Array.from({ length: 6 }, () => ({ builds: ['Currently building'] })),
            { builds: ['Successfully built'] },
          ],
        },
        async (scene) => {
          const build = await scene.start({ historyMaxEvents: 30, ppaWatch: false });
          expect(await build.result()).toMatchObject({ state: 'completed' });
          const { historyLength } = await build.describe();
          expect(historyLength).toBeLessThan(60);
          expect(scene.calls.filter((call) => call === 'uploadSource')).toHaveLength(1);
          expect(scene.polls()).toBe(7);
          expect(steps(scene)).toEqual([
            'STARTED checking',
            'STARTED uploading',
            'STARTED accepting',
            'INPROGRESS',
            'INPROGRESS',
            'INPROGRESS collecting',
            'COMPLETE',
          ]);
        },
      ),
  );

  test.concurrent('a build that is watched sleeps: what it is not told costs it no event', () => {
    const polls = Array.from({ length: 30 }, () => ({ builds: ['Currently building'] }));
    return play({ polls: [...polls, { builds: ['Successfully built'] }] }, async (scene) => {
      const build = await scene.start();
      expect(await build.result()).toMatchObject({ state: 'completed' });
      expect(scene.joins()).toBe(1);
      expect((await build.describe()).historyLength).toBeLessThan(50);
    });
  });

  test.concurrent('a build that is told to polls by itself, and is watched again', () =>
    play({ polls: [{ builds: ['Currently building'] }] }, async (scene) => {
      const build = await scene.start();
      await statusOf(build, ({ records }) => records.length > 0);
      await build.signal(NEWS_SIGNAL, { ask: true });
      await statusOf(build, ({ polls }) => polls === 1);
      await until('it joins again', () => scene.joins() === 2, PATIENCE_MS);
      await build.signal('cancel', 'test');
      await build.result();
    }),
  );

  test.concurrent('a build that is watched continues as new, and is watched after that', () => {
    const polls = [{ builds: ['Currently building'] }];
    return play({ polls }, async (scene) => {
      const build = await scene.start({ historyMaxEvents: 20 });
      await until('it joins in a new run', () => scene.joins() === 2, PATIENCE_MS);
      polls.push({ builds: ['Successfully built'] });
      expect(await build.result()).toMatchObject({ state: 'completed' });
      expect((await inputOfLastRun<BuildSourceInput>(client, build)).resumed?.accepted).toBe(true);
      expect(scene.calls.filter((call) => call === 'uploadSource')).toHaveLength(1);
    });
  });

  test.concurrent('a request with long URLs continues as new, and carries no more of them', () => {
    const names = Array.from({ length: 640 }, (_, at) => `hello_1.0.orig-part${at}.tar.xz`);
    const files = names.map((name) => ({
      name,
      url: `http://store/${'x'.repeat(1_600)}/${name}`,
      sizeBytes: 1,
      sha256: 'f'.repeat(64),
    }));
    const polls = [{ builds: ['Currently building'] }, { builds: ['Successfully built'] }];
    return play({ files, polls }, async (scene) => {
      const sourcePackages = files.map(({ url }) => url);
      const build = await scene.start(
        { historyMaxEvents: 20, ppaWatch: false },
        { request: { sourcePackages } },
      );
      expect(await build.result()).toMatchObject({ state: 'completed' });
      const { request, resumed } = await inputOfLastRun<BuildSourceInput>(client, build);
      expect(request.sourcePackages).toEqual([]);
      expect(resumed?.packages).toEqual([{ source: 'hello', version: '1.0-1', files: [] }]);
    });
  });
});

test.concurrent('what an earlier request has left in the PPA is asked for again, too', () =>
  play(
    {
      sources: ['hello', 'world'],
      alreadyThere: ['hello'],
      polls: [{ builds: ['Successfully built'] }],
    },
    async (scene) => {
      expect(await (await scene.start()).result()).toMatchObject({ state: 'completed' });
      expect(scene.calls).toEqual([
        'checkSources',
        'uploadSource',
        'uploadSource',
        'retryBuilds of earlier requests',
        'collectLogs',
      ]);
    },
  ),
);

describe('a later attempt', () => {
  const retry = [{ source: 'hello', version: '1.0-1' }];

  test.concurrent('asks the PPA to retry what failed and uploads nothing', () =>
    play({ polls: [{ builds: ['Successfully built'] }], retried: 1 }, async (scene) => {
      const build = await scene.start({}, { retry });
      expect(await build.result()).toMatchObject({ state: 'completed' });
      expect(scene.calls).toEqual(['retryBuilds', 'collectLogs']);
    }),
  );

  test.concurrent(
    'of one architecture asks for it alone; what failed besides is failed still',
    () =>
      play(
        {
          polls: [
            { builds: ['Currently building', 'Failed to build'] },
            { builds: ['Successfully built', 'Failed to build'] },
          ],
          retried: 1,
        },
        async (scene) => {
          const request = { attempt: 2, retryArchitectures: ['amd64'] };
          const build = await scene.start({}, { retry, request });
          expect(await build.result()).toMatchObject({
            state: 'failed',
            failure: { class: 'build_failed' },
          });
          expect(scene.calls).toEqual(['retryBuilds', 'retry on amd64', 'collectLogs']);
        },
      ),
  );

  test.concurrent('goes the whole way where the PPA has nothing to retry', () =>
    play({ polls: [{ builds: ['Successfully built'] }], retried: 0 }, async (scene) => {
      const build = await scene.start({}, { retry });
      expect(await build.result()).toMatchObject({ state: 'completed' });
      expect(scene.calls).toEqual(['retryBuilds', 'checkSources', 'uploadSource', 'collectLogs']);
    }),
  );

  test.concurrent('that uploads asks the PPA to retry what it has from an earlier one', () =>
    play(
      { alreadyThere: ['hello'], polls: [{ builds: ['Successfully built'] }], retried: 1 },
      async (scene) => {
        const build = await scene.start({}, { request: { attempt: 2 } });
        expect(await build.result()).toMatchObject({ state: 'completed' });
        expect(scene.calls).toEqual(['checkSources', 'uploadSource', 'retryBuilds', 'collectLogs']);
      },
    ),
  );

  test.concurrent('that the PPA does not take in the time for the whole build says so', () => {
    let release = () => {};
    const hangingRetry = new Promise<void>((resolve) => (release = resolve));
    return play({ ...ARRIVED_WITHOUT_A_WORD, retried: 1, hangingRetry }, async (scene) => {
      const build = await scene.start(
        { wholeBuildMs: WAITED_OUT_MS.step },
        { retry: [{ source: 'hello', version: '1.0-1' }] },
      );
      expect(await build.result()).toMatchObject({
        failure: {
          class: 'timed_out',
          message: expect.stringMatching(
            /^the build did not end within 5 s \(AIRLINE_WHOLE_BUILD_MS\): the retry in the PPA did /,
          ),
        },
      });
    }).finally(release);
  });
});

describe('cancelling a build', () => {
  test.concurrent('while the PPA is asked to retry: what it builds again is stopped', async () => {
    let release = () => {};
    const hangingRetry = new Promise<void>((resolve) => (release = resolve));
    const script = { ...ARRIVED_WITHOUT_A_WORD, retried: 1, hangingRetry };
    await play(script, async (scene) => {
      const build = await scene.start({}, { retry: [{ source: 'hello', version: '1.0-1' }] });
      await until('the PPA is asked', () => scene.calls.includes('retryBuilds'), PATIENCE_MS);
      await build.signal('cancel', 'ana');
      await statusOf(build, ({ cancellation }) => cancellation !== null);
      release();
      expect(await build.result()).toMatchObject({
        failure: {
          class: 'cancelled',
          message: expect.stringContaining('the PPA builds nothing of it any more'),
        },
      });
      expect(scene.calls).toEqual(['retryBuilds', 'cancelBuilds', 'collectLogs']);
    });
  });

  test.concurrent(
    'while the PPA builds: the PPA is asked, its end awaited, logs kept, one final message',
    () =>
      play(
        { polls: [{ builds: ['Currently building'] }], afterCancel: ['Cancelled build'] },
        async (scene) => {
          const build = await scene.start();
          await until('it polls', () => scene.polls() > 0, PATIENCE_MS);
          await build.signal('cancel', 'ana');
          await build.signal('cancel', 'ben');
          const result = await build.result();
          expect(result).toMatchObject({
            state: 'failed',
            failure: { class: 'cancelled', message: expect.stringContaining('cancelled by ana') },
            logs: ['http://store/arch0.log'],
          });
          expect(scene.calls).toContain('cancelBuilds');
          expect(finals(scene)).toEqual(['FAILURE']);
        },
      ),
  );

  test.concurrent(
    'while its logs are collected: they are kept, and the caller learns what was built',
    async () => {
      let release = () => {};
      const hangingLogs = new Promise<void>((resolve) => (release = resolve));
      await play({ polls: [{ builds: ['Successfully built'] }], hangingLogs }, async (scene) => {
        const build = await scene.start();
        await until('it collects', () => scene.calls.includes('collectLogs'), PATIENCE_MS);
        await build.signal('cancel', 'ana');
        await statusOf(build, ({ cancellation }) => cancellation !== null);
        release();
        expect(await build.result()).toMatchObject({
          failure: { class: 'cancelled', message: expect.stringContaining('had built all of it') },
          logs: ['http://store/arch0.log'],
        });
        expect(finals(scene)).toEqual(['FAILURE']);
      });
    },
  );

  test.concurrent(
    'in mid-upload: the session is given up and nothing is looked for in the PPA',
    () =>
      play({ hangingUpload: true }, async (scene) => {
        expect(await cancelledInUpload(scene)).toMatchObject({
          failure: {
            class: 'cancelled',
            message: expect.stringContaining('nothing had been uploaded'),
          },
        });
        expect(scene.polls()).toBe(0);
        expect(steps(scene)).toEqual(['STARTED checking', 'STARTED uploading', 'FAILURE']);
      }),
  );

  test.concurrent(
    'in mid-upload, of a run that is reset: what an earlier run has sent is stopped',
    () =>
      play(
        {
          hangingUpload: true,
          sentBefore: {
            packages: [{ source: 'hello', version: '1.0-1' }],
            accepted: true,
            records: [buildRecord('Currently building', 'amd64')],
          },
          afterCancel: ['Cancelled build'],
        },
        async (scene) => {
          expect(await cancelledInUpload(scene)).toMatchObject({
            failure: {
              class: 'cancelled',
              message: 'cancelled by ana; the PPA builds nothing of it any more',
            },
            logs: ['http://store/arch0.log'],
          });
          expect(scene.calls).toEqual([
            'checkSources',
            'uploadSource',
            'cancelBuilds',
            'collectLogs',
          ]);
          expect(finals(scene)).toEqual(['FAILURE']);
        },
      ),
  );

  test.concurrent(
    'in mid-upload, of a run that is reset: it says so where nobody knows what was sent',
    () =>
      play(
        { hangingUpload: true, sentBefore: { packages: [], accepted: false, records: [] } },
        async (scene) => {
          expect(await cancelledInUpload(scene)).toMatchObject({
            failure: {
              message:
                'cancelled by ana; the PPA had not shown the upload yet and may still build it',
            },
          });
          expect(finals(scene)).toEqual(['FAILURE']);
        },
      ),
  );

  test.concurrent('by the cancel URL', () =>
    play(
      {
        polls: [{ builds: ['Currently building'], cancelRequested: true }],
        afterCancel: ['Cancelled build'],
      },
      async (scene) => {
        expect(await (await scene.start()).result()).toMatchObject({
          failure: { class: 'cancelled', message: expect.stringContaining('the cancel URL') },
        });
      },
    ),
  );

  test.concurrent('by the cancel URL, before the PPA is asked to retry', () =>
    play({ ...ARRIVED_WITHOUT_A_WORD, callerGone: 'retryBuilds' }, async (scene) => {
      const build = await scene.start(
        {},
        {
          retry: [{ source: 'hello', version: '1.0-1' }],
          request: { attempt: 2, cancelUrl: 'http://lander/caller' },
        },
      );
      expect(await build.result()).toMatchObject({
        failure: {
          class: 'cancelled',
          message: 'cancelled by the cancel URL; the PPA builds nothing of it any more',
        },
      });
      expect(scene.calls).not.toContain('uploadSource');
    }),
  );

  test.concurrent.each(['checkSources', 'uploadSource'] as const)(
    'by the cancel URL, in %s: nothing is uploaded, and nothing is looked for in the PPA',
    (callerGone) =>
      play({ callerGone }, async (scene) => {
        expect(await (await scene.start()).result()).toMatchObject({
          failure: {
            class: 'cancelled',
            message: 'cancelled by the cancel URL; nothing had been uploaded',
          },
        });
        expect(scene.calls.at(-1)).toBe(callerGone);
        expect(scene.polls()).toBe(0);
        expect(finals(scene)).toEqual(['FAILURE']);
      }),
  );

  test.concurrent('the poll after it has the time that is left, and no more', () =>
    play(
      { polls: [{ builds: ['Currently building'] }], afterCancel: ['Cancelled build'] },
      async (scene) => {
        const build = await scene.start();
        await until('it polls', () => scene.polls() > 0, PATIENCE_MS);
        await build.signal('cancel', 'ana');
        await build.result();
        const timeouts = await timeoutsOf(build);
        const { cancelBuilds, watchBuilds } = Object.fromEntries(timeouts);
        expect(cancelBuilds).toBeLessThanOrEqual(BUILD_LIMITS.cancellationMs);
        expect(watchBuilds).toBeLessThan(cancelBuilds ?? 0);
      },
    ),
  );

  test.concurrent('a PPA that does not end a build in time is named in the failure', () =>
    play(
      { polls: [{ builds: ['Currently building'] }], afterCancel: ['Cancelling build'] },
      async (scene) => {
        const build = await scene.start({ cancellationMs: WAITED_OUT_MS.cancellation });
        await statusOf(build, ({ state }) => state === 'building');
        await build.signal('cancel', 'ana');
        expect(await build.result()).toMatchObject({
          failure: { message: expect.stringContaining('did not end hello on arch0 in time') },
        });
      },
    ),
  );

  test.concurrent.each([
    [
      'a PPA that cannot be asked to stop is not blamed, and the answer says why',
      'cancelBuilds',
      'the cancellation in the PPA',
      'the PPA could not be asked in time to end hello on arch0, which may go on there',
    ],
    [
      'a PPA that was asked, and is away since, is named with what it says',
      'watchBuilds',
      'the poll of the PPA',
      'the PPA did not end hello on arch0 in time',
    ],
  ] as const)('%s', (_, away, step, left) =>
    play({ polls: [{ builds: ['Currently building'] }], away }, async (scene) => {
      const build = await scene.start({ cancellationMs: WAITED_OUT_MS.cancellation });
      await statusOf(build, ({ state }) => state === 'building');
      await build.signal('cancel', 'ana');
      const result = await build.result();
      const message = result.state === 'failed' ? result.failure.message : '';
      const [words, ...because] = message.split(': ');
      expect(words).toBe(`cancelled by ana; ${left}`);
      expect(because[0]).toMatch(new RegExp(`^${step} `));
      expect(because.at(-1)).toBe('Launchpad does not answer');
    }),
  );

  test.concurrent(
    "by Temporal's own cancellation: the same path, and the workflow closes as cancelled",
    () =>
      play(
        { polls: [{ builds: ['Currently building'] }], afterCancel: ['Cancelled build'] },
        async (scene) => {
          const build = await scene.start();
          await until('it polls', () => scene.polls() > 0, PATIENCE_MS);
          await build.cancel();
          await expect(build.result()).rejects.toThrow(WorkflowFailedError);
          expect((await build.describe()).status.name).toBe('CANCELLED');
          expect(scene.calls).toContain('cancelBuilds');
          expect(finals(scene)).toEqual(['FAILURE']);
        },
      ),
  );

  test.concurrent('what another request waits for goes on, and the answer names it', () =>
    play({ polls: [{ builds: ['Currently building'] }], keptFor: 8 }, async (scene) => {
      const build = await scene.start();
      await until('it polls', () => scene.polls() > 0, PATIENCE_MS);
      await build.signal('cancel', 'ana');
      expect(await build.result()).toMatchObject({
        failure: {
          class: 'cancelled',
          message: 'cancelled by ana; the PPA goes on with hello on arch0 for build 8',
        },
      });
    }),
  );

  test.concurrent('what waits for its dependencies is built later, and the answer says so', () =>
    play(
      { polls: [{ builds: ['Dependency wait'] }], afterCancel: ['Dependency wait'] },
      async (scene) => {
        const build = await scene.start();
        await until('it polls', () => scene.polls() > 0, PATIENCE_MS);
        await build.signal('cancel', 'ana');
        expect(await build.result()).toMatchObject({
          failure: {
            class: 'cancelled',
            message:
              'cancelled by ana; hello on arch0 waits for its dependencies; the PPA builds it when they come, unless its source is deleted there',
          },
        });
      },
    ),
  );

  test.concurrent('goes on in new runs for as long as the PPA takes, until the same time', () =>
    play(
      {
        polls: [{ builds: ['Currently building'] }],
        cancellingPolls: 6,
        afterCancel: ['Cancelled build'],
      },
      async (scene) => {
        const build = await scene.start({ historyMaxEvents: 30, ppaWatch: false });
        await until('it polls', () => scene.polls() > 0, PATIENCE_MS);
        await client.workflow.getHandle(build.workflowId).signal('cancel', 'ana');
        expect(await build.result()).toMatchObject({
          failure: {
            class: 'cancelled',
            message: 'cancelled by ana; the PPA builds nothing of it any more',
          },
        });
        const { resumed } = await inputOfLastRun<BuildSourceInput>(client, build);
        const { requestedAtMs = 0 } = resumed?.cancellation ?? {};
        const { rounds = 0, untilMs = 0 } = resumed?.stopping ?? {};
        expect(rounds).toBeGreaterThan(1);
        expect(untilMs - requestedAtMs).toBeLessThan(BUILD_LIMITS.cancellationMs + 60_000);
        expect(finals(scene)).toEqual(['FAILURE']);
      },
    ),
  );

  test.concurrent('a signal to a build that continues as new again and again is not lost', () =>
    play(
      { polls: [{ builds: ['Currently building'] }], afterCancel: ['Cancelled build'] },
      async (scene) => {
        const build = await scene.start({ historyMaxEvents: 30, ppaWatch: false });
        await until('it polls', () => scene.polls() >= 5, PATIENCE_MS);
        await client.workflow.getHandle(build.workflowId).signal('cancel', 'ana');
        expect(await client.workflow.getHandle(build.workflowId).result()).toMatchObject({
          failure: { class: 'cancelled' },
        });
        expect(finals(scene)).toEqual(['FAILURE']);
      },
    ),
  );
});

describe('a request with an order', () => {
  const request = { order: 'dependencies' as const };
  /** base, and other beside it; lib needs base; app needs lib and other. */
  const sources = ['base', 'other', 'lib', 'app'];
  const places = [
    { level: 0, after: [] },
    { level: 0, after: [] },
    { level: 1, after: [0] },
    { level: 2, after: [1, 2] },
  ];
  /** What the polls of lib show where it takes long. */
  const longLib = { lib: [...Array(6).fill('Currently building'), 'Successfully built'] };
  const states = ({ reports }: Scene) =>
    reports
      .at(-1)
      ?.sequence?.map(({ package: name, state, reason }) =>
        [name, state, reason].filter(Boolean).join(' '),
      );

  test.concurrent('uploads a level when the one before it is published, and says so', () =>
    play({ sources, inOrder: { places } }, async (scene) => {
      const result = await (await scene.start({ awaitPublication: false }, { request })).result();
      expect(result).toMatchObject({ state: 'completed' });
      expect(scene.uploaded).toEqual(sources);
      const keys = scene.reports.map(({ key }) => key);
      expect(keys.filter((key) => /^(?:uploading|accepting)/.test(key))).toEqual([
        'uploading',
        'accepting',
        'uploading-1',
        'accepting-1',
        'uploading-2',
        'accepting-2',
      ]);
      const second = scene.reports.find(({ key }) => key === 'uploading-1');
      expect(second?.sequence).toEqual([
        { package: 'base', version: '1.0-1', level: 0, after: [], state: 'uploaded' },
        { package: 'other', version: '1.0-1', level: 0, after: [], state: 'uploaded' },
        { package: 'lib', version: '1.0-1', level: 1, after: ['base'], state: 'waiting' },
        { package: 'app', version: '1.0-1', level: 2, after: ['other', 'lib'], state: 'waiting' },
      ]);
      expect(states(scene)).toEqual(sources.map((name) => `${name} uploaded`));
    }),
  );

  test.concurrent('leaves out what needs a package that was not built, and builds the rest', () =>
    play(
      {
        sources: [...sources, 'tool'],
        inOrder: {
          places: [...places.slice(0, 3), { level: 2, after: [1, 2] }, { level: 2, after: [1] }],
          states: { base: ['Currently building', 'Failed to build'] },
        },
      },
      async (scene) => {
        expect(await (await scene.start({}, { request })).result()).toMatchObject({
          failure: {
            class: 'build_failed',
            package: 'base',
            message:
              'base 1.0-1 on base: Failed to build; not built: lib 1.0-1 (base failed), app 1.0-1 (lib was not built)',
          },
        });
        expect(scene.uploaded).toEqual(['base', 'other', 'tool']);
        expect(states(scene)).toEqual([
          'base uploaded',
          'other uploaded',
          'lib not_built base failed',
          'app not_built lib was not built',
          'tool uploaded',
        ]);
      },
    ),
  );

  test.concurrent(
    'waits in a phase of its own for what is not published, until the time is over',
    () =>
      play({ sources, inOrder: { places, neverPublished: true } }, async (scene) => {
        const build = await scene.start({ wholeBuildMs: WAITED_OUT_MS.wholeBuild }, { request });
        await statusOf(build, ({ phase }) => phase === 'prerequisite_wait');
        expect(await build.result()).toMatchObject({
          failure: {
            class: 'timed_out',
            message: expect.stringMatching(
              /not published.*; not built: lib 1\.0-1 \(the build ended before\), app /,
            ),
          },
        });
        expect(scene.uploaded).toEqual(['base', 'other']);
      }),
  );

  test.concurrent('is not called built where a later level is out of time in its upload', () =>
    play(
      { sources, inOrder: { places }, silentUpload: 'sending', silentSource: 'lib' },
      async (scene) => {
        const build = await scene.start(
          { wholeBuildMs: 1.5 * WAITED_OUT_MS.wholeBuild, awaitPublication: false },
          { request },
        );
        expect(await build.result()).toMatchObject({
          failure: { class: 'timed_out', message: expect.stringMatching(/did not end within/) },
        });
        expect(scene.uploaded).toContain('lib');
      },
    ),
  );

  test.concurrent('uploads nothing more once it is cancelled', () =>
    play(
      { sources, inOrder: { places, states: { base: ['Currently building'] } } },
      async (scene) => {
        const build = await scene.start({}, { request });
        await statusOf(build, ({ phase, records }) => phase === 'building' && records.length > 0);
        await build.signal('cancel', 'ana');
        expect(await build.result()).toMatchObject({ failure: { class: 'cancelled' } });
        expect(scene.calls).toContain('cancelBuilds');
        expect(scene.uploaded).toEqual(['base', 'other']);
        expect(states(scene)?.slice(2)).toEqual([
          'lib not_built the build ended before',
          'app not_built the build ended before',
        ]);
      },
    ),
  );

  test.concurrent('takes what a watch repeats of a level for no verdict on the next one', () =>
    play(
      {
        sources,
        inOrder: { places, states: longLib },
        repeatedNews: true,
      },
      async (scene) => {
        const build = await scene.start({}, { request });
        expect(await build.result()).toMatchObject({ state: 'completed' });
        expect(scene.uploaded).toEqual(sources);
      },
    ),
  );

  test.concurrent('keeps its level where it continues as new', () =>
    play(
      {
        sources,
        inOrder: { places, states: longLib },
      },
      async (scene) => {
        const build = await scene.start({ historyMaxEvents: 20 }, { request });
        expect(await build.result()).toMatchObject({ state: 'completed' });
        expect(scene.uploaded).toEqual(sources);
        expect(scene.calls.filter((call) => call === 'checkSources')).toHaveLength(1);
      },
    ),
  );

  test.concurrent('a retry asks again for what failed in the PPA, and goes on from there', () =>
    play(
      { sources, alreadyThere: ['base', 'other'], inOrder: { places }, retried: 1 },
      async (scene) => {
        const build = await scene.start({}, { request: { ...request, attempt: 2 } });
        expect(await build.result()).toMatchObject({ state: 'completed' });
        expect(scene.calls.filter((call) => call.startsWith('retry'))).toEqual([
          'retryBuilds',
          'retry base other',
        ]);
        expect(scene.uploaded).toEqual(sources);
      },
    ),
  );
});
