import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostAndPort } from '../config/addresses.ts';

/** What a path answers. */
export type Answer = {
  readonly status: number;
  readonly mediaType: string;
  readonly body: string;
};

/** Whoever asks closes the connection soon. */
const MAX_CONNECTIONS = 50;

/**
 * Serves paths to orchestrators and monitoring.
 *
 * @param address `host:port`, or the path of a socket, which takes the place of an earlier process's; one that ends
 * leaves it
 * @param answers by path; what throws is a 500
 * @returns where it listens, and how to end it
 * @throws where it cannot listen
 */
export async function startProbeServer(
  address: string,
  answers: Readonly<Record<string, () => Promise<Answer>>>,
): Promise<{ readonly address: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const path = request.url?.replace(/\?.*$/, '') ?? '';
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
    void (answer?.() ?? Promise.resolve(text(404, 'There is no such path.')))
      .catch((error: unknown) => text(500, String(error)))
      .then(({ status, mediaType, body }) =>
        response.writeHead(status, { 'Content-Type': mediaType }).end(body),
      );
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, address);
  return {
    address: address.startsWith('/') ? address : addressOf(server),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, address: string): Promise<void> {
  const isPath = address.startsWith('/');
  // A server that ends removes the name that it was given, though another may listen there by then.
  const ownName = `${address}.${randomBytes(3).toString('hex')}`;
  server.listen(isPath ? { path: ownName } : hostAndPort(address, 0));
  try {
    await once(server, 'listening');
    if (isPath) await rename(ownName, address);
  } catch (error) {
    throw new Error(`Health and metrics cannot be served at ${address}.`, { cause: error });
  }
}

function addressOf(server: Server): string {
  const address = server.address() as AddressInfo;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `${host}:${address.port}`;
}

function text(status: number, body: string): Answer {
  return { status, mediaType: 'text/plain; charset=utf-8', body: `${body}\n` };
}
