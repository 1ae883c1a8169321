import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Identity } from './tls-authority.ts';

/**
 * Starts a proxy on a free port of loopback that speaks TLS with every client, and passes on what they say in the
 * clear.
 *
 * @param target `host:port` of the real server
 * @param options.clientCa only those are let in whose certificate it has signed
 * @param options.isPostgres TLS begins when the client has asked for it, as PostgreSQL's protocol has it
 */
export async function startTlsProxy(
  target: string,
  identity: Identity,
  options: { clientCa?: string; isPostgres?: boolean } = {},
): Promise<{ port: number; stop(): Promise<void> }> {
  const { hostname, port } = new URL(`tcp://${target}`);
  const secureContext = createSecureContext({
    cert: readFileSync(identity.certificate),
    key: readFileSync(identity.key),
    ...(options.clientCa ? { ca: readFileSync(options.clientCa) } : {}),
  });
  const sockets = new Set<Socket>();
  const server = createServer((raw) => {
    sockets.add(raw);
    raw.on('error', () => raw.destroy());
    if (!options.isPostgres) return secure(raw);
    raw.once('data', () => {
      // To its SSLRequest, PostgreSQL answers with one letter.
      raw.write('S');
      secure(raw);
    });
  });

  function secure(raw: Socket): void {
    const isClientKnown = options.clientCa !== undefined;
    const near = new TLSSocket(raw, {
      isServer: true,
      secureContext,
      ALPNProtocols: ['h2'],
      requestCert: isClientKnown,
      rejectUnauthorized: isClientKnown,
    });
    const far = connect(Number(port), hostname);
    sockets.add(far);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
