import { connect } from 'node:net';

/** Where the parts of the embedded stack listen, for this machine alone. */
export const LOOPBACK = '127.0.0.1';

const TIMEOUT_MS = 1_000;

/** Whether something takes connections at a port. */
export function listens(port: number, host = LOOPBACK): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: TIMEOUT_MS });
    const answer = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => answer(true));
    socket.once('timeout', () => answer(false));
    socket.once('error', () => answer(false));
  });
}
