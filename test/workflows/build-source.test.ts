import { randomUUID } from 'node:crypto';
import { Client, Connection, WorkflowFailedError } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { BuildLimits } from '../../domain/build-request.ts';
import type {
  BuildSourceInput,
  BuildSourceResult,
  BuildStatus,
} from '../../domain/build-workflow.ts';
import { temporalAddress, workflowBundle } from '../support/addresses.ts';
import { until } from '../support/until.ts';
import { scriptedActivities, type PpaScript } from './scripted-activities.ts';

const LIMITS: BuildLimits = {
  pollInitialMs: 5,
  pollFactor: 1,
  pollMaxMs: 5,
  progressIntervalMs: 60_000,
  acceptanceMs: 10_000,
  dependencyWaitMs: 10_000,
  wholeBuildMs: 30_000,
  sourceCheckMs: 10_000,
  uploadMs: 10_000,
  logCollectionMs: 10_000,
  cancellationMs: 5_000,
  historyMaxEvents: 2_000,
};

// A timer takes Temporal's development server about a second, however short it is.
jest.setTimeout(60_000);

let connection: Connection;
let nativeConnection: NativeConnection;
let client: Client;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  connection = await Connection.connect({ address: temporalAddress() });
  nativeConnection = await NativeConnection.connect({ address: temporalAddress() });
  client = new Client({ connection });
});

afterAll(async () => {
  await connection.close();
  await nativeConnection.close();
});

type Scene = ReturnType<typeof scriptedActivities> & {
  start(
    limits?: Partial<BuildLimits>,
    input?: Pick<BuildSourceInput, 'retry'>,
  ): ReturnType<typeof startBuild>;
};

/** Runs a scenario with a worker of its own whose activities play the script. */
async function play<T>(script: PpaScript, scenario: (scene: Scene) => Promise<T>): Promise<T> {
  const scripted = scriptedActivities(script);
  const taskQueue = `test-${randomUUID()}`;
  const worker = await Worker.create({
    connection: nativeConnection,
    taskQueue,
    workflowBundle: { codePath: workflowBundle() },
    activities: scripted.activities,
    maxHeartbeatThrottleInterval: 20,
    defaultHeartbeatThrottleInterval: 20,
  });
  return worker.runUntil(() =>
    scenario({
      ...scripted,
      start: (limits, input) => startBuild(taskQueue, { ...LIMITS, ...limits }, input),
    }),
  );
}

function startBuild(
  taskQueue: string,
  limits: BuildLimits,
  more: Pick<BuildSourceInput, 'retry'> = {},
) {
  const input: BuildSourceInput = {
    ...more,
    request: {
      buildId: 7,
      ticketId: 3,
      sourcePackages: ['http://store/hello_1.0-1_source.changes'],
      series: 'bookworm',
      ppa: 'ppa:airline/test',
      archive: 'debian',
      progressTrigger: 'lander',
      cancelUrl: null,
    },
    ppa: { owner: 'airline', distribution: 'debian', name: 'test' },
    limits,
  };
  return client.workflow.start<(input: BuildSourceInput) => Promise<BuildSourceResult>>(
    'BuildSourceWorkflow',
    { taskQueue, workflowId: randomUUID(), args: [input], workflowExecutionTimeout: '1 minute' },
  );
}

const messages = ({ reports }: Scene) => reports.map(({ message }) => message);
const finals = (scene: Scene) =>
  messages(scene).filter((message) => /COMPLETE|FAILURE/.test(message));

/** The PPA takes the upload of a worker that is never heard of again. */
const ARRIVED_WITHOUT_A_WORD: PpaScript = {
  silentUpload: 'committing',
  looks: [{ builds: ['Currently building'] }],
  afterCancel: ['Cancelled build'],
};

