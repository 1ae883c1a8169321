import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { loadConfig } from '../../main/config/config.ts';
import { createTicket, storeUpload } from '../../main/demo/create-ticket.ts';
import { consumeProgress } from '../../main/demo/lander.ts';
import { createRest, type Rest } from '../../main/demo/rest.ts';
import type { PartName } from '../../main/embedded/part.ts';
import { startStack, type Stack } from '../../main/embedded/stack.ts';
import type { ProgressMessage } from '../../domain/builds/progress.ts';
import type { SCRIPT as TEST_SCRIPT } from '../../activities/testing/test-script.ts';
import type { SCRIPT } from '../../stand-in/script/script.ts';
import type { z } from 'zod';
import { stackAddresses } from './addresses.ts';
import { assertMessage } from './assert-message.ts';
import { createTestDatabase } from './database.ts';
import { giveToGnupg, makeSigningKey } from './signing-key.ts';
import { makeSource, type SourceOptions, type SourcePackage, uploadOf } from './source-package.ts';
import { makeProgram } from './program.ts';
import { freePorts, portVariables } from './stack/free-ports.ts';
import { registerNamespace } from './temporal-namespace.ts';

export type Script = z.input<typeof SCRIPT>;
export type TestScript = z.input<typeof TEST_SCRIPT>;
type BuildResource = {
  id: number;
  resource_uri: string;
  state: string;
  phase: string;
  workflow_id: string;
  attempt: number;
  failure: { class: string; message: string; hint: string } | null;
};

const LIMIT_MS = 600_000;

/** A whole Airline of a test's own: its processes run as they do in `npm start`. */
export type Airline = {
  stack: Stack;
  rest: Rest;
  temporal: Client;
  /** Changes what the scripted PPA does from now on. */
  play(script: Script): void;
  /** Changes what comes of images and tests from now on. */
  playTests(script: TestScript): void;
  /** Makes a signed source package on the disk. */
  makeSource(
    source?: Omit<SourceOptions, 'directory' | 'key'> & { signed?: boolean },
  ): Promise<SourcePackage>;
  /** Makes a signed source package and stores its files. @returns their URLs and the ticket made for it */
  submit(source?: Omit<SourceOptions, 'directory' | 'key'> & { signed?: boolean }): Promise<{
    ticketId: number;
    urls: string[];
  }>;
  /** Requests a build of what was submitted; fields may be replaced. */
  requestBuild(
    submitted: { ticketId: number; urls: string[] },
    fields?: Record<string, unknown>,
  ): Promise<BuildResource & { progress_trigger: string }>;
  /** All messages of a build's queue, the final one last. */
  messages(
    build: {
      progress_trigger: string;
    },
    onMessage?: (message: ProgressMessage) => Promise<void>,
    limitMs?: number,
  ): Promise<ProgressMessage[]>;
  build(id: number): Promise<BuildResource>;
  stop(): Promise<void>;
};

/**
 * Starts api, worker and stand-in with a database, a Temporal namespace and a state directory of their own on the
 * test run's PostgreSQL, RabbitMQ and Temporal.
 *
 * @param options.script what the scripted PPA does; without it the PPA builds with sbuild
 * @param options.tests what comes of the images and tests of landings; without it there is no tester, and nothing is
 * tested
 * @param options.parts those to start, where not all three
 * @param options.signs the worker signs unsigned sources
 * @param options.environment `AIRLINE_` variables on top of the embedded defaults with short intervals
 */
