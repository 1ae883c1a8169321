import { chmod } from 'node:fs/promises';
import {
  createServer,
  request as requestHttp,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

const IDLE_MS = 120_000;
/** Connections at once; apt opens one for each host. They take memory of the tester itself, which is in no group. */
const MAX_CONNECTIONS = 64;
/**
 * The headers of a request that are passed on. No other is: one that frames a body, of which none is sent, would make
 * the server read the next request as that.
 */
const PASSED_ON: readonly string[] = [
  'accept',
  'cache-control',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'range',
  'user-agent',
];

/** Which proxy a URL is fetched by: its address, of http; undefined for none. */
export type UpstreamOf = (url: URL) => string | undefined;

/** A proxy that fetches for programs without a network. */
export type FetchProxy = { stop(): Promise<void> };

/**
 * Serves a Unix socket as an HTTP proxy for apt. It fetches what is below the given addresses and nothing else: no
 * other host, no other path of these hosts, no other method than GET and HEAD, without a body and with the headers that
 * a fetch needs. Of an https address the path is not seen: its host and port are all that counts.
 *
 * @param allowed addresses of http and https, without a query
 * @param upstreamOf the proxy that this machine itself needs for what it fetches; undefined where it needs none
 */
export async function startFetchProxy(
  socketPath: string,
  allowed: readonly string[],
  upstreamOf: UpstreamOf = () => undefined,
): Promise<FetchProxy> {
  const roots = allowed.map((address) => new URL(address));
  const server = createServer((request, response) => {
    const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : undefined;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!url || !isRead || !roots.some((root) => isBelow(root, url))) {
      response.writeHead(403, { connection: 'close' }).end('Not a source of packages.\n');
      return;
    }
    const headers: OutgoingHttpHeaders = { host: url.host };
    for (const name of PASSED_ON) {
      const value = request.headers[name];
      if (value !== undefined) headers[name] = value;
    }
    // A connection for each request: none finds what another has left on it.
    const options = { method: request.method, headers, timeout: IDLE_MS, agent: false };
    const passOn = (answer: IncomingMessage) => {
      // Whether the caller's connection goes on is not the server's to say.
      const { connection: _, ...answered } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, answered);
      pipeline(answer, response, () => undefined);
    };
    const upstream = upstreamOf(url);
    const outgoing =
      url.protocol === 'https:'
        ? requestHttps(url, options, passOn)
        : upstream === undefined
          ? requestHttp(url, options, passOn)
          : requestHttp(upstream, { ...options, path: url.href }, passOn);
    outgoing.on('timeout', () => outgoing.destroy(new Error('nothing came')));
    outgoing.on('error', (error) => {
      if (!response.headersSent) response.writeHead(502).end(`${error.message}\n`);
      else response.destroy();
    });
    // An answer 101 ends the connection with no other event than this one.
    outgoing.on('close', () => {
      if (!response.headersSent) response.writeHead(502).end('No answer came.\n');
    });
    response.on('close', () => outgoing.destroy());
    outgoing.end();
  });
  server.on('connect', (request, socket, head: Buffer) => {
    const root = roots.find(
      ({ protocol, hostname, port }) =>
        protocol === 'https:' && `${hostname}:${port || 443}` === request.url,
    );
    socket.on('error', () => undefined);
    const refuse = (status: string) =>
      socket.end(`HTTP/1.1 ${status}\r\n\r\n`, () => socket.destroy());
    if (!root) {
      refuse('403 Forbidden');
      return;
    }
    const pass = (tunnel: Socket) => {
      tunnel.setTimeout(IDLE_MS, () => tunnel.destroy());
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      tunnel.write(head);
      pipeline(tunnel, socket, () => undefined);
      pipeline(socket, tunnel, () => undefined);
    };
    openTunnel(root, upstreamOf(root)).then(pass, () => refuse('502 Bad Gateway'));
  });
  server.maxConnections = MAX_CONNECTIONS;
  // The server does not know its tunnels any more, and waits for them as it closes.
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, resolve);
  });
  // The folder that the socket is in says who reaches it.
  await chmod(socketPath, 0o666);
  return {
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of connections) socket.destroy();
      }),
  };
}

/**
 * Connects to the host of an https address.
 *
 * @throws Error where that, or the proxy on the way to it, does not answer
 */
function openTunnel({ hostname, port }: URL, upstream: string | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error('nothing came'));
    if (upstream === undefined) {
      const tunnel = connect(Number(port || 443), hostname, () => resolve(tunnel));
      tunnel.setTimeout(IDLE_MS, () => tunnel.destroy());
      tunnel.on('error', reject).on('close', giveUp);
      return;
    }
    const path = `${hostname}:${port || 443}`;
    const options = { method: 'CONNECT', path, headers: { host: path }, timeout: IDLE_MS };
    const asked = requestHttp(upstream, { ...options, agent: false });
    asked.on('connect', ({ statusCode }, tunnel, head) => {
      tunnel.on('error', () => tunnel.destroy());
      if (statusCode !== 200) {
        tunnel.destroy();
        reject(new Error(`the proxy answered ${statusCode}`));
        return;
      }
      tunnel.unshift(head);
      resolve(tunnel);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', reject).on('close', giveUp);
    asked.end();
  });
}

/** Whether a URL is in the folder of another one. A path that a server might read as another folder's is not. */
function isBelow(root: URL, { protocol, host, pathname, username, password }: URL): boolean {
  const folder = root.pathname.endsWith('/') ? root.pathname : `${root.pathname}/`;
  return (
    protocol === root.protocol &&
    host === root.host &&
    username === '' &&
    password === '' &&
    pathname.startsWith(folder) &&
    !/%2f|%5c|\\|%2e%2e|%00/i.test(pathname)
  );
}
