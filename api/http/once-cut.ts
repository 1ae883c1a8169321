import type { Readable } from 'node:stream';

/**
 * Tells of a request that closes before its body has been read to the end; at once where it has closed already. What a
 * body is piped into is not told by itself, and would wait for the rest.
 *
 * @returns what ends the telling
 */
export function onceCut(request: Readable, tell: (error: Error) => void): () => void {
  const close = () => {
    if (!request.readableEnded) tell(new Error('The request was cut.'));
  };
  if (request.closed) close();
  else request.once('close', close);
  return () => request.off('close', close);
}
