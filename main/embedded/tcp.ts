import { connect } from 'node:net';

/** Where the parts of the embedded stack listen, for this machine alone. */
export const LOOPBACK = '127.0.0.1';

/** Whether something takes connections at a port. */
export function listens(port: number, host = LOOPBACK, timeoutMs = 1_000): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: timeoutMs });
    const answer = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => answer(true));
    socket.once('timeout', () => answer(false));
    socket.once('error', () => answer(false));
  });
}