describe('BuildSourceWorkflow', () => {
  test('a build that succeeds is reported from start to end and gives its logs', () =>
    play(
      {
        looks: [
          { builds: [] },
          { builds: ['Needs building'] },
          { builds: ['Currently building'] },
          { builds: ['Successfully built'] },
        ],
      },
      async (scene) => {
        const result = await (await scene.start()).result();
        expect(result).toEqual({ state: 'completed', logs: ['http://store/arch0.log'] });
        expect(messages(scene)).toEqual([
          'STARTED',
          'INPROGRESS',
          'INPROGRESS',
          'INPROGRESS',
          'COMPLETE',
        ]);
        expect(scene.reports.at(-1)).toMatchObject({ logs: ['http://store/arch0.log'] });
      },
    ));

  test('a build that fails on one architecture waits for the others, then fails with its class', () =>
    play(
      {
        looks: [
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
        expect(scene.looks()).toBe(2);
        expect(finals(scene)).toEqual(['FAILURE']);
      },
    ));

  test('sources that are wrong end the build before anything is uploaded', () =>
    play({ refusedSources: 'checksum_mismatch' }, async (scene) => {
      const result = await (await scene.start()).result();
      expect(result).toMatchObject({ failure: { class: 'invalid_source', retryable: false } });
      expect(scene.calls).toEqual(['checkSources']);
      expect(messages(scene)).toEqual(['STARTED', 'FAILURE']);
    }));

  test('an upload that never gets through fails as upload_failed', () =>
    play({ brokenUpload: 'hello' }, async (scene) => {
      const result = await (await scene.start({ uploadMs: 300 })).result();
      expect(result).toMatchObject({ failure: { class: 'upload_failed', retryable: true } });
      expect(finals(scene)).toEqual(['FAILURE']);
      expect(scene.looks()).toBe(0);
    }));

  test('one of several that does not get through fails the build, which names what was sent before it', () =>
    play({ sources: ['hello', 'world'], brokenUpload: 'world' }, async (scene) => {
      expect(await (await scene.start({ uploadMs: 300 })).result()).toMatchObject({
        failure: {
          class: 'upload_failed',
          message: expect.stringMatching(
            /; hello 1\.0-1 had been sent to .*test, which may build what it takes$/,
          ),
        },
      });
    }));

  test('one of several that the PPA never shows is named, and so is what it builds of the others', () =>
    play(
      { sources: ['hello', 'world'], looks: [{ builds: ['Currently building'], accepted: false }] },
      async (scene) => {
        expect(await (await scene.start({ acceptanceMs: 60 })).result()).toMatchObject({
          failure: {
            class: 'upload_rejected',
            message: expect.stringMatching(
              /; hello 1\.0-1 had been sent to .*test, which may build what it takes$/,
            ),
          },
        });
      },
    ));

  test('an upload of which no word comes back is stopped in the PPA, should it have arrived', () =>
    play(ARRIVED_WITHOUT_A_WORD, async (scene) => {
      const result = await (await scene.start({ uploadMs: 300 })).result();
      expect(result).toMatchObject({
        failure: {
          class: 'upload_failed',
          message: expect.stringMatching(/did not end in time; the PPA builds nothing of it/),
        },
      });
      expect(scene.calls).toContain('cancelBuilds');
      expect(finals(scene)).toEqual(['FAILURE']);
    }));

  test('one that fell silent before its last file is not looked for there', () =>
    play({ silentUpload: 'sending' }, async (scene) => {
      const result = await (await scene.start({ uploadMs: 300 })).result();
      expect(result).toMatchObject({ failure: { class: 'upload_failed' } });
      expect(scene.looks()).toBe(0);
    }));

  test('one that was cancelled meanwhile is stopped there, too', () =>
    play(ARRIVED_WITHOUT_A_WORD, async (scene) => {
      const build = await scene.start({ uploadMs: 2_000 });
      await until('it uploads', () => scene.calls.includes('uploadSource'));
      await build.signal('cancel', 'ann');
      expect(await build.result()).toMatchObject({
        failure: {
          class: 'cancelled',
          message: expect.stringMatching(/by ann; .*the PPA builds nothing of it/),
        },
      });
      expect(scene.calls).toContain('cancelBuilds');
    }));

  test('an upload that the PPA never shows is rejected after the acceptance deadline', () =>
    play({ looks: [{ builds: [] }] }, async (scene) => {
      const result = await (await scene.start({ acceptanceMs: 60 })).result();
      expect(result).toMatchObject({ failure: { class: 'upload_rejected' } });
      expect(messages(scene)).toEqual(['STARTED', 'FAILURE']);
    }));

  test('one that broke off in its last file completes where the PPA has it', () =>
    play({ unclearUpload: true, looks: [{ builds: ['Successfully built'] }] }, async (scene) => {
      expect(await (await scene.start()).result()).toMatchObject({ state: 'completed' });
    }));

  test('one that broke off in its last file and is never shown fails, and a retry can help', () =>
    play({ unclearUpload: true, looks: [{ builds: [] }] }, async (scene) => {
      const result = await (await scene.start({ acceptanceMs: 60 })).result();
      expect(result).toMatchObject({
        failure: {
          class: 'upload_failed',
          retryable: true,
          message: expect.stringContaining('hello 1.0-1 within 0.06 s of its upload, which broke'),
          hint: expect.stringContaining('retry the build'),
        },
      });
      expect(scene.calls.filter((call) => call === 'uploadSource')).toHaveLength(1);
    }));

  test('Dependency wait is waited out for its grace and then fails', () =>
    play({ looks: [{ builds: ['Dependency wait'] }] }, async (scene) => {
      const result = await (await scene.start({ dependencyWaitMs: 40 })).result();
      expect(result).toMatchObject({ failure: { class: 'dependency_wait' } });
      expect(scene.looks()).toBeGreaterThan(1);
    }));

  test('Dependency wait that resolves completes', () =>
    play(
      { looks: [{ builds: ['Dependency wait'] }, { builds: ['Successfully built'] }] },
      async (scene) => {
        expect(await (await scene.start()).result()).toMatchObject({ state: 'completed' });
      },
    ));

  test('a build that never ends is timed out, and stopped in the PPA', () =>
    play(
      { looks: [{ builds: ['Currently building'] }], afterCancel: ['Cancelled build'] },
      async (scene) => {
        const result = await (await scene.start({ wholeBuildMs: 1_500 })).result();
        expect(result).toMatchObject({
          failure: {
            class: 'timed_out',
            message: expect.stringContaining('the PPA builds nothing of it any more'),
          },
        });
        expect(scene.calls).toContain('cancelBuilds');
        expect(finals(scene)).toEqual(['FAILURE']);
      },
    ));

  test('binaries that are awaited: the build completes when they are published', () =>
    play(
      {
        looks: [
          { builds: ['Successfully built'], published: false },
          { builds: ['Successfully built'], published: true },
        ],
      },
      async (scene) => {
        const result = await (await scene.start({ awaitPublication: true })).result();
        expect(result).toMatchObject({ state: 'completed' });
        expect(scene.looks()).toBe(2);
      },
    ));

  test('binaries that are never published are named when the time is over', () =>
    play({ looks: [{ builds: ['Successfully built'], published: false }] }, async (scene) => {
      const build = await scene.start({ awaitPublication: true, wholeBuildMs: 1_500 });
      expect(await build.result()).toMatchObject({
        failure: { class: 'timed_out', message: expect.stringContaining('not published') },
      });
    }));

  test('a build whose row ended before its workflow began touches nothing', () =>
    play({ endedBefore: true }, async (scene) => {
      await (await scene.start()).result();
      expect(scene.calls).toEqual([]);
    }));

  test('the failure has the lines of the log that say why', () =>
    play(
      {
        looks: [{ builds: ['Successfully built', 'Failed to build'] }],
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
    ));

  test('a verdict stands although the logs cannot be had', () =>
    play({ looks: [{ builds: ['Successfully built'] }], brokenLogs: true }, async (scene) => {
      expect(await (await scene.start()).result()).toEqual({ state: 'completed', logs: [] });
    }));

  test('the status query tells where a build stands', () =>
    play({ looks: [{ builds: ['Currently building'] }] }, async (scene) => {
      const build = await scene.start();
      let status = await build.query<BuildStatus>('status');
      while (status.records.length === 0) status = await build.query<BuildStatus>('status');
      expect(status).toMatchObject({ state: 'building', records: [{ architecture: 'arch0' }] });
      await build.signal('cancel', 'test');
      await build.result();
      expect(await build.query<BuildStatus>('status')).toMatchObject({
        state: 'failed',
        cancellation: { requestedBy: 'test' },
      });
    }));

  test('a long build continues as new and loses neither its state nor its messages', () =>
    play(
      {
        looks: [
          ...Array.from({ length: 6 }, () => ({ builds: ['Currently building'] })),
          { builds: ['Successfully built'] },
        ],
      },
      async (scene) => {
        const build = await scene.start({ historyMaxEvents: 30 });
        expect(await build.result()).toMatchObject({ state: 'completed' });
        const { historyLength } = await build.describe();
        expect(historyLength).toBeLessThan(50);
        expect(scene.calls.filter((call) => call === 'uploadSource')).toHaveLength(1);
        expect(scene.looks()).toBe(7);
        expect(messages(scene)).toEqual(['STARTED', 'INPROGRESS', 'INPROGRESS', 'COMPLETE']);
      },
    ));
});

describe('a later attempt', () => {
  const retry = [{ source: 'hello', version: '1.0-1' }];

  test('asks the PPA to retry what failed and uploads nothing', () =>
    play({ looks: [{ builds: ['Successfully built'] }], retried: 1 }, async (scene) => {
      const build = await scene.start({}, { retry });
      expect(await build.result()).toMatchObject({ state: 'completed' });
      expect(scene.calls).toEqual(['retryBuilds', 'collectLogs']);
    }));

  test('goes the whole way where the PPA has nothing to retry', () =>
    play({ looks: [{ builds: ['Successfully built'] }], retried: 0 }, async (scene) => {
      const build = await scene.start({}, { retry });
      expect(await build.result()).toMatchObject({ state: 'completed' });
      expect(scene.calls).toEqual(['retryBuilds', 'checkSources', 'uploadSource', 'collectLogs']);
    }));
});

describe('cancelling a build', () => {
  test('while the PPA is asked to retry: what it builds again is stopped', async () => {
    let release = () => {};
    const hangingRetry = new Promise<void>((resolve) => (release = resolve));
    const script = { ...ARRIVED_WITHOUT_A_WORD, retried: 1, hangingRetry };
    await play(script, async (scene) => {
      const build = await scene.start({}, { retry: [{ source: 'hello', version: '1.0-1' }] });
      await until('the PPA is asked', () => scene.calls.includes('retryBuilds'));
      await build.signal('cancel', 'ana');
      while (!(await build.query<BuildStatus>('status')).cancellation);
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

  test('while the PPA builds: the PPA is asked, its end awaited, logs kept, one final message', () =>
    play(
      { looks: [{ builds: ['Currently building'] }], afterCancel: ['Cancelled build'] },
      async (scene) => {
        const build = await scene.start();
        while (scene.looks() === 0) await build.query('status');
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
    ));

  test('while its logs are collected: they are kept, and the caller learns what was built', async () => {
    let release = () => {};
    const hangingLogs = new Promise<void>((resolve) => (release = resolve));
    await play({ looks: [{ builds: ['Successfully built'] }], hangingLogs }, async (scene) => {
      const build = await scene.start();
      while (!scene.calls.includes('collectLogs')) await build.query('status');
      await build.signal('cancel', 'ana');
      while (!(await build.query<BuildStatus>('status')).cancellation);
      release();
      expect(await build.result()).toMatchObject({
        failure: { class: 'cancelled', message: expect.stringContaining('had built all of it') },
        logs: ['http://store/arch0.log'],
      });
      expect(finals(scene)).toEqual(['FAILURE']);
    });
  });

  test('in mid-upload: the session is given up and nothing is looked for in the PPA', () =>
    play({ hangingUpload: true }, async (scene) => {
      const build = await scene.start();
      while (!scene.calls.includes('uploadSource')) await build.query('status');
      await build.signal('cancel', 'ana');
      expect(await build.result()).toMatchObject({
        failure: {
          class: 'cancelled',
          message: expect.stringContaining('nothing had been uploaded'),
        },
      });
      expect(scene.looks()).toBe(0);
      expect(messages(scene)).toEqual(['STARTED', 'FAILURE']);
    }));

  test('by the cancel URL', () =>
    play(
      {
        looks: [{ builds: ['Currently building'], cancelRequested: true }],
        afterCancel: ['Cancelled build'],
      },
      async (scene) => {
        expect(await (await scene.start()).result()).toMatchObject({
          failure: { class: 'cancelled', message: expect.stringContaining('the cancel URL') },
        });
      },
    ));

  test('a PPA that does not end a build in time is named in the failure', () =>
    play(
      { looks: [{ builds: ['Currently building'] }], afterCancel: ['Cancelling build'] },
      async (scene) => {
        const build = await scene.start({ cancellationMs: 60 });
        while (scene.looks() === 0) await build.query('status');
        await build.signal('cancel', 'ana');
        expect(await build.result()).toMatchObject({
          failure: { message: expect.stringContaining('did not end hello on arch0 in time') },
        });
      },
    ));

  test("by Temporal's own cancellation: the same path, and the workflow closes as cancelled", () =>
    play(
      { looks: [{ builds: ['Currently building'] }], afterCancel: ['Cancelled build'] },
      async (scene) => {
        const build = await scene.start();
        while (scene.looks() === 0) await build.query('status');
        await build.cancel();
        await expect(build.result()).rejects.toThrow(WorkflowFailedError);
        expect((await build.describe()).status.name).toBe('CANCELLED');
        expect(scene.calls).toContain('cancelBuilds');
        expect(finals(scene)).toEqual(['FAILURE']);
      },
    ));

  test('a signal to a build that continues as new again and again is not lost', () =>
    play(
      { looks: [{ builds: ['Currently building'] }], afterCancel: ['Cancelled build'] },
      async (scene) => {
        const build = await scene.start({ historyMaxEvents: 30 });
        while (scene.looks() < 5) await build.query('status');
        await client.workflow.getHandle(build.workflowId).signal('cancel', 'ana');
        expect(await client.workflow.getHandle(build.workflowId).result()).toMatchObject({
          failure: { class: 'cancelled' },
        });
        expect(finals(scene)).toEqual(['FAILURE']);
      },
    ));
});
