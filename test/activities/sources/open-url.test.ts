import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { openUrl } from '../../../activities/sources/open-url.ts';
import { startFileServer, type FileServer } from '../file-server.ts';

const HOUR_MS = 3_600_000;
const open = (url: string) =>
  openUrl(url, { signal: new AbortController().signal, idleTimeoutMs: HOUR_MS });

let server: FileServer;
beforeAll(async () => {
  server = await startFileServer();
});
afterAll(() => server.stop());

it('an answer is given whatever its status, with its body', async () => {
  const answer = await open(
    server.answer('gone', (_, response) => response.writeHead(410).end('x')),
  );
  expect([answer.statusCode, await text(answer)]).toEqual([410, 'x']);
});

it('a server that changes to another protocol has given no answer', async () => {
  const url = server.answer('switches', (_, response) =>
    response.writeHead(101, { connection: 'upgrade', upgrade: 'x' }).end(),
  );
  await expect(open(url)).rejects.toThrow(`${url}: it ended without an answer`);
});

it('a scheme in capitals is what it is in small letters', async () => {
  const url = server.answer('plain', (_, response) => response.end());
  await expect(open(url.replace('http:', 'HTTPS:'))).rejects.toThrow('SSL routines');
});

describe('the time for which nothing may come', () => {
  // A busy machine may keep this process waiting for longer than a short one.
  const idleTimeoutMs = 3_000;
  const MEBIBYTE = Buffer.alloc(2 ** 20);
  const openSoon = (url: string) =>
    openUrl(url, { signal: new AbortController().signal, idleTimeoutMs });
  /** Reads an answer, and lets three such times pass after its first chunk. @returns its size in bytes */
  async function readLate(url: string): Promise<number> {
    let bytes = 0;
    for await (const chunk of await openSoon(url)) {
      if (bytes === 0) await sleep(3 * idleTimeoutMs);
      bytes += (chunk as Buffer).length;
    }
    return bytes;
  }

  it.concurrent('is not that for which the reader takes nothing', async () => {
    const large = server.answer('large', Buffer.concat(Array<Buffer>(4).fill(MEBIBYTE)));
    expect(await readLate(large)).toBe(4 * MEBIBYTE.length);
  });

  it.concurrent('is whole again once the reader has taken what came', async () => {
    let answer: ServerResponse | undefined;
    const url = server.answer('goes-on', (_, response) => {
      answer = response;
      response.write('first ');
    });
    let read = '';
    for await (const chunk of await openSoon(url)) {
      if (read === '') {
        answer?.write('waiting ');
        await sleep(2.5 * idleTimeoutMs);
        setTimeout(() => answer?.end('last'), 0.75 * idleTimeoutMs);
      }
      read += String(chunk);
    }
    expect(read).toBe('first waiting last');
  });

  it.concurrent('ends the connection of a server that sends nothing more', async () => {
    const url = server.answer('stops', (_, response) => response.write(MEBIBYTE));
    await expect(readLate(url)).rejects.toThrow(`${url}: nothing came for ${idleTimeoutMs} ms`);
  });
});
