import { setTimeout as delay } from 'node:timers/promises';
import { authorization } from '../../main/demo/rest.ts';

const ONE_TRY_MS = 10_000;
const ALL_TRIES_MS = 5 * 60_000;
const MIN_WAIT_MS = 200;
const MAX_WAIT_MS = 2_000;

type Request = { method: string; body?: string; headers?: Record<string, string> };

export type Answer = { status: number; body: unknown; tries: number };

/** What a request ran into on its way, counted over all requests. */
export type Hardships = Record<string, number>;

/**
 * A REST client as a careful caller has it: every request has an Idempotency-Key and is repeated, at any of the APIs,
 * until one answers for good or its time is over.
 *
 * @param token for APIs that ask for one
 */
export function createPatientRest(apiUrls: readonly string[], token?: string) {
  const hardships: Hardships = {};
  let turn = 0;

  return {
    /** @throws Error where the time is over */
    post: (path: string, body: unknown, idempotencyKey: string) =>
      untilAnswered(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      }),
    /** @throws Error where the time is over */
    get: (path: string) => untilAnswered(path, { method: 'GET' }),
    hardships,
  };

  async function untilAnswered(path: string, request: Request): Promise<Answer> {
    const deadlineMs = Date.now() + ALL_TRIES_MS;
    for (let tries = 1; ; tries++) {
      const outcome = await once(path, request);
      if (typeof outcome !== 'string') return { ...outcome, tries };
      hardships[outcome] = (hardships[outcome] ?? 0) + 1;
      if (Date.now() > deadlineMs)
        throw new Error(
          `${request.method} ${path} was not answered in ${tries} tries; the last: ${outcome}`,
        );
      await delay(Math.min(MIN_WAIT_MS * 2 ** (tries - 1), MAX_WAIT_MS));
    }
  }

  /** A text where it is to be tried again: why. */
  async function once(
    path: string,
    request: Request,
  ): Promise<{ status: number; body: unknown } | string> {
    const url = apiUrls[turn++ % apiUrls.length] as string;
    try {
      const response = await fetch(new URL(path, url), {
        ...request,
        headers: { ...request.headers, ...authorization(token) },
        signal: AbortSignal.timeout(ONE_TRY_MS),
      });
      const text = await response.text();
      const isInFlight = response.status === 409 && response.headers.has('retry-after');
      if (isInFlight || response.status === 429 || response.status >= 500)
        return `answer ${response.status}`;
      return { status: response.status, body: text === '' ? null : JSON.parse(text) };
    } catch (error) {
      const { name, cause } = error as Error & { cause?: { code?: string } };
      return cause?.code ?? name;
    }
  }
}