export async function startAirline(
  options: {
    script?: Script;
    tests?: TestScript;
    environment?: Record<string, string>;
    parts?: readonly PartName[];
    signs?: boolean;
  } = {},
): Promise<Airline> {
  const shared = stackAddresses();
  const directory = mkdtempSync(join(tmpdir(), 'airline-end-to-end-'));
  chmodSync(directory, 0o755);
  const stateDir = join(directory, 'state');
  const scriptPath = join(directory, 'script.json');
  const testScriptPath = join(directory, 'tests.json');
  const keep = (path: string, script: Script | TestScript) => {
    writeFileSync(`${path}.new`, JSON.stringify(script));
    renameSync(`${path}.new`, path);
  };
  const play = (script: Script) => keep(scriptPath, script);
  const playTests = (script: TestScript) => keep(testScriptPath, script);
  if (options.script) play(options.script);
  if (options.tests) playTests(options.tests);
  const policies = options.tests ? 'tested-landings.yaml' : 'untested-landings.yaml';
  const database = await createTestDatabase();
  const key = await makeSigningKey();
  const keyOfWorker = options.signs ? await giveToGnupg(key) : undefined;
  mkdirSync(join(stateDir, 'stand-in', 'keys'), { recursive: true });
  writeFileSync(join(stateDir, 'stand-in', 'keys', 'test.asc'), key.publicKey);
  const connection = await Connection.connect({ address: shared.temporalAddress });
  const namespace = await registerNamespace(connection);
  const ports = await freePorts();
  const environment: Record<string, string> = {
    AIRLINE_STATE_DIR: stateDir,
    AIRLINE_CACHE_DIR: shared.cacheDir,
    AIRLINE_DATABASE_URL: database.url,
    AIRLINE_AMQP_URL: shared.amqpUrl,
    AIRLINE_TEMPORAL_ADDRESS: shared.temporalAddress,
    AIRLINE_TEMPORAL_UI_URL: shared.temporalUiUrl,
    AIRLINE_TEMPORAL_NAMESPACE: namespace,
    ...portVariables(ports),
    AIRLINE_LANDING_POLICY: fileURLToPath(new URL(policies, import.meta.url)),
    AIRLINE_STAND_IN_PROCESS_INTERVAL_MS: '50',
    AIRLINE_POLL_INITIAL_MS: '50',
    AIRLINE_POLL_MAX_MS: '200',
    // What there is to do wakes whoever does it. Each poll costs processor time, of PostgreSQL, too.
    AIRLINE_DISPATCH_INTERVAL_MS: '500',
    AIRLINE_PUBLISH_INTERVAL_MS: '500',
    ...(options.script ? { AIRLINE_STAND_IN_SCRIPT: scriptPath } : {}),
    ...(options.tests
      ? { AIRLINE_TEST_SCRIPT: testScriptPath, AIRLINE_TEST_DISTRIBUTION: 'debian' }
      : {}),
    ...(options.signs ? { AIRLINE_SIGNING_KEY: key.fingerprint } : {}),
    ...options.environment,
  };
  // The worker's keyring.
  const keyring = process.env['GNUPGHOME'];
  if (keyOfWorker) process.env['GNUPGHOME'] = keyOfWorker.gnupgHome;
  const stack = await startStack({
    config: loadConfig(environment),
    report: () => undefined,
    only: [
      ...(options.parts ?? (['stand-in', 'api', 'worker'] as const)),
      ...(options.tests ? (['tester'] as const) : []),
    ],
    // The database is a copy of a migrated one, and the test run has made the bundle of the workflows.
    without: ['migrations', 'workflow-bundle'],
    bundle: makeProgram,
    durable: false,
  });
  if (keyring === undefined) delete process.env['GNUPGHOME'];
  else process.env['GNUPGHOME'] = keyring;
  const rest = createRest(stack.addresses.api);
  const makeOne: Airline['makeSource'] = ({ signed = true, ...source } = {}) =>
    makeSource({
      directory: mkdtempSync(join(directory, 'source-')),
      ...source,
      ...(signed ? { key } : {}),
    });

  return {
    stack,
    rest,
    play,
    playTests,
    makeSource: makeOne,
    temporal: new Client({ connection, namespace }),
    async submit(source) {
      const upload = uploadOf(await makeOne(source));
      const urls = await storeUpload(stack.addresses.api, upload);
      const { ticket } = await createTicket(rest, `Build ${upload.source}`, [{ upload, urls }]);
      return { ticketId: ticket.id, urls };
    },
    async requestBuild({ ticketId, urls }, fields = {}) {
      const build = await rest.post<BuildResource>('/api/v1/build_source', {
        ticket_id: ticketId,
        cancel_url: null,
        source_packages: urls,
        series: 'bookworm',
        ppa: 'ppa:airline/test',
        archive: 'debian',
        progress_trigger: `test-${randomUUID()}`,
        ...fields,
      });
      return build as BuildResource & { progress_trigger: string };
    },
    messages: (
      { progress_trigger: queue },
      onMessage = async () => undefined,
      limitMs = LIMIT_MS,
    ) =>
      consumeProgress({
        amqpUrl: shared.amqpUrl,
        queue,
        limitMs,
        onMessage: (message) => onMessage(assertMessage(message)),
      }),
    build: (id) => rest.get<BuildResource>(`/api/v1/build/${id}/`),
    async stop() {
      await stopAll(stack, connection, database.drop);
      await keyOfWorker?.remove();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function stopAll(
  stack: Stack,
  connection: Connection,
  dropDatabase: () => Promise<void>,
): Promise<void> {
  await stack.stop();
  await connection.close();
  await dropDatabase();
}
