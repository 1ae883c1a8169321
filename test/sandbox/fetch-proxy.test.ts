import { once } from 'node:events';
import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type Server,
} from 'node:http';
import {
  connect,
  createServer as createEchoServer,
  type AddressInfo,
  type Server as EchoServer,
} from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startFetchProxy, type FetchProxy } from '../../sandbox/fetch-proxy.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

let server: Server;
let proxy: FetchProxy;
let root: string;
let socketPath: string;
/** What the server was asked for. */
const seen: { asked: string; headers: IncomingHttpHeaders }[] = [];

beforeAll(async () => {
  server = createServer(({ method, url = '', headers }, answer) => {
    seen.push({ asked: `${method} ${url}`, headers });
    if (url.endsWith('/switches'))
      answer.writeHead(101, { connection: 'upgrade', upgrade: 'x' }).end();
    else answer.end(`${method} ${url}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  socketPath = join(temporaryDirectory(), 'proxy');
  proxy = await startFetchProxy(socketPath, [`${root}/apt/me/test`, 'https://mirror.example/']);
});
afterAll(async () => {
  await proxy.stop();
  server.close();
});

/** Asks the proxy as apt does; through a tunnel, it sends a line and reads what comes of it. */
function ask(
  path: string,
  method = 'GET',
  headers: OutgoingHttpHeaders = {},
  of = socketPath,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const options = { socketPath: of, path, method, headers, agent: false };
    const asked = request(options, (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
    });
    asked.on('connect', ({ statusCode: status = 0 }, socket, head) => {
      if (status !== 200) {
        socket.destroy();
        resolve({ status, body: '' });
        return;
      }
      socket.unshift(head);
      socket.end('hello\n');
      text(socket).then((body) => resolve({ status, body }), reject);
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

it('no other request is hidden in those that are passed on', async () => {
  seen.length = 0;
  const paths = ['first', 'second'].map((name) => `/apt/me/test/${name}`);
  // The body never comes. On a connection that both used, the server would take the beginning of the second for it.
  const beginning = `GET ${paths[1]} HTTP/1.1\r\nx-hidden: `;
  const connection = 'keep-alive';
  await ask(`${root}${paths[0]}`, 'GET', { 'content-length': beginning.length, connection });
  await ask(`${root}${paths[1]}`, 'GET', { 'x-hidden': 'POST /devel/ HTTP/1.1', connection });
  expect(seen.map(({ asked }) => asked)).toEqual(paths.map((path) => `GET ${path}`));
  for (const { headers } of seen) {
    expect(headers).not.toHaveProperty('content-length');
    expect(headers).not.toHaveProperty('transfer-encoding');
    expect(headers).not.toHaveProperty('x-hidden');
  }
});

it('a server that changes to another protocol has given no answer', async () => {
  expect(await ask(`${root}/apt/me/test/switches`)).toEqual({
    status: 502,
    body: 'No answer came.\n',
  });
});

it('what a fetch needs is passed on: what apt has, and from where it goes on', async () => {
  seen.length = 0;
  const headers = {
    range: 'bytes=7-',
    'if-range': 'Thu, 01 Jan 2026 00:00:00 GMT',
    'cache-control': 'max-age=0',
    'user-agent': 'Debian APT-HTTP/1.3',
  };
  await ask(`${root}/apt/me/test/x`, 'GET', headers);
  expect(seen).toMatchObject([{ asked: 'GET /apt/me/test/x', headers }]);
});

it('whoever opens more connections than apt would has no answer on them', async () => {
  const path = join(temporaryDirectory(), 'proxy');
  const crowded = await startFetchProxy(path, [root]);
  const sockets = Array.from({ length: 64 }, () => connect(path));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) socket.on('error', () => undefined);
  await expect(ask(`${root}/x`, 'GET', {}, path)).rejects.toThrow(/socket hang up|ECONNRESET/);
  await crowded.stop();
});

describe('a machine that reaches others by a proxy alone', () => {
  const MIRROR = 'http://mirror.example/debian';
  let upstream: Server;
  let echo: EchoServer;
  let own: FetchProxy;
  let path: string;
  let address: string;
  /** What the machine's proxy was asked for. */
  const asked: string[] = [];

  beforeAll(async () => {
    echo = createEchoServer((socket) => socket.pipe(socket));
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
    address = `127.0.0.1:${(echo.address() as AddressInfo).port}`;
    upstream = createServer(({ method, url }, answer) => {
      asked.push(`${method} ${url}`);
      answer.end('by the proxy');
    });
    upstream.on('connect', ({ url = '' }, socket) => {
      asked.push(`CONNECT ${url}`);
      if (url.startsWith('refused.')) {
        socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
        return;
      }
      // What the host says first may come with the proxy's own answer.
      socket.write('HTTP/1.1 200 OK\r\n\r\nby the proxy: ');
      socket.pipe(socket);
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const proxyUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`;
    path = join(temporaryDirectory(), 'proxy');
    own = await startFetchProxy(
      path,
      [MIRROR, 'https://mirror.example/', 'https://refused.example/', root, `https://${address}/`],
      ({ hostname }) => (hostname === '127.0.0.1' ? undefined : proxyUrl),
    );
  });
  beforeEach(() => (asked.length = 0));
  afterAll(async () => {
    await own.stop();
    upstream.close();
    echo.close();
  });

  it('fetches by it', async () => {
    const body = 'by the proxy';
    expect(await ask(`${MIRROR}/x`, 'GET', {}, path)).toEqual({ status: 200, body });
    expect(asked).toEqual([`GET ${MIRROR}/x`]);
  });

  it('has its tunnels go through it', async () => {
    const body = 'by the proxy: hello\n';
    expect(await ask('mirror.example:443', 'CONNECT', {}, path)).toEqual({ status: 200, body });
    expect(asked).toEqual(['CONNECT mirror.example:443']);
  });

  it('has no tunnel where it refuses one', async () => {
    expect((await ask('refused.example:443', 'CONNECT', {}, path)).status).toBe(502);
  });

  it('fetches without it what needs none', async () => {
    expect((await ask(`${root}/own`, 'GET', {}, path)).body).toBe('GET /own');
    const body = 'hello\n';
    expect(await ask(address, 'CONNECT', {}, path)).toEqual({ status: 200, body });
    expect(asked).toEqual([]);
  });

  it('has a proxy that stops while a tunnel still sends', async () => {
    const stopped = join(temporaryDirectory(), 'proxy');
    const { stop } = await startFetchProxy(stopped, [`https://${address}/`]);
    const socket = connect(stopped);
    socket.on('error', () => undefined);
    socket.write(`CONNECT ${address} HTTP/1.1\r\n\r\n`);
    await once(socket, 'data');
    // What is sent comes back, and goes there again, for ever.
    socket.pipe(socket);
    socket.write('x');
    await once(socket, 'data');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await stop();
    await closed;
  });

  it('is told that nothing answers where a tunnel is to lead', async () => {
    echo.close();
    expect((await ask(address, 'CONNECT', {}, path)).status).toBe(502);
  });
});
