import { readFileSync, writeFileSync } from 'node:fs';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { NativeConnection, Runtime } from '@temporalio/worker';
import pino from 'pino';
import { createTemporalWorkflows } from '../../../dispatch/temporal-workflows.ts';
import { ConfigError, loadConfig } from '../../../main/config/config.ts';
import { registerSearchAttributes } from '../../../main/config/search-attributes.ts';
import { connectToTemporal } from '../../../main/config/temporal-connection.ts';
import { amqpCa, temporalTarget } from '../../../main/config/temporal-target.ts';
import { openDatabase } from '../../../models/database.ts';
import { createProgressFeed } from '../../../models/events/progress-feed.ts';
import { migrate } from '../../../models/sql/migrate.ts';
import { connectToBroker } from '../../../progress/broker-connection.ts';
import { amqpUrl, temporalAddress } from '../../support/addresses.ts';
import { BUILD_LIMITS, CLEANING_LIMITS, LANDING_LIMITS } from '../../support/build-limits.ts';
import { createTestDatabase } from '../../support/database.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { makeTlsAuthority, type Identity, type TlsAuthority } from '../../support/tls-authority.ts';
import { startTlsProxy } from '../../support/tls-proxy.ts';

jest.setTimeout(600_000);

const ANSWER_MS = 60_000;
const logger = pino({ level: 'silent' });
const proxies: { stop(): Promise<void> }[] = [];
let authority: TlsAuthority;
let server: Identity;
let client: Identity;

beforeAll(async () => {
  authority = await makeTlsAuthority();
  server = await authority.issue('localhost');
  client = await authority.issue('airline');
});
afterAll(async () => {
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  // A connection that could not be made leaves it behind, and other test files want one of their own.
  await Runtime.instance().shutdown();
});

async function proxyTo(target: string, options: Parameters<typeof startTlsProxy>[2] = {}) {
  const proxy = await startTlsProxy(target, server, options);
  proxies.push(proxy);
  return `localhost:${proxy.port}`;
}

const workflowsOf = (variables: Record<string, string>) =>
  createTemporalWorkflows({
    ...temporalTarget(loadConfig(variables)),
    namespace: 'default',
    limits: BUILD_LIMITS,
    landingLimits: LANDING_LIMITS,
    cleaningLimits: CLEANING_LIMITS,
    rpcTimeoutMs: ANSWER_MS,
    uploadCheckMs: ANSWER_MS,
  });

/** Asks a Temporal as an API does. */
async function probe(variables: Record<string, string>): Promise<void> {
  const workflows = workflowsOf(variables);
  try {
    await workflows.probe();
  } finally {
    await workflows.close();
  }
}

