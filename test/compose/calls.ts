import { request } from 'node:https';
import { until } from '../support/until.ts';
import type { Call } from './builds.ts';

const ANSWER_MS = 60_000;

const bodyOf = (body: unknown) =>
  body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body);
const typeOf = (body: unknown) =>
  body instanceof Uint8Array ? 'application/octet-stream' : 'application/json';

const PATIENCE_MS = 120_000;

/** Calls again where the answer is 503, as callers do that read `Retry-After`. */
function patient(call: Call): Call {
  return (...request) =>
    until(
      'another answer than 503',
      async () => {
        const answer = await call(...request);
        return answer.status !== 503 && answer;
      },
      PATIENCE_MS,
    );
}

/** Calls an API on this machine. */
export function callAt(apiUrl: string): Call {
  return patient(async (method, path, body) => {
    const response = await fetch(new URL(path, apiUrl), {
      method,
      ...(body === undefined
        ? {}
        : { body: bodyOf(body) ?? null, headers: { 'content-type': typeOf(body) } }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.text(),
    };
  });
}

/** Calls an API through a proxy whose certificate only the given authority knows. */
export function callThrough(
  apiUrl: string,
  options: { ca: string; headers?: Record<string, string> },
): Call {
  return patient(
    (method, path, body) =>
      new Promise((resolve, reject) => {
        const headers = { ...options.headers, 'content-type': typeOf(body) };
        const signal = AbortSignal.timeout(ANSWER_MS);
        const sent = request(
          new URL(path, apiUrl),
          { method, ca: options.ca, headers, signal },
          (response) => {
            let text = '';
            response.setEncoding('utf8');
            response.on('data', (chunk: string) => (text += chunk));
            response.on('error', reject);
            response.on('end', () =>
              resolve({
                status: response.statusCode ?? 0,
                headers: Object.fromEntries(
                  Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
                ),
                text,
              }),
            );
          },
        );
        sent.on('error', reject);
        sent.end(bodyOf(body));
      }),
  );
}
