import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { AirlineError } from '../domain/errors.ts';
import { sourceUrlProblem } from '../domain/source-url.ts';
import type { ActivityDependencies } from './index.ts';

/** Larger reads than Node's 16 KiB: fewer turns of the event loop for each byte. */
export const CHUNK_BYTES = 256 * 1_024;
const TRANSIENT = new Set([408, 425, 429]);

/**
 * Sends a GET and gives the answer, whatever its status, with its body still to be read. No redirect is followed and
 * nothing is decompressed.
 *
 * @param idleTimeoutMs the connection is ended when it brings nothing for so long, its making included
 * @throws what the connection failed with; errors while the body is read come out of its stream
 */
export function openUrl(
  url: string,
  { signal, idleTimeoutMs }: { signal: AbortSignal; idleTimeoutMs: number },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = {
      // A connection of its own: one kept open may be closed by the server just as it is used again.
      agent: false as const,
      signal,
      highWaterMark: CHUNK_BYTES,
      headers: { 'user-agent': 'airline', 'accept-encoding': 'identity' },
    };
    const request = url.startsWith('https:')
      ? requestHttps(url, options)
      : requestHttp(url, options);
    let response: IncomingMessage | undefined;
    request.setTimeout(idleTimeoutMs, () => {
      const error = new Error(`${url}: nothing came for ${idleTimeoutMs} ms`);
      if (response) response.destroy(error);
      else request.destroy(error);
    });
    request.once('response', (answer) => {
      response = answer;
      resolve(answer);
    });
    request.on('error', (error) => reject(new Error(`${url}: ${error.message}`, { cause: error })));
    request.end();
  });
}

/**
 * Opens a file of a source package.
 *
 * @throws AirlineError `host_not_allowed`, `source_too_large`, or `source_not_fetched` where the answer is final;
 * a plain Error where a later try may help
 */
export async function openSource(
  url: string,
  { rule, maxBytes, idleTimeoutMs }: ActivityDependencies['sources'],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const problem = sourceUrlProblem(url, rule);
  if (problem) throw new AirlineError('host_not_allowed', `${url}: ${problem}`);
  const response = await openUrl(url, { signal, idleTimeoutMs });
  const status = response.statusCode ?? 0;
  if (status === 200) {
    const length = Number(response.headers['content-length'] ?? 0);
    if (length <= maxBytes) return response;
    response.destroy();
    throw tooLarge(url, maxBytes);
  }
  response.destroy();
  if (status >= 500 || TRANSIENT.has(status)) throw new Error(`${url} answered ${status}`);
  const where = status >= 300 && status < 400 ? ', a redirect, which is not followed' : '';
  throw new AirlineError('source_not_fetched', `${url} answered ${status}${where}`);
}

/** The error of a file that is larger than the limit. */
export function tooLarge(url: string, maxBytes: number): AirlineError {
  return new AirlineError('source_too_large', `${url} is larger than ${maxBytes} bytes`);
}
