import { connect, createServer, type Socket } from 'node:net';
import { freePorts } from '../support/stack/free-ports.ts';

/** A server behind a port that can be shut and opened, as a server that goes down and comes back. */
export type Gate = {
  address: string;
  open(): Promise<void>;
  shut(): Promise<void>;
  close(): Promise<void>;
};

/** @param target the server, host:port */
export async function createGate(target: string): Promise<Gate> {
  const { hostname, port: targetPort } = new URL(`tcp://${target}`);
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connect(Number(targetPort), hostname);
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        incoming.destroy();
        outgoing.destroy();
      });
    }
    incoming.pipe(outgoing).pipe(incoming);
  });
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
  // Nobody else may take it while it is shut.
  const { api: port } = await freePorts();
  await listen(port);
  const shut = () =>
    new Promise<void>((resolve) => {
      if (!server.listening) return resolve();
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return {
    address: `127.0.0.1:${port}`,
    open: async () => (server.listening ? undefined : listen(port)),
    shut,
    close: shut,
  };
}
