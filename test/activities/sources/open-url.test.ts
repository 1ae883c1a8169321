import { text } from 'node:stream/consumers';
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
