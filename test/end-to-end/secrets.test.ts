import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Client } from 'pg';
import { foreignEnvironment } from '../../main/config/config.ts';
import { consumeProgress } from '../../main/demo/lander.ts';
import type { ProgressMessage } from '../../domain/builds/progress.ts';
import { openDatabase } from '../../models/database.ts';
import { startFileServer, type FileServer } from '../activities/file-server.ts';
import { stackAddresses } from '../support/addresses.ts';
import { startAirline, type Airline } from '../support/airline.ts';
import { createTestDatabase } from '../support/database.ts';
import { controlEnvironment, rabbitmqctl } from '../support/rabbitmqctl.ts';
import { makeKeyOfGnupg, type KeyOfGnupg } from '../support/signing-key.ts';
import { makeSource } from '../support/source-package.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { programArguments } from '../support/program.ts';
import { until } from '../support/until.ts';

/*
 * A whole run with secrets that cannot be mistaken, in which everything fails that can; then all that was written,
 * sent and answered is searched for them.
 */

const LIMIT_MS = 1_800_000;
jest.setTimeout(LIMIT_MS);

const SECRETS = {
  databasePassword: 'xSecretOfDatabasex',
  brokerPassword: 'xSecretOfBrokerx',
  wrongPassword: 'xSecretThatIsWrongx',
  launchpadToken: 'xSecretOfLaunchpadTokenx',
  launchpadSecret: 'xSecretOfLaunchpadx',
  urlPassword: 'xSecretInUrlx',
};
/** Of these the specification echoes the whole URL to the caller; our own words leave them out. */
const QUERY_SECRET = 'xSecretInQueryx';
const BUILT = { '*': [{ state: 'Successfully built', log: 'all is well\n' }] };

let airline: Airline;
let toDatabase: TcpProxy;
let toBroker: TcpProxy;
let files: FileServer;
let key: KeyOfGnupg;
let databaseUrl: string;
let amqpUrl: string;
let token: string;
let drop: () => Promise<void>;
let dropUser: () => Promise<void>;
const answers: string[] = [];
const messages: ProgressMessage[] = [];
const outputs: string[] = [];
const children: ChildProcess[] = [];
const directory = temporaryDirectory();

const through = (url: string, proxy: TcpProxy, user: string, password: string) => {
  const way = new URL(url);
  way.host = `127.0.0.1:${proxy.port}`;
  way.username = user;
  way.password = password;
  return way.href;
};
/** The node is that of all tests. */
const queueOf = (build: string) => `secrets-${build}`;
const portOf = (url: string) => Number(new URL(url).port);

