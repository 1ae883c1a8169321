import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect } from 'amqplib';
import { STATUS_QUERY, type BuildStatus } from '../../domain/builds/build-workflow.ts';
import type { ProgressMessage } from '../../domain/builds/progress.ts';
import { python, typescript } from '../clients/generated-clients.ts';
import { VERSION } from '../../main/config/version.ts';
import { getFromSocket } from '../main/probes/get-from-socket.ts';
import { startAirline, type Airline } from '../support/airline.ts';
import { attributeOf, startSpanReceiver } from '../support/span-receiver.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { queryWorkflow } from '../workflows/query-workflow.ts';

jest.setTimeout(600_000);

const workerProbes = join(temporaryDirectory(), 'worker.sock');
let airline: Airline;
let receiver: Awaited<ReturnType<typeof startSpanReceiver>>;

beforeAll(async () => {
  receiver = await startSpanReceiver();
  // The processes have them from the one that starts them.
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = receiver.url;
  process.env['OTEL_BSP_SCHEDULE_DELAY'] = '100';
  airline = await startAirline({
    script: { sources: {} },
    environment: { AIRLINE_WORKER_PROBE_ADDRESS: workerProbes },
  });
  delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  delete process.env['OTEL_BSP_SCHEDULE_DELAY'];
});

afterAll(async () => {
  await airline.stop();
  await receiver.stop();
});

const BUILT = [
  { state: 'Needs building', durationMs: 300 },
  { state: 'Currently building', durationMs: 300 },
  { state: 'Successfully built', log: 'all is well' },
];

/** What a build makes besides its messages, and which process does. */
const SERVICES = {
  'start BuildSourceWorkflow': 'airline-api',
  checkSources: 'airline-worker',
  uploadSource: 'airline-worker',
  joinWatch: 'airline-worker',
  collectLogs: 'airline-worker',
  BuildSourceWorkflow: 'airline-worker',
};

/** All that became of a build is in one trace: its request, its start, its workflow, its activities, its messages. */
async function assertTraced(buildId: number, messageCount: number): Promise<void> {
  const spans = await until('the spans of the build', () => {
    const received = receiver.spans.filter(
      (span) => Number(attributeOf(span, 'airline.build_id')) === buildId,
    );
    const names = received.map(({ name }) => name);
    const published = names.filter((name) => name.startsWith('publish '));
    const isWhole = Object.keys(SERVICES).every((name) => names.includes(name));
    return isWhole && published.length >= messageCount && received;
  });
  const [first] = spans;
  const request = await until('the span of its request', () =>
    receiver.spans.find(({ spanId }) => spanId === first?.parentSpanId),
  );
  expect(request).toMatchObject({ name: 'POST /api/v1/build_source', service: 'airline-api' });
  for (const { traceId, parentSpanId } of spans)
    expect([traceId, parentSpanId]).toEqual([request.traceId, request.spanId]);
  expect(Object.fromEntries(spans.map(({ name, service }) => [name, service]))).toMatchObject(
    SERVICES,
  );
}

