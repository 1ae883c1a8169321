import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';

/** Of an answer, no more is read than lets a receiver finish it. */
const MAX_ANSWER_BYTES = 16_384;

/** What counts of an answer. */
export type WebhookAnswer = {
  readonly statusCode: number;
  /** How long the receiver asks for no other request; 0 where it does not. Dates in Retry-After are not read. */
  readonly retryAfterMs: number;
};

/**
 * Sends a body by POST. No redirect is followed, and what the answer says is thrown away.
 *
 * @param options.lookup asks for the addresses of the host
 * @param options.signal ends the request
 * @throws what the connection failed with before the head of an answer came
 */
export function postWebhook(
  url: string,
  body: string,
  {
    headers,
    lookup,
    signal,
  }: { headers: Readonly<Record<string, string>>; lookup: LookupFunction; signal: AbortSignal },
): Promise<WebhookAnswer> {
  return new Promise((resolve, reject) => {
    const send = new URL(url).protocol === 'https:' ? requestHttps : requestHttp;
    const request = send(url, {
      method: 'POST',
      // A connection of its own: one kept open may be closed by the receiver just as it is used again.
      agent: false,
      lookup,
      signal,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'airline',
        ...headers,
      },
    });
    let answer: WebhookAnswer | undefined;
    request.once('response', (response) => {
      const seconds = /^\d{1,6}$/.exec(response.headers['retry-after'] ?? '')?.[0] ?? '0';
      const received = {
        statusCode: response.statusCode ?? 0,
        retryAfterMs: Number(seconds) * 1_000,
      };
      answer = received;
      let sizeBytes = 0;
      response.on('data', (chunk: Buffer) => {
        sizeBytes += chunk.length;
        if (sizeBytes > MAX_ANSWER_BYTES) response.destroy();
      });
      response.on('error', () => undefined);
      response.once('close', () => resolve(received));
    });
    // The head of the answer says all: what becomes of the rest changes nothing.
    const end = (error: Error) => (answer ? resolve(answer) : reject(error));
    request.on('error', end);
    // An answer 101 ends the connection with no other event than this one.
    request.once('close', () => end(new Error('It ended the connection without an answer')));
    request.end(body);
  });
}