describe('Temporal', () => {
  it('is reached with a CA and a client certificate, by APIs and workers; not without', async () => {
    const address = await proxyTo(temporalAddress(), { clientCa: authority.ca });
    const authorized = {
      AIRLINE_TEMPORAL_ADDRESS: address,
      AIRLINE_TEMPORAL_CA: authority.ca,
      AIRLINE_TEMPORAL_CERTIFICATE: client.certificate,
      AIRLINE_TEMPORAL_KEY: client.key,
    };
    await probe(authorized);
    const target = temporalTarget(loadConfig(authorized));
    const connection = await connectToTemporal(target, logger, ANSWER_MS);
    await connection.workflowService.getSystemInfo({});
    await connection.close();

    const anonymous = {
      AIRLINE_TEMPORAL_ADDRESS: address,
      AIRLINE_TEMPORAL_CA: authority.ca,
    };
    await expect(NativeConnection.connect(temporalTarget(loadConfig(anonymous)))).rejects.toThrow();
  });

  it('is not reached where its certificate is for another name, unless that is expected', async () => {
    const address = (await proxyTo(temporalAddress())).replace('localhost', '127.0.0.1');
    const variables = { AIRLINE_TEMPORAL_ADDRESS: address, AIRLINE_TEMPORAL_CA: authority.ca };
    const target = temporalTarget(loadConfig(variables));
    await expect(NativeConnection.connect(target)).rejects.toThrow();
    await probe({ ...variables, AIRLINE_TEMPORAL_SERVER_NAME: 'localhost' });
  });

  it('is told the API key, by TLS even where nothing else asks for it', async () => {
    const key = join(temporaryDirectory(), 'api-key');
    writeFileSync(key, 'secret-key\n');
    const asked: unknown[] = [];
    const temporal = await serveRefusals((authorization) => asked.push(authorization));
    await expect(
      probe({
        AIRLINE_TEMPORAL_ADDRESS: temporal.address,
        AIRLINE_TEMPORAL_CA: authority.ca,
        AIRLINE_TEMPORAL_API_KEY_FILE: key,
      }),
    ).rejects.toThrow();
    expect(asked).toContain('Bearer secret-key');
    temporal.server.close();
    expect(temporalTarget(loadConfig({ AIRLINE_TEMPORAL_API_KEY_FILE: key }), 'a:1')).toEqual({
      address: 'a:1',
      tls: {},
      apiKey: 'secret-key',
    });
  });

  it('is not asked for with settings that cannot be meant', () => {
    const given = (variables: Record<string, string>) => () =>
      temporalTarget(loadConfig({ AIRLINE_TEMPORAL_ADDRESS: 'temporal:7233', ...variables }));
    expect(given({})()).toEqual({ address: 'temporal:7233' });
    expect(given({ AIRLINE_TEMPORAL_KEY: client.key })).toThrow(ConfigError);
    expect(given({ AIRLINE_TEMPORAL_CA: '/nowhere/ca.pem' })).toThrow(
      'AIRLINE_TEMPORAL_CA: ENOENT',
    );
    expect(given({ AIRLINE_TEMPORAL_ADDRESS: 'https://temporal:7233' })).toThrow('is no host:port');
  });

  it.each([
    ['a refusal', 7, true],
    ['an operator service that it does not have', 12, true],
    ['anything else', 14, false],
  ])('that answers with %s to search attributes', async (_, code, isTolerated) => {
    const warnings: unknown[] = [];
    const refuse = async () => {
      throw Object.assign(new Error('refused'), { code });
    };
    const connection = {
      operatorService: { listSearchAttributes: refuse, addSearchAttributes: refuse },
    };
    const log = pino({}, { write: (line: string) => void warnings.push(JSON.parse(line)) });
    const registered = registerSearchAttributes(connection, 'ns.account', log);
    if (!isTolerated) return expect(registered).rejects.toThrow('refused');
    await registered;
    expect(warnings).toMatchObject([{ searchAttributes: { AirlineTicket: 'INT' } }]);
  });
});

describe('RabbitMQ', () => {
  it('is reached by amqps:// with its CA; not without', async () => {
    const { username, password, pathname, host } = new URL(amqpUrl());
    const address = `amqps://${username}:${password}@${await proxyTo(host)}${pathname}`;
    const ca = amqpCa(loadConfig({ AIRLINE_AMQP_CA: authority.ca }));
    const open = await connectToBroker({ amqpUrl: address, amqpCa: ca }, ANSWER_MS, logger);
    await open.close();
    await expect(connectToBroker({ amqpUrl: address }, ANSWER_MS, logger)).rejects.toThrow(
      'unable to verify',
    );
  });
});

describe('PostgreSQL', () => {
  it('is reached with sslmode=verify-full, by all that have its address; not by another name', async () => {
    const { url, drop } = await createTestDatabase();
    const secured = new URL(url);
    secured.host = await proxyTo(secured.host, { isPostgres: true });
    secured.search = `sslmode=verify-full&sslrootcert=${authority.ca}`;
    expect(await migrate(secured.href)).toEqual([]);
    const database = openDatabase(secured.href, 1);
    const [rows] = await database.sequelize.query('SELECT 1 AS one');
    expect(rows).toEqual([{ one: 1 }]);
    const feed = createProgressFeed({
      databaseUrl: secured.href,
      changesMs: 1_000,
      retryMs: 1_000,
      logger,
    });
    await new Promise<void>((resolve) => {
      feed.subscribeToChanges({ changed: () => {}, missed: resolve });
    });
    await feed.close();
    await database.close();

    secured.hostname = '127.0.0.1';
    await expect(migrate(secured.href)).rejects.toThrow(/altnames/);
    await drop();
  });
});

/** A Temporal that answers nothing but that it cannot. */
async function serveRefusals(
  onCall: (authorization: unknown) => void,
): Promise<{ address: string; server: Http2SecureServer }> {
  const http2 = createSecureServer({
    cert: readFileSync(server.certificate),
    key: readFileSync(server.key),
  });
  http2.on('stream', (stream, headers) => {
    onCall(headers['authorization']);
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' },
      { endStream: true },
    );
  });
  http2.listen(0, '127.0.0.1');
  await once(http2, 'listening');
  return { address: `localhost:${(http2.address() as AddressInfo).port}`, server: http2 };
}