describe('a build request, from REST to the last message', () => {
  test('a source package that builds: a gap-free stream, the logs, the build resource, the workflow', async () => {
    airline.play({ sources: { good: { builds: { '*': BUILT } } } });
    const submitted = await airline.submit({ name: 'good' });
    const build = await airline.requestBuild(submitted);
    const messages = await airline.messages(build);
    expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1));
    const steps = messages.map(({ state, message, phase }) => `${state} ${message} ${phase}`);
    expect(steps.slice(0, 4)).toEqual([
      'WAITING null queued',
      'WAITING STARTED checking',
      'WAITING STARTED uploading',
      'WAITING STARTED accepting',
    ]);
    for (const step of steps.slice(4, -2))
      expect(step).toMatch(/^STATUS INPROGRESS (?:waiting_for_builder|building)$/);
    expect(steps.slice(-2)).toEqual([
      'STATUS INPROGRESS collecting',
      'COMPLETED COMPLETE completed',
    ]);
    const last = messages.at(-1);
    expect(last).toMatchObject({
      state: 'COMPLETED',
      message: 'COMPLETE',
      exit: true,
      source_packages: submitted.urls,
      ppa: 'ppa:airline/test',
      progress_trigger: build.progress_trigger,
      build_id: build.id,
      ticket_id: submitted.ticketId,
      builds: [{ package: 'good', buildstate: 'Successfully built', state: 'completed' }],
    });
    const log = await fetch(last?.logs?.[0] ?? '');
    expect(log.headers.get('content-type')).toContain('text/plain');
    expect(await log.text()).toContain('all is well');
    expect(await airline.build(build.id)).toMatchObject({ state: 'completed', failure: null });
    const events = await airline.rest.get<{ objects: ProgressMessage[] }>(
      `${build.resource_uri}events/?after=0`,
    );
    expect(events.objects).toEqual(messages);
    await assertTraced(build.id, messages.length);
    const handle = airline.temporal.workflow.getHandle(build.workflow_id);
    await handle.result();
    const { typedSearchAttributes } = await handle.describe();
    const attributes = typedSearchAttributes.getAll();
    expect(attributes.find(({ key }) => key.name === 'AirlineBuildState')?.value).toBe('completed');
    expect(await queryWorkflow<BuildStatus>(handle, STATUS_QUERY)).toMatchObject({
      state: 'completed',
    });
    // A build does not move its ticket.
    expect(await airline.rest.get(`/api/v1/ticket/${submitted.ticketId}/`)).toMatchObject({
      current_workflow_step: '100',
      status: '100',
    });
  });

  test('a build that made packages names them, and its log and results are on the subticket', async () => {
    const made = [{ state: 'Successfully built', log: 'all is well', binaries: true }];
    airline.play({ sources: { made: { builds: { '*': made } } } });
    const submitted = await airline.submit({ name: 'made' });
    const build = await airline.requestBuild(submitted);
    const last = (await airline.messages(build)).at(-1);
    const { launchpadUrl } = airline.stack.addresses;
    expect(last).toMatchObject({
      state: 'COMPLETED',
      packages: [{ name: 'made', version: '1.0', architecture: 'amd64' }],
      apt: expect.stringMatching(
        RegExp(
          `^deb \\[signed-by=\\w{40}\\] ${launchpadUrl}/apt/airline/test/debian bookworm main$`,
        ),
      ),
    });
    const [file] = last?.packages ?? [];
    const deb = Buffer.from(await (await fetch(file?.url ?? '')).arrayBuffer());
    expect(file).toMatchObject({
      size: deb.length,
      sha256: createHash('sha256').update(deb).digest('hex'),
    });
    const { packages, apt } = last ?? {};
    expect(await airline.build(build.id)).toMatchObject({ built_packages: packages, apt });
    const artifacts = await airline.rest.get<{ objects: { type: string; reference: string }[] }>(
      `/api/v1/subticketartifact/?subticket__ticket=${submitted.ticketId}&order_by=id`,
    );
    const added = artifacts.objects.filter(({ type }) => type !== 'SPU');
    expect(added.map(({ type }) => type)).toEqual(['LOGS', 'RESULTS']);
    expect(added[0]?.reference).toBe(last?.logs?.[0]);
    expect(await (await fetch(added[1]?.reference ?? '')).json()).toMatchObject({ packages, apt });
  });

  test.each([
    ['/usr/bin/python3', 'consumer.py'],
    [process.execPath, 'consumer.mjs'],
  ])(
    '%s follows a build by docs/lander/%s, to its packages or its failure',
    async (program, file) => {
      const made = [{ state: 'Successfully built', binaries: true }];
      const broken = [{ state: 'Failed to build' }];
      airline.play({
        sources: { made: { builds: { '*': made } }, broken: { builds: { '*': broken } } },
      });
      const follow = async (name: string) => {
        const build = await airline.requestBuild(
          await airline.submit({ name, version: file.endsWith('py') ? '2.0' : '3.0' }),
        );
        const { amqpUrl } = airline.stack.addresses;
        const args = [`docs/lander/${file}`, amqpUrl, build.progress_trigger];
        return promisify(execFile)(program, args, { timeout: 300_000 });
      };
      const lines = (await follow('made')).stdout.trim().split('\n');
      expect(lines[0]).toBe('1 WAITING queued');
      expect(lines.at(-2)).toMatch(/^\d+ COMPLETED completed$/);
      expect(lines.at(-1)).toMatch(/^made [23]\.0 http:\S+\/made_[23]\.0_amd64\.deb$/);
      await expect(follow('broken')).rejects.toMatchObject({
        stdout: expect.stringMatching(/ FAILED failed\n$/),
        stderr: expect.stringContaining('Failed to build. Read the build log'),
      });
    },
  );

  test.each([
    ['/usr/bin/python3', 'consumer.py'],
    [process.execPath, 'consumer.mjs'],
  ])('%s takes no message twice by docs/lander/%s', async (program, file) => {
    const { amqpUrl } = airline.stack.addresses;
    const queue = `repeated-${file}`;
    const connection = await connect(amqpUrl);
    const channel = await connection.createConfirmChannel();
    await channel.assertQueue(queue, { durable: true });
    for (const seq of [1, 2, 3, 1, 2, 3, 4]) {
      const end = seq === 4 && { exit: true, packages: [] };
      const message = { build_id: 1, seq, state: 'STATUS', phase: 'building', ...end };
      channel.sendToQueue(queue, Buffer.from(JSON.stringify(message)));
    }
    await channel.waitForConfirms();
    await connection.close();
    const args = [`docs/lander/${file}`, amqpUrl, queue];
    const { stdout } = await promisify(execFile)(program, args, { timeout: 300_000 });
    expect(stdout.trim().split('\n')).toEqual([1, 2, 3, 4].map((seq) => `${seq} STATUS building`));
  });

  test.each([
    ['openapi-python-client', 'by-python', python],
    ['openapi-typescript', 'by-typescript', typescript],
  ])('a client made by %s does a whole build', async (_, name, client) => {
    const made = [{ state: 'Successfully built', log: 'all is well', binaries: true }];
    airline.play({ sources: { [name]: { builds: { '*': made } } } });
    const { api } = airline.stack.addresses;
    const document = await (await fetch(`${api}/openapi.json`)).text();
    const { version, files } = await airline.makeSource({ name });
    expect(await client(document, [api, name, version, ...files])).toEqual({
      state: 'completed',
      built: [name],
      log: 'all is well',
      artifacts: ['LOGS', 'RESULTS'],
    });
  });
});

