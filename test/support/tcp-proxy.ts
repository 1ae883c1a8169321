import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a real server that a test can close. */
export type TcpProxy = {
  port: number;
  /** Ends every connection and refuses new ones. */
  close(): void;
  /** Lets connections through again. */
  open(): void;
  /** Keeps connections, and passes nothing on, not even that one side has closed its own. */
  freeze(): void;
  stop(): Promise<void>;
};

/** Starts a proxy on a free port of loopback that passes everything on to `host:port`. */
export async function startTcpProxy(host: string, port: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const frozen = new WeakSet<Socket>();
  let isOpen = true;
  const server = createServer((near) => {
    if (!isOpen) {
      near.resetAndDestroy();
      return;
    }
    const far = connect(port, host);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      const leave = () => {
        if (!frozen.has(other)) other.destroy();
      };
      one.on('error', leave);
      one.on('close', () => {
        sockets.delete(one);
        leave();
      });
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const destroyAll = () => sockets.forEach((socket) => socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      isOpen = false;
      destroyAll();
    },
    open() {
      isOpen = true;
    },
    freeze() {
      for (const socket of sockets) {
        frozen.add(socket);
        socket.unpipe().pause();
      }
    },
    async stop() {
      destroyAll();
      server.close();
      await once(server, 'close');
    },
  };
}
