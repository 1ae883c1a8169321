import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Client } from 'pg';

/** A pooler before a database, as PgBouncer is: it lets its clients in by itself. */
export type SessionPooler = {
  /** The database by way of the pooler. */
  url: string;
  stop(): Promise<void>;
};

/** AuthenticationOk, BackendKeyData of a process that there is not, ReadyForQuery. */
const WELCOME = Buffer.from('5200000008000000004b0000000c7ffffffe000000005a0000000549', 'hex');
const TERMINATE = 'X'.charCodeAt(0);

/**
 * Starts a pooler on a free port of loopback.
 *
 * @param mode session: each client has a session of PostgreSQL of its own until it leaves. transaction: all have one
 * and the same, and must not ask at the same time
 */
export async function startSessionPooler(
  databaseUrl: string,
  mode: 'session' | 'transaction',
): Promise<SessionPooler> {
  const opened: Client[] = [];
  const sockets = new Set<Socket>();
  let shared: Promise<Socket> | undefined;
  let asking: Socket | undefined;

  async function openSession(): Promise<Socket> {
    const session = new Client({ connectionString: databaseUrl });
    session.on('error', () => undefined);
    await session.connect();
    opened.push(session);
    const { stream } = (session as Client & { connection: { stream: Socket } }).connection;
    return stream.removeAllListeners('data');
  }

  async function serve(client: Socket): Promise<void> {
    sockets.add(client);
    client.on('error', () => client.destroy());
    await once(client, 'data');
    client.pause();
    let session: Socket;
    if (mode === 'session') {
      session = await openSession();
      session.on('data', (answer) => client.write(answer));
      client.on('close', () => session.destroy());
    } else {
      shared ??= openSession().then((one) => one.on('data', (answer) => asking?.write(answer)));
      session = await shared;
    }
    client.on('data', (asked: Buffer) => {
      if (asked[0] === TERMINATE) {
        client.end();
        return;
      }
      asking = client;
      session.write(asked);
    });
    client.resume();
    client.write(WELCOME);
  }

  const server = createServer((client) => void serve(client));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
      for (const session of opened)
        (session as Client & { connection: { stream: Socket } }).connection.stream.destroy();
    },
  };
}
