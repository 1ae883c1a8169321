import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as requestHttp, type OutgoingHttpHeaders } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foreignEnvironment } from '../../main/config/config.ts';
import { programArguments } from '../support/program.ts';
import { startReceiver } from '../progress/webhook-receiver.ts';
import { createTestDatabase } from '../support/database.ts';
import { NO_SUCH_BUCKET, NO_SUCH_KEY, refuse, startScriptedS3 } from '../support/scripted-s3.ts';
import { freePorts } from '../support/stack/free-ports.ts';
import { until } from '../support/until.ts';

const API = await programArguments('main/api.ts');

jest.setTimeout(600_000);

let databaseUrl: string;
let drop: () => Promise<void>;
let directory: string;
let started: ChildProcess[] = [];

beforeAll(async () => {
  ({ url: databaseUrl, drop } = await createTestDatabase());
  directory = await mkdtemp(join(tmpdir(), 'airline-api-process-'));
});
afterEach(async () => {
  for (const child of started)
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  started = [];
});
afterAll(async () => {
  await drop();
  await rm(directory, { recursive: true });
});

function start(variables: Record<string, string>) {
  const child = spawn(process.execPath, API, {
    env: {
      ...foreignEnvironment(),
      AIRLINE_DATABASE_URL: databaseUrl,
      // Nobody listens there: the API does without.
      AIRLINE_AMQP_URL: 'amqp://guest:guest@127.0.0.1:1',
      AIRLINE_TEMPORAL_ADDRESS: '127.0.0.1:1',
      AIRLINE_STATE_DIR: directory,
      AIRLINE_LOG_FORMAT: 'json',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  return { child, exit, output: () => output };
}

async function startListening(variables: Record<string, string> = {}) {
  const { api: port } = await freePorts();
  const api = start({ AIRLINE_API_PORT: String(port), ...variables });
  const url = `http://127.0.0.1:${port}`;
  await until(
    'the API answers',
    () => {
      if (api.child.exitCode !== null) throw new Error(`it has ended: ${api.output()}`);
      return fetch(`${url}/healthz`).then(
        () => true,
        () => false,
      );
    },
    300_000,
  );
  return { ...api, url };
}

/** Variables of an API whose data store is a bucket of that server. */
const storeIn = (serverUrl: string) => ({
  AIRLINE_STORE: 's3://artifacts',
  AWS_ENDPOINT_URL_S3: serverUrl,
  AWS_REGION: 'local',
  AWS_ACCESS_KEY_ID: 'nobody',
  AWS_SECRET_ACCESS_KEY: 'nothing',
});

/** How long Caddy, the proxy of docker-compose.public.yml, keeps a connection that it does not use. */
const PROXY_KEEPS_S = 120;

/** Starts a request with a body that comes later. Resolves when the API has it. */
async function begin(url: string, options: { method: string; headers?: OutgoingHttpHeaders }) {
  const request = requestHttp(url, {
    ...options,
    headers: { ...options.headers, expect: '100-continue' },
  });
  const taken = once(request, 'continue');
  request.flushHeaders();
  await taken;
  return request;
}

const post = async (url: string, body: unknown) => {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  return { status: response.status, json: JSON.parse(await response.text()) };
};

describe('the API process', () => {
  it.each([
    ['no authentication on every address', { AIRLINE_API_HOST: '0.0.0.0' }, 'refused on 0.0.0.0'],
    ['no database', { AIRLINE_DATABASE_URL: '' }, 'AIRLINE_DATABASE_URL is not set'],
  ])('does not start with %s', async (_name, variables, message) => {
    const api = start(variables);
    expect(await api.exit).not.toBe(0);
    expect(api.output()).toContain(message);
  });

  it('does not start where the pool has what a policy names as a target', async () => {
    const policies = join(directory, 'landing.yaml');
    const target = '~team/ubuntu/stable';
    await writeFile(policies, `policies: [{ name: stable, targets: [{ archive: ${target} }] }]`);
    const { api: port } = await freePorts();
    const api = start({
      AIRLINE_API_PORT: String(port),
      AIRLINE_LANDING_POLICY: policies,
      AIRLINE_PPA_POOL: target,
    });
    await until(
      'the API ends, or listens',
      () => api.child.exitCode !== null || api.output().includes('the API listens'),
      300_000,
    );
    expect(api.child.exitCode).toBe(1);
    expect(api.output()).toContain(`AIRLINE_PPA_POOL: ${target} is a target of the policy stable`);
  });

  it('takes as many values in a query as a filter does, page by page, and no head without a bound', async () => {
    const { url } = await startListening();
    const names = Array.from(
      { length: 1_000 },
      (_, index) => `a-name-of-forty-letters-${String(index).padStart(16, '0')}`,
    );
    for (const name of names.slice(0, 2)) await post(`${url}/api/v1/sourcepackage/`, { name });
    const list = `/api/v1/sourcepackage/?name__in=${names.join(',')}&order_by=name&limit=1`;
    const found: string[] = [];
    for (let next: string | null = list; next !== null;) {
      const response: Response = await fetch(url + next);
      expect(response.status).toBe(200);
      const page = (await response.json()) as {
        meta: { next: string | null };
        objects: { name: string }[];
      };
      found.push(...page.objects.map(({ name }) => name));
      next = page.meta.next;
    }
    expect(found).toEqual(names.slice(0, 2));
    const refused = await fetch(`${url}/api/v1/sourcepackage/?name=${'x'.repeat(65_536)}`);
    expect([refused.status, await refused.text()]).toEqual([431, '']);
  });

  it('says which variable moves a taken port', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const api = start({ AIRLINE_API_PORT: String(port) });
    expect(await api.exit).toBe(1);
    expect(api.output()).toContain('AIRLINE_API_PORT');
    taken.close();
  });

  it('accepts builds while Temporal, the broker and the data store are down, and says so', async () => {
    const { url } = await startListening({
      AIRLINE_WEBHOOK_HOSTS: '127.0.0.1',
      ...storeIn('http://127.0.0.1:1'),
    });
    const receiver = await startReceiver();
    await post(`${url}/api/v1/webhook/`, { url: receiver.url });
    const ticket = await post(`${url}/api/v1/ticket/`, { owner: 'a@b', title: 't' });
    const build = await post(`${url}/api/v1/build_source`, {
      ticket_id: ticket.json.id,
      source_packages: [`${url}/store/uploads/hello_1/hello_1_source.changes`],
      series: 'bookworm',
      ppa: 'a/b',
      progress_trigger: 'q',
    });
    expect(build).toMatchObject({ status: 202, json: { state: 'queued', dispatched_at: null } });
    const told = await until('the webhook is told', () => receiver.received[0]);
    expect(told.headers['webhook-id']).toBe(`${build.json.id}:1`);
    await receiver.close();
    const health = await until('a probe that finds the database', async () => {
      const ready = await fetch(`${url}/readyz`);
      expect(ready.status).toBe(503);
      const answer = JSON.parse(await ready.text()) as {
        health: { database: { healthy: boolean } };
      };
      return answer.health.database.healthy && answer.health;
    });
    expect(health).toMatchObject({
      temporal: { healthy: false, error: expect.any(String) },
      broker: { healthy: false, error: expect.any(String) },
      store: { healthy: false, error: expect.any(String) },
    });
    const status = JSON.parse(await (await fetch(`${url}/api/v1/status`)).text());
    expect(status).toMatchObject({ builds: { queued: 1 }, dispatch: { backlog: 1 } });
  });

  it('is not ready where the bucket of the data store is not there, and says so', async () => {
    const bucket = await startScriptedS3((request, answer) =>
      refuse(request, answer, NO_SUCH_BUCKET),
    );
    const { url } = await startListening(storeIn(bucket.url));
    const healthAt = async (path: string) => {
      const answer = await (await fetch(`${url}${path}`)).text();
      return (JSON.parse(answer) as { health: { store: object } }).health.store;
    };
    expect(await healthAt('/readyz')).toMatchObject({ healthy: false });
    expect(await healthAt('/api/v1/status')).toMatchObject({
      healthy: false,
      error: expect.stringContaining('The specified bucket does not exist.'),
    });
    bucket.stop();
  });

  it('keeps connections for longer than a proxy, and ends with what is in flight when it is told to stop', async () => {
    const { url, child, exit, output } = await startListening({ AIRLINE_DRAIN_MS: '120000' });
    // The proxy may send the next request over it.
    const { headers } = await fetch(`${url}/healthz`);
    const [, keptS] = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '') ?? [];
    expect(Number(keptS)).toBeGreaterThan(PROXY_KEEPS_S);

    const body = JSON.stringify({ owner: 'dev@example.org', title: 'sent in two halves' });
    const creation = await begin(`${url}/api/v1/ticket/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    });
    const upload = await begin(`${url}/store/uploads/late/file`, { method: 'PUT' });
    const [added, stored] = [once(creation, 'response'), once(upload, 'response')];
    creation.write(body.slice(0, 20));
    upload.write('first half, ');
    child.kill('SIGTERM');
    await until('it stops', () => output().includes('stopping'));
    // As an impatient operator, or npm, sends them: more than one is one.
    child.kill('SIGTERM');
    child.kill('SIGINT');
    await until('it takes no other request', () =>
      fetch(`${url}/healthz`).then(
        () => false,
        () => true,
      ),
    );
    upload.end('second half');
    const [storedResponse] = await stored;
    expect(storedResponse.statusCode).toBe(201);
    storedResponse.resume();
    // By now the ticket alone keeps it from its end.
    creation.end(body.slice(20));
    const [addedResponse] = await added;
    expect(addedResponse.statusCode).toBe(201);
    addedResponse.resume();
    expect(await exit).toBe(0);
    expect(output()).not.toContain('are cut');
    expect(output().split('"stopping"')).toHaveLength(2);
  });

  it('cuts what is still in flight after the drain time', async () => {
    const { url, child, exit, output } = await startListening({ AIRLINE_DRAIN_MS: '200' });
    const upload = await begin(`${url}/store/uploads/never/file`, { method: 'PUT' });
    const cut = once(upload, 'error');
    upload.write('only half');
    child.kill('SIGTERM');
    await cut;
    expect(await exit).toBe(0);
    expect(output()).toContain('are cut');
  });
  it('ends though the server of the bucket never answers to what was cut', async () => {
    const sent: (string | undefined)[] = [];
    const bucket = await startScriptedS3((request, answer) => {
      if (request.method === 'PUT') sent.push(request.url);
      else refuse(request, answer, NO_SUCH_KEY);
    });
    const { url, child, exit, output } = await startListening({
      ...storeIn(bucket.url),
      AIRLINE_DRAIN_MS: '200',
    });
    const cut = fetch(`${url}/store/uploads/never/file`, { method: 'PUT', body: 'whole' });
    const failed = expect(cut).rejects.toThrow();
    await until('the server has it', () => sent.length === 1);
    child.kill('SIGTERM');
    await failed;
    await until('everything is closed', () => output().includes('"stopped"'));
    const closedAtMs = performance.now();
    expect(await exit).toBe(0);
    // The store waits for the server for longer.
    expect(performance.now() - closedAtMs).toBeLessThan(10_000);
    bucket.stop();
  });
});