describe('cancelling', () => {
  const ENDLESS = [
    { state: 'Currently building', durationMs: 600_000 },
    { state: 'Successfully built' },
  ];

  test('POST cancel ends a running build; a new request for the same version has the PPA build it', async () => {
    const attempts = [ENDLESS, [{ state: 'Successfully built' }]];
    airline.play({ sources: { resumed: { builds: { '*': { attempts } } } } });
    const submitted = await airline.submit({ name: 'resumed' });
    const build = await airline.requestBuild(submitted);
    let hasAsked = false;
    const messages = await airline.messages(build, async ({ message }) => {
      if (message !== 'INPROGRESS' || hasAsked) return;
      hasAsked = true;
      await airline.rest.post(`${build.resource_uri}cancel/`, {});
    });
    expect(messages.at(-1)).toMatchObject({
      state: 'FAILED',
      failure: { class: 'cancelled' },
      builds: [{ buildstate: 'Cancelled build' }],
    });
    expect(messages.filter(({ exit }) => exit)).toHaveLength(1);
    const again = await airline.requestBuild(submitted);
    expect((await airline.messages(again)).at(-1)).toMatchObject({
      state: 'COMPLETED',
      builds: [{ buildstate: 'Successfully built' }],
    });
  });

  test('what a request that is not in the PPA yet will want ends all the same; it has it built anew', async () => {
    const attempts = [ENDLESS, [{ state: 'Successfully built' }]];
    airline.play({ sources: { early: { builds: { '*': { attempts } } } } });
    const { ticketId, urls } = await airline.submit({ name: 'early' });
    const first = await airline.requestBuild({ ticketId, urls });
    let giveFiles = () => {};
    const given = new Promise<void>((resolve) => (giveFiles = resolve));
    const contentOf = async (path = '') => {
      await given;
      const url = urls.find((one) => new URL(one).pathname === path) ?? '';
      return Buffer.from(await (await fetch(url)).arrayBuffer());
    };
    const slow = createServer(({ url: path }, response) => {
      contentOf(path).then(
        (content) => response.end(content),
        () => response.destroy(),
      );
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    try {
      const { port } = slow.address() as AddressInfo;
      const again = urls.map((url) => `http://127.0.0.1:${port}${new URL(url).pathname}`);
      let second: Awaited<ReturnType<Airline['requestBuild']>> | undefined;
      const messages = await airline.messages(first, async ({ builds }) => {
        if (second || builds[0]?.buildstate !== 'Currently building') return;
        const { id } = (second = await airline.requestBuild({ ticketId, urls: again }));
        await until(
          'its sources are fetched',
          async () => (await airline.build(id)).phase === 'checking',
        );
        await airline.rest.post(`${first.resource_uri}cancel/`, {});
      });
      expect(messages.at(-1)).toMatchObject({
        failure: { message: expect.stringContaining('the PPA builds nothing of it any more') },
        builds: [{ buildstate: 'Cancelled build' }],
      });
      giveFiles();
      expect(second && (await airline.messages(second)).at(-1)).toMatchObject({
        state: 'COMPLETED',
        builds: [{ buildstate: 'Successfully built' }],
      });
    } finally {
      giveFiles();
      slow.close();
    }
  });

  test('a cancel URL that says building: false ends the build; one that fails does not', async () => {
    let answer: object | null = null;
    const caller = createServer((_, response) => {
      response.statusCode = answer ? 200 : 500;
      response.end(JSON.stringify(answer ?? { building: false }));
    }).listen(0, '127.0.0.1');
    await once(caller, 'listening');
    try {
      airline.play({ sources: { left: { builds: { '*': ENDLESS } } } });
      const { port } = caller.address() as AddressInfo;
      const build = await airline.requestBuild(await airline.submit({ name: 'left' }), {
        cancel_url: `http://127.0.0.1:${port}/build.json`,
      });
      const messages = await airline.messages(build, async ({ message }) => {
        if (message !== 'INPROGRESS' || answer) return;
        expect(await airline.build(build.id)).toMatchObject({ state: 'building' });
        answer = { building: false };
      });
      expect(messages.at(-1)?.failure).toMatchObject({
        class: 'cancelled',
        message: expect.stringContaining('the cancel URL'),
      });
    } finally {
      caller.close();
    }
  });
});

describe('the worker', () => {
  test('says that it is ready, and gives the figures of its SDK and of its own', async () => {
    const [health, ready, metrics] = await Promise.all(
      ['/healthz', '/readyz', '/metrics'].map((path) => getFromSocket(workerProbes, path)),
    );
    expect(health).toMatchObject({ status: 200, body: '{"healthy":true}' });
    expect(ready?.status).toBe(200);
    expect(JSON.parse(ready?.body ?? '')).toMatchObject({
      ready: true,
      health: {
        database: { healthy: true },
        temporal: { healthy: true },
        polling: { healthy: true },
      },
    });
    expect(metrics?.mediaType).toContain('text/plain');
    for (const figure of [
      /^temporal_worker_task_slots_available\{.*worker_type="ActivityWorker".*\} \d+$/m,
      /^temporal_sticky_cache_size\{.*\} \d+$/m,
      /^temporal_activity_execution_latency_seconds_count\{activity_type="checkSources".*\} \d+$/m,
      /^airline_database_connections\{state="idle"\} \d+$/m,
      /^process_resident_memory_bytes \d+$/m,
    ])
      expect(metrics?.body).toMatch(figure);
  });

  test('has a name of its own in each process', async () => {
    const { worker_queues: queues } = await airline.rest.get<{
      worker_queues: { pollers: { identity: string; polling: boolean }[] }[];
    }>('/api/v1/status');
    const pollers = queues.flatMap((queue) => queue.pollers);
    expect(pollers.length).toBeGreaterThan(0);
    for (const poller of pollers)
      expect(poller).toMatchObject({
        identity: expect.stringMatching(/^\d+@.+-[0-9a-f]{8}$/),
        polling: true,
      });
  });

  test('tells which version it is, and how many slots it has', async () => {
    type Workers = { workers: { identity: string; slots: object[] }[] };
    const read = () => airline.rest.get<Workers>('/api/v1/status/workers/');
    // A process reports every 10 s.
    await until('the worker has reported', async () => (await read()).workers.length > 0, 300_000);
    const [worker] = (await read()).workers;
    expect(worker).toMatchObject({
      identity: expect.stringMatching(/^\d+@.+-[0-9a-f]{8}$/),
      version: VERSION,
      state: 'running',
      reporting: true,
    });
    const slot = { used: expect.any(Number), failed: expect.any(Number) };
    expect(worker?.slots).toMatchObject([
      { ...slot, queue: 'build-source', kind: 'workflow', total: 40 },
      { ...slot, queue: 'build-source', kind: 'activity', total: 50 },
      { ...slot, queue: 'build-source-logs', kind: 'activity', total: 20 },
      { ...slot, queue: 'build-source-transfers', kind: 'activity', total: 30 },
    ]);
  });
});
