import { chmodSync, copyFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'amqplib';
import { pino } from 'pino';
import { connectToBroker } from '../../progress/broker-connection.ts';
import { startOwnBroker, type OwnBroker } from '../support/own-broker.ts';
import { freePorts } from '../support/stack/free-ports.ts';
import { makeTlsAuthority, type TlsAuthority } from '../support/tls-authority.ts';

const LIMIT_MS = 600_000;
const ANSWER_MS = 60_000;
const logger = pino({ level: 'silent' });

let broker: OwnBroker;
let authority: TlsAuthority;
let address: string;

beforeAll(async () => {
  authority = await makeTlsAuthority();
  broker = await startOwnBroker();
  const { certificate, key } = await authority.issue('localhost');
  const port = (await freePorts()).api;
  // The node is another user, who may read neither the test's folders nor the key.
  const directory = mkdtempSync(join(tmpdir(), 'airline-broker-tls-'));
  chmodSync(directory, 0o755);
  const readable = (file: string, name: string) => {
    copyFileSync(file, join(directory, name));
    chmodSync(join(directory, name), 0o644);
    return join(directory, name);
  };
  await broker.control(
    'eval',
    `{ok, _} = application:ensure_all_started(ssl),
     ok = rabbit_networking:start_ssl_listener({"127.0.0.1", ${port}, inet},
       [{certfile, "${readable(certificate, 'certificate.pem')}"},
        {keyfile, "${readable(key, 'key.pem')}"}], 1).`,
  );
  const url = new URL(broker.url);
  address = `amqps://${url.username}:${url.password}@localhost:${port}/`;
}, LIMIT_MS);
afterAll(() => broker.stop(), LIMIT_MS);

/** Connects as a publisher does, with the CA in a file. */
const connectWith = (amqpUrl: string, ca?: string) =>
  connectToBroker({ amqpUrl, ...(ca ? { amqpCa: readFileSync(ca) } : {}) }, ANSWER_MS, logger);

describe("RabbitMQ's own TLS listener", () => {
  it(
    'takes a message by amqps:// from who trusts its CA',
    async () => {
      const publisher = await connectWith(address, authority.ca);
      await publisher.makeQueue('by-tls');
      await publisher.publish({
        queue: 'by-tls',
        id: '7:1',
        type: 'progress',
        timestamp: '2026-11-20T12:00:00Z',
        body: { message: 'STARTED' },
      });
      await publisher.close();
      const reader = await connect(broker.url);
      const message = await (await reader.createChannel()).get('by-tls', { noAck: true });
      await reader.close();
      expect(message && message.content.toString()).toBe('{"message":"STARTED"}');
    },
    LIMIT_MS,
  );

  it.each([
    ['the CA is not known', () => connectWith(address), /unable to verify|self.signed/],
    [
      'another CA is given',
      async () => connectWith(address, (await makeTlsAuthority()).ca),
      /unable to verify|certificate signature failure|self.signed/,
    ],
    [
      'its certificate is for another name',
      () => connectWith(address.replace('localhost', '127.0.0.1'), authority.ca),
      /altnames/,
    ],
  ])(
    'is refused, and says why, where %s',
    async (_case, refused, why) => {
      await expect(refused()).rejects.toThrow(why);
    },
    LIMIT_MS,
  );
});
