import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ReadableStream as WebStream } from 'node:stream/web';

/** A connection that brings nothing for so long is asked whether its other end is still there. */
const KEEP_ALIVE_MS = 60_000;

/**
 * Node's fetch; but what is sent from a stream is waited for until the caller's signal ends it. Node's own ends such a
 * request after 300 s without an answer, and the data store may compare a large file for longer.
 */
export const patientFetch: typeof fetch = async (input, init) =>
  init?.body instanceof ReadableStream
    ? sendStream(new URL(input instanceof Request ? input.url : input), init, init.body)
    : fetch(input, init);

/** Sends a stream, follows no redirect, and gives the whole answer. @throws TypeError as fetch does, with its cause */
async function sendStream(
  url: URL,
  { method = 'GET', headers, signal }: RequestInit,
  body: ReadableStream<Uint8Array>,
): Promise<Response> {
  if (signal?.aborted) {
    // From Node 24 on nothing can be piped to its request: the stream would fail later, with nobody to hear of it.
    await body.cancel(signal.reason);
    throw new TypeError('fetch failed', { cause: signal.reason });
  }
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const request = send(url, {
    method,
    headers: Object.fromEntries(new Headers(headers)),
    // A connection of its own: one kept open may be closed by the server just as it is used again.
    agent: false,
    ...(signal ? { signal } : {}),
  });
  request.setSocketKeepAlive(true, KEEP_ALIVE_MS);
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve).on('error', reject);
      // An answer 101 ends the connection with no other event than this one.
      request.once('close', () => reject(new Error('it ended the connection without an answer')));
      pipeline(Readable.fromWeb(body as WebStream), request, (error) => {
        if (error) reject(error);
      });
    });
    const content = await text(answer);
    return new Response(content === '' ? null : content, {
      status: answer.statusCode ?? 0,
      headers: answer.headers as Record<string, string>,
    });
  } catch (cause) {
    throw new TypeError('fetch failed', { cause });
  } finally {
    // An answer that comes first says what becomes of the file: the rest of it is not sent.
    request.destroy();
  }
}
