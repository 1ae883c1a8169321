import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';

/** Variables of the environment that gRPC's client reads. */
const PROXY = { https_proxy: 'http://127.0.0.1:1', no_grpc_proxy: 'elsewhere.example' };

/**
 * Calls a function where the environment names a proxy that does not answer, and where a Temporal answers every call
 * with an empty message.
 *
 * @returns the names of the calls that Temporal got
 */
export async function besideProxy(call: (address: string) => Promise<unknown>): Promise<string[]> {
  const calls: string[] = [];
  const temporal = await serveTemporal((path) => calls.push(path.replace(/^.*\//, '')));
  const before = { ...process.env };
  Object.assign(process.env, PROXY);
  try {
    await call(temporal.address);
  } finally {
    for (const name of Object.keys(PROXY)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    temporal.close();
  }
  return calls;
}

async function serveTemporal(onCall: (path: string) => void) {
  const sockets = new Set<Socket>();
  const server = createServer();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('stream', (stream, { ':path': path = '' }) => {
    onCall(path);
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc' },
      { waitForTrailers: true },
    );
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    // Not compressed, no bytes.
    stream.end(Buffer.alloc(5));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
