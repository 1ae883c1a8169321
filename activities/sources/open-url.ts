import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { AirlineError } from '../../domain/errors.ts';
import { shownUrl } from '../../domain/access/source-url.ts';

/** Larger reads than Node's 16 KiB: fewer turns of the event loop for each byte. */
const CHUNK_BYTES = 256 * 1_024;

/**
 * Sends a GET and gives the answer, whatever its status, with its body still to be read. No redirect is followed and
 * nothing is decompressed.
 *
 * @param options.signal ends the request, and the body while it is read
 * @param options.idleTimeoutMs the connection is ended when it brings nothing for so long, its making included, save
 * while what it has brought is not read yet; once that is read, it is ended after at most twice so long
 * @param options.lookup asks for the addresses of the host; by default the system does
 * @throws what the connection failed with; errors while the body is read come out of its stream. Messages show the
 * URL without its query, which may be secret
 */
export function openUrl(
  url: string,
  {
    signal,
    idleTimeoutMs,
    lookup,
  }: { signal: AbortSignal; idleTimeoutMs: number; lookup?: LookupFunction },
): Promise<IncomingMessage> {
  const shown = shownUrl(url);
  return new Promise((resolve, reject) => {
    const options = {
      // A connection of its own: one kept open may be closed by the server just as it is used again.
      agent: false as const,
      signal,
      highWaterMark: CHUNK_BYTES,
      headers: { 'user-agent': 'airline', 'accept-encoding': 'identity' },
      ...(lookup ? { lookup } : {}),
    };
    const send = new URL(url).protocol === 'https:' ? requestHttps : requestHttp;
    const request = send(url, options);
    let response: IncomingMessage | undefined;
    // The request has a time-out that strikes only once.
    request.once('socket', (socket) => {
      socket.setTimeout(idleTimeoutMs);
      let waitedForReader = false;
      socket.on('timeout', () => {
        // What has come waits for its reader, so nothing more is let in: the reader has limits of its own.
        const waitsForReader =
          response !== undefined && (response.complete || response.readableLength > 0);
        // A reader that has just taken it all leaves the server a whole time to send more.
        if (waitsForReader || waitedForReader) {
          waitedForReader = waitsForReader;
          return socket.setTimeout(idleTimeoutMs);
        }
        const error = new Error(`${shown}: nothing came for ${idleTimeoutMs} ms`);
        return (response ?? request).destroy(error);
      });
    });
    request.once('response', (answer) => {
      response = answer;
      resolve(answer);
    });
    request.on('error', (error) =>
      reject(
        error instanceof AirlineError
          ? error
          : new Error(`${shown}: ${error.message}`, { cause: error }),
      ),
    );
    // An answer 101 ends the connection with no other event than this one.
    request.once('close', () => reject(new Error(`${shown}: it ended without an answer`)));
    request.end();
  });
}
