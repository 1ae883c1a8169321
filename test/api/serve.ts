import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { ALL_TARGETS } from '../../domain/access/target-rule.ts';
import { createApp } from '../../api/app.ts';
import type { ApiDependencies } from '../../api/dependencies.ts';
import { describeApi } from '../../api/openapi/document.ts';
import { OPERATIONS } from '../../api/operations.ts';
import { openDatabase, type Database } from '../../models/database.ts';
import { createProgressFeed } from '../../models/events/progress-feed.ts';
import { createFileStore } from '../../store/file.ts';
import { createTestDatabase } from '../support/database.ts';
import { createAnswerCheck, type CheckAnswer, type Exchange } from './check-answer.ts';

export type Answer = {
  status: number;
  headers: Headers;
  text: string;
  // What a test expects of the answer says what shape it has.
  // oxlint-disable-next-line typescript/no-explicit-any
  json: any;
};

/** An API of a test's own, on a free port, with its own database and data store. */
export type TestApi = {
  url: string;
  databaseUrl: string;
  database: Database;
  /** How often the API said that the dispatcher has something to do. */
  dispatchWakes: () => number;
  stop: AbortController;
  /** Sends a request. The answer has to be as the OpenAPI document says. */
  call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer>;
  close: () => Promise<void>;
};

/** Serves an API to the tests of a describe block. One at a time: the models belong to one database. */
export function useApi(replaced: Parameters<typeof serveApi>[0] = {}): { readonly now: TestApi } {
  let api: TestApi;
  beforeAll(async () => {
    api = await serveApi(replaced);
  });
  afterAll(() => api.close());
  return {
    get now() {
      return api;
    },
  };
}

/** What the tests' API allows. */
export const LIMITS: ApiDependencies['limits'] = {
  bodyMaxBytes: 100_000,
  importMaxBytes: 10_000_000,
  storeMaxBytes: 1_000_000,
  buildAttempts: 3,
  probeTimeoutMs: 20_000,
  healthMs: 0,
  retryAfterS: 5,
  streams: { heartbeatMs: 50, pollMs: 50, max: 10 },
  uploadChecks: 2,
  storeWrites: 30,
  changesMs: 50,
  tokenLifetimes: { defaultMs: 3_600_000, maxMs: 86_400_000 },
  authenticationFailures: { max: 1_000, windowMs: 60_000 },
  rate: { requests: 0, windowMs: 60_000 },
  idempotency: { lifetimeMs: 3_600_000, inFlightMs: 20_000 },
};

/** Serves the API as main/api.ts does, with what the test replaces. */
export async function serveApi(
  replaced: Partial<Omit<ApiDependencies, 'limits'>> & {
    databaseUrl?: string;
    /** Connections to the database. */
    poolSize?: number;
    /** Between two looks at what has changed, for those who follow it. */
    noticesMs?: number;
    /** A connection over which nothing comes or goes for this long is closed; 0: never. */
    idleMs?: number;
    limits?: Partial<ApiDependencies['limits']>;
  } = {},
): Promise<TestApi> {
  const { url, drop } = await createTestDatabase();
  const databaseUrl = replaced.databaseUrl ?? url;
  const directory = await mkdtemp(join(tmpdir(), 'airline-api-'));
  const webDirectory = await writeWebFiles(join(directory, 'web'));
  const logger = pino({ level: 'silent' });
  const feed = createProgressFeed({
    databaseUrl,
    changesMs: replaced.noticesMs ?? 10,
    retryMs: 10,
    logger,
  });
  const stop = new AbortController();
  let dispatchWakes = 0;
  // The port is known only when the server listens, and the app is made before that.
  let handle: ReturnType<ReturnType<typeof createApp>['callback']> | undefined;
  const server = createServer((request, response) => {
    void handle?.(request, response);
  });
  server.timeout = replaced.idleMs ?? 0;
  // A connection that the server closed while the test was busy would be taken for the next request all the same.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const apiUrl = `http://127.0.0.1:${port}`;
  const sourceUrls = replaced.sourceUrls ?? {
    hosts: ['127.0.0.1', 'store.example:8443'],
    refusedPorts: [port],
    storeUrl: `${apiUrl}/store`,
    formerStoreUrls: ['https://former.example/store'],
  };
  const database = openDatabase(databaseUrl, replaced.poolSize ?? 10, {
    storeUrls: [sourceUrls.storeUrl, ...(sourceUrls.formerStoreUrls ?? [])],
  });
  const dependencies: ApiDependencies = {
    version: '1.2.3',
    database,
    store: createFileStore({ directory, baseUrl: `${apiUrl}/store` }),
    feed,
    wakeDispatch: () => (dispatchWakes += 1),
    checkUpload: async () => [],
    describeQueues: async () => [],
    describeWorkers: async () => [],
    launchpadCallsPerSecond: 20,
    unwatchedMs: 180_000,
    readHistory: async () => undefined,
    probes: { database: answers, temporal: answers, broker: answers, store: answers },
    sourceUrls,
    webhookUrls: { hosts: ['127.0.0.1'], refusedPorts: [port], storeUrl: '' },
    targets: ALL_TARGETS,
    landingPolicies: [],
    workflowUrl: (id) => `http://temporal.example/namespaces/default/workflows/${id}`,
    authentication: 'off',
    sessions: { idleMs: 3_600_000, isAlwaysSecure: false },
    webDirectory,
    trustedProxies: 0,
    corsOrigins: [],
    measureProcess: false,
    stopping: stop.signal,
    logger,
    ...replaced,
    limits: { ...LIMITS, ...replaced.limits },
  };
  handle = createApp(dependencies).callback();
  return {
    url: apiUrl,
    databaseUrl,
    database,
    dispatchWakes: () => dispatchWakes,
    stop,
    async call(method, path, body, headers = {}) {
      const response = await fetch(new URL(path, apiUrl), {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(100_000),
      });
      const text = await response.text();
      const { status } = response;
      checkAnswer({
        method,
        path,
        requestHeaders: headers,
        status,
        headers: response.headers,
        text,
      });
      const isJson = response.headers.get('content-type') === 'application/json';
      return {
        status,
        headers: response.headers,
        text,
        json: isJson && text ? JSON.parse(text) : undefined,
      };
    },
    async close() {
      stop.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await feed.close();
      await database.close();
      await drop();
      await rm(directory, { recursive: true });
    },
  };
}

let check: CheckAnswer | undefined;

/** Holds an answer to the document. The check is made once for a process, when a test first needs it. */
function checkAnswer(exchange: Exchange): void {
  check ??= createAnswerCheck(describeApi(OPERATIONS, { version: '', authentication: 'token' }));
  check(exchange);
}

/** Files as the bundle of the web UI has them. */
async function writeWebFiles(directory: string): Promise<string> {
  await mkdir(join(directory, 'assets'), { recursive: true });
  await writeFile(join(directory, 'index.html'), '<!doctype html><title>Airline</title>');
  await writeFile(join(directory, 'assets', 'start.js'), 'start();');
  return directory;
}

async function answers(): Promise<void> {}
