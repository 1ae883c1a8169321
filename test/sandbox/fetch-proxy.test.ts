import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startFetchProxy, type FetchProxy } from '../../sandbox/fetch-proxy.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

let server: Server;
let proxy: FetchProxy;
let root: string;
let socketPath: string;

beforeAll(async () => {
  server = createServer((asked, answer) => answer.end(`${asked.method} ${asked.url}`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  socketPath = join(temporaryDirectory(), 'proxy');
  proxy = await startFetchProxy(socketPath, [`${root}/apt/me/test`, 'https://mirror.example/']);
});
afterAll(async () => {
  await proxy.stop();
  server.close();
});

/** Asks the proxy as apt does. */
function ask(path: string, method = 'GET'): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path, method, agent: false }, (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
    });
    asked.on('connect', (answer, socket) => {
      socket.destroy();
      resolve({ status: answer.statusCode ?? 0, body: '' });
    });
    asked.on('error', reject).end();
  });
}

it.each(['/apt/me/test/dists/x/InRelease', '/apt/me/test/pool/a%2bb_1%7e1.deb'])(
  'what is below an address is fetched: %s',
  async (path) => {
    expect(await ask(`${root}${path}`)).toEqual({ status: 200, body: `GET ${path}` });
  },
);

it.each([
  '/',
  '/devel/',
  '/apt/me/testing/x',
  '/apt/me/test/../../../devel/',
  '/apt/me/test/%2e%2e/%2e%2e/devel',
  '/apt/me/test/..%2f..%2fdevel',
])('what is elsewhere on its host is not: %s', async (path) => {
  expect((await ask(`${root}${path}`)).status).toBe(403);
});

it.each([
  ['another port', 'http://127.0.0.1:1/apt/me/test/x', 'GET'],
  ['another host', 'http://elsewhere.example/apt/me/test/x', 'GET'],
  ['no address', '/apt/me/test/x', 'GET'],
  ['a tunnel to another host', 'elsewhere.example:443', 'CONNECT'],
  ['a tunnel to another port', 'mirror.example:22', 'CONNECT'],
])('%s is refused', async (_, path, method) => {
  expect((await ask(path, method)).status).toBe(403);
});

it.each(['POST', 'PUT', 'DELETE'])('%s is refused', async (method) => {
  expect((await ask(`${root}/apt/me/test/x`, method)).status).toBe(403);
});
