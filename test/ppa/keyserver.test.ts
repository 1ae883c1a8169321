import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { askKeyserver } from '../../ppa/keyserver.ts';

const KEY = 'A'.repeat(16);

/** What comes of the question for the primary key of a key, and what the log has of it. */
async function ask(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const lines: { level: number; msg: string; err: { message: string } }[] = [];
  const logger = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  const { port } = server.address() as AddressInfo;
  const keyserverUrl = `http://127.0.0.1:${port}`;
  try {
    const primaryKey = await askKeyserver({ keyserverUrl, timeoutMs: 60_000, logger }, KEY);
    return { primaryKey, warnings: lines.map(({ err }) => err.message) };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('a keyserver', () => {
  it('names the primary key of a subkey', async () => {
    const { primaryKey, warnings } = await ask((_, response) =>
      response.end(`info:1:1\npub:${'b'.repeat(40)}:1:4096:1700000000::\n`),
    );
    expect(primaryKey).toBe('B'.repeat(40));
    expect(warnings).toEqual([]);
  });

  it('that does not have the key says so: nothing to warn of', async () => {
    const { primaryKey, warnings } = await ask((_, response) =>
      response.writeHead(404).end('No results found'),
    );
    expect(primaryKey).toBeNull();
    expect(warnings).toEqual([]);
  });

  it.each<[string, RequestListener, RegExp]>([
    ['hangs up', (request) => request.socket.destroy(), /fetch failed/],
    ['is out of order', (_, response) => response.writeHead(500).end(), /answered 500, no key/],
    ['answers something else', (_, response) => response.end('<html>'), /answered 200, no key/],
  ])('that %s leaves it open, and the log says why', async (_how, answer, reason) => {
    const { primaryKey, warnings } = await ask(answer);
    expect(primaryKey).toBeUndefined();
    expect(warnings).toEqual([expect.stringMatching(reason)]);
  });
});
