import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a real server on which a test hears what is said, and can keep it back. */
export type OverheardProxy = {
  port: number;
  /** Keeps back from now on what clients say. @returns resolves when a client has said something that was kept back */
  holdClients(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts a proxy on a free port of loopback.
 *
 * @param options.onServer hears what the server says, before the client does; false keeps it back for good
 */
export async function startOverheardProxy(
  { host, port }: { host: string; port: number },
  { onServer = () => true }: { onServer?: (chunk: Buffer) => boolean } = {},
): Promise<OverheardProxy> {
  const sockets = new Set<Socket>();
  let onHeld: (() => void) | undefined;
  const server = createServer((near) => {
    const far = connect(port, host);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    near.on('data', (chunk) => {
      if (onHeld) onHeld();
      else far.write(chunk);
    });
    far.on('data', (chunk) => {
      if (onServer(chunk)) near.write(chunk);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    holdClients: () =>
      new Promise((resolve) => {
        onHeld = resolve;
      }),
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const FRAME_HEAD = 7;
const FRAME_END = 1;
const METHOD = 1;
const BASIC_ACK = 0x003c_0050;

/**
 * Counts the confirmations in what a broker says (AMQP 0-9-1, 4.2.3: type, channel, size, payload, end; a method's
 * payload begins with its class and its number). One may stand for several messages.
 */
export function confirmationCounter(): (chunk: Buffer) => number {
  let rest: Buffer = Buffer.alloc(0);
  let confirmed = 0;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= FRAME_HEAD) {
      const sizeBytes = rest.readUInt32BE(3);
      if (rest.length < FRAME_HEAD + sizeBytes + FRAME_END) break;
      const isAck = rest[0] === METHOD && rest.readUInt32BE(FRAME_HEAD) === BASIC_ACK;
      if (isAck) confirmed = Number(rest.readBigUInt64BE(FRAME_HEAD + 4));
      rest = rest.subarray(FRAME_HEAD + sizeBytes + FRAME_END);
    }
    return confirmed;
  };
}