beforeAll(async () => {
  const made = await createTestDatabase();
  const role = `secrets_${process.pid}`;
  const admin = async (sql: string) => {
    const client = new Client({ connectionString: made.url });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  await admin(`CREATE ROLE ${role} LOGIN SUPERUSER PASSWORD '${SECRETS.databasePassword}'`);
  drop = async () => {
    await made.drop();
    const server = new Client({
      connectionString: `${stackAddresses().databaseServerUrl}postgres`,
    });
    await server.connect();
    try {
      await server.query(`DROP ROLE ${role}`);
    } finally {
      await server.end();
    }
  };
  toDatabase = await startTcpProxy('127.0.0.1', portOf(made.url));
  databaseUrl = through(made.url, toDatabase, role, SECRETS.databasePassword);

  const shared = stackAddresses();
  const broker = controlEnvironment(shared.stateDir, portOf(shared.amqpUrl));
  await rabbitmqctl(broker, 'add_user', role, SECRETS.brokerPassword);
  await rabbitmqctl(broker, 'set_permissions', role, '.*', '.*', '.*');
  dropUser = async () => void (await rabbitmqctl(broker, 'delete_user', role));
  toBroker = await startTcpProxy('127.0.0.1', portOf(shared.amqpUrl));
  amqpUrl = through(shared.amqpUrl, toBroker, role, SECRETS.brokerPassword);

  const database = openDatabase(made.url, 1);
  ({ text: token } = await database.AccessToken.issue(
    { name: 'lander', scopes: ['admin'] },
    { defaultMs: 3_600_000, maxMs: 3_600_000 },
    { actor: 'test' },
    new Date(),
  ));
  await database.close();

  key = await makeKeyOfGnupg();
  const credentials = join(directory, 'credentials');
  writeFileSync(
    credentials,
    `[1]\nconsumer_key = airline\naccess_token = ${SECRETS.launchpadToken}\naccess_secret = ${SECRETS.launchpadSecret}\n`,
  );
  files = await startFileServer();
  // The worker's keyring, which it signs from.
  const keyring = process.env['GNUPGHOME'];
  process.env['GNUPGHOME'] = key.gnupgHome;
  airline = await startAirline({
    script: { sources: { '*': { builds: BUILT } } },
    environment: {
      AIRLINE_DATABASE_URL: databaseUrl,
      AIRLINE_AMQP_URL: amqpUrl,
      AIRLINE_LAUNCHPAD_CREDENTIALS: credentials,
      AIRLINE_AUTH: 'token',
      AIRLINE_SOURCE_HOSTS: '127.0.0.1,localhost',
      AIRLINE_WEBHOOK_HOSTS: '127.0.0.1,localhost',
      AIRLINE_SIGNING_KEY: key.fingerprint,
      AIRLINE_LOG_LEVEL: 'trace',
    },
  });
  if (keyring === undefined) delete process.env['GNUPGHOME'];
  else process.env['GNUPGHOME'] = keyring;
  writeFileSync(
    join(airline.stack.directories.state, 'stand-in', 'keys', 'signing.asc'),
    key.publicKey,
  );
}, LIMIT_MS);

afterAll(async () => {
  for (const child of children)
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  await airline.stop();
  await Promise.all([toDatabase.stop(), toBroker.stop(), files.stop(), key.remove()]);
  await dropUser();
  await drop();
}, LIMIT_MS);

async function call(method: string, path: string, body?: unknown, headers = {}) {
  const response = await fetch(new URL(path, airline.stack.addresses.api), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body instanceof Buffer || body === undefined
        ? {}
        : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: body instanceof Buffer ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  answers.push(`${method} ${path.split('?')[0]} ${JSON.stringify([...response.headers])} ${text}`);
  return { status: response.status, text };
}

/** Stores an unsigned source package, which the worker signs. */
async function store(name: string): Promise<string[]> {
  const made = await makeSource({ directory: join(directory, name), name });
  const urls: string[] = [];
  for (const path of made.files) {
    const stored = await call(
      'PUT',
      `/store/uploads/${name}/${basename(path)}`,
      await readFile(path),
    );
    urls.push((JSON.parse(stored.text) as { url: string }).url);
  }
  return urls;
}

const requestBuild = (fields: Record<string, unknown>) =>
  call(
    'POST',
    '/api/v1/build_source',
    { ticket_id: 1, series: 'bookworm', ppa: 'ppa:airline/test', archive: 'debian', ...fields },
    { 'idempotency-key': `"${String(fields['progress_trigger'])}"` },
  );

async function finish(queue: string): Promise<ProgressMessage> {
  const all = await consumeProgress({
    amqpUrl: stackAddresses().amqpUrl,
    queue,
    limitMs: 600_000,
    onMessage: async () => undefined,
  });
  messages.push(...all);
  return all.at(-1) as ProgressMessage;
}

/** Runs a process of ours until it says something. */
async function runOther(program: string, environment: Record<string, string>, says: RegExp) {
  const child = spawn(process.execPath, await programArguments(`main/${program}.ts`), {
    env: { ...foreignEnvironment(), ...airline.stack.environment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let output = '';
  let hasEnded = false;
  const end = once(child, 'close').then(() => (hasEnded = true));
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until(`${program} says ${says.source}`, () => hasEnded || says.test(output), 600_000);
  child.kill('SIGKILL');
  await end;
  expect(output).toMatch(says);
  outputs.push(output);
}

const logsOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');

/** All histories of the run, with what is in their payloads. */
async function histories(): Promise<string> {
  const texts: string[] = [];
  const { temporal } = airline;
  for await (const { workflowId, runId } of temporal.workflow.list()) {
    const handle = temporal.workflow.getHandle(workflowId, runId);
    const [history, description] = [await handle.fetchHistory(), await handle.describe()];
    texts.push(
      JSON.stringify([history, description.raw], (name, value: unknown) =>
        // Payloads are bytes, which JSON shows in base64.
        name === 'data' && typeof value === 'string'
          ? Buffer.from(value, 'base64').toString()
          : value,
      ),
    );
  }
  return texts.join('\n');
}

async function rows(): Promise<string> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    const texts: string[] = [];
    for (const { name } of tables.rows) {
      const found = await client.query<{ row: string }>(`SELECT t::text AS row FROM "${name}" t`);
      texts.push(...found.rows.map(({ row }) => `${name} ${row}`));
    }
    return texts.join('\n');
  } finally {
    await client.end();
  }
}

it('a run in which everything fails that can tells no secret to anybody', async () => {
  await call('POST', '/api/v1/ticket/', { owner: 'dev@example.org', title: 'a ticket' });

  // A build whose worker signs it, while the PPA refuses, breaks off, and is asked to cancel.
  airline.play({
    sources: { '*': { builds: BUILT } },
    web: [
      { match: 'getPublishedSources', status: 401, body: 'Unknown access token.', count: 1 },
      { match: 'getPublishedSources', reset: true, count: 1 },
    ],
  });
  await requestBuild({
    source_packages: await store('signed'),
    progress_trigger: queueOf('signed'),
  });
  expect(await finish(queueOf('signed'))).toMatchObject({ state: 'COMPLETED' });

  // Another that is cancelled, which the PPA refuses at first.
  airline.play({
    sources: { '*': { builds: { '*': [{ state: 'Currently building', durationMs: 600_000 }] } } },
    web: [{ method: 'POST', status: 401, body: 'Unknown access token.', count: 1 }],
  });
  await requestBuild({
    source_packages: await store('stopped'),
    progress_trigger: queueOf('stopped'),
  });
  await until(
    'it builds',
    async () => (await call('GET', '/api/v1/build/2/')).text.includes('Currently'),
    600_000,
  );
  toBroker.close();
  await call('POST', '/api/v1/build/2/cancel/');
  await call('GET', '/readyz');
  await until(
    'the worker misses the broker',
    () => /progress events wait/.test(logsOf(airline.stack.logDir)),
    600_000,
  );
  toBroker.open();
  expect(await finish(queueOf('stopped'))).toMatchObject({ failure: { class: 'cancelled' } });

  // The database goes and comes back.
  toDatabase.close();
  expect((await call('GET', '/api/v1/build/1/')).status).toBe(503);
  await call('GET', '/api/v1/status');
  toDatabase.open();
  await until(
    'the database is back',
    async () => (await call('GET', '/api/v1/build/1/')).status === 200,
    600_000,
  );

  // URLs with secrets, of which one cannot be had.
  const base = `http://user:${SECRETS.urlPassword}@127.0.0.1:${files.port}`;
  const refused = await requestBuild({
    source_packages: [`${base}/hello_1_source.changes`],
    cancel_url: `${base}/ticket`,
    progress_trigger: queueOf('refused'),
  });
  expect(refused.status).toBe(400);
  toBroker.close();
  const requested = await requestBuild({
    source_packages: [`${files.url}/absent_1_source.changes?X-Signature=${QUERY_SECRET}`],
    cancel_url: `${files.url}/ticket?key=${QUERY_SECRET}`,
    progress_trigger: queueOf('absent'),
  });
  const path = `/api/v1/build/${(JSON.parse(requested.text) as { id: number }).id}/`;
  await until(
    'it fails',
    async () => (await call('GET', path)).text.includes('invalid_source'),
    600_000,
  );

  // Processes whose passwords are wrong. The events of that build wait, so that the worker calls the broker.
  const wrong = (url: string) => url.replace(/:\w+@/, `:${SECRETS.wrongPassword}@`);
  await runOther('worker', { AIRLINE_AMQP_URL: wrong(stackAddresses().amqpUrl) }, /ACCESS.REFUSED/);
  await runOther('migrate', { AIRLINE_DATABASE_URL: wrong(databaseUrl) }, /authentication/);
  toBroker.open();
  const absent = await finish(queueOf('absent'));
  expect(absent).toMatchObject({ failure: { class: 'invalid_source' } });
  expect(JSON.stringify(absent.failure)).toContain('absent_1_source.changes?…');
  expect(JSON.stringify(absent.failure)).not.toContain(QUERY_SECRET);

  // Callers that are not let in, and one that shows its token where it should not.
  await call('GET', '/api/v1/ticket/', undefined, {
    authorization: `Bearer ${SECRETS.wrongPassword}`,
  });
  await call('GET', `/api/v1/ticket/?username=lander&api_key=${token}`, undefined, {
    authorization: '',
  });
  await call('GET', '/api/v1/nothing/', undefined, { cookie: SECRETS.wrongPassword });
  for (const read of [
    '/api/v1/build/',
    `${path}events/`,
    '/api/v1/token/',
    '/metrics',
    '/openapi.json',
  ])
    await call('GET', read);

  // Processes whose addresses are wrong.
  for (const address of [
    `postgres://airline:${SECRETS.wrongPassword}@127.0.0.1:99999999/x`,
    `x:${SECRETS.wrongPassword}@y`,
  ])
    await runOther(
      'api',
      { AIRLINE_DATABASE_URL: address, AIRLINE_AMQP_URL: address, AIRLINE_API_PORT: '1' },
      /AIRLINE_DATABASE_URL: [^]*AIRLINE_AMQP_URL: /,
    );

  const places = {
    logs: logsOf(airline.stack.logDir),
    'other processes': outputs.join('\n'),
    messages: messages.map((message) => JSON.stringify(message)).join('\n'),
    answers: answers.join('\n'),
    histories: await histories(),
    rows: await rows(),
  };
  // Each place holds what it should, or a search of it would say nothing.
  expect(places.logs).toMatch(/progress events wait/);
  for (const place of ['logs', 'messages', 'answers', 'histories', 'rows'] as const)
    expect(places[place]).toMatch(/signed_1\.0|ppa:airline\/test|workflow started/);
  expect(places.histories).toContain('Unknown access token');

  const secrets = { ...SECRETS, token, privateKey: 'PRIVATE KEY' };
  const found = Object.entries(places).flatMap(([place, text]) =>
    Object.entries(secrets)
      .filter(([, secret]) => text.includes(secret) || text.includes(encodeURIComponent(secret)))
      .map(
        ([name, secret]) =>
          `${name} in ${place}: …${text.slice(Math.max(0, text.indexOf(secret) - 150), text.indexOf(secret) + 50)}…`,
      ),
  );
  expect(found).toEqual([]);
  expect(places.logs).not.toContain(QUERY_SECRET);
});
