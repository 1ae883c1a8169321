import type { Problem } from '../../api/openapi/contract.generated.ts';
import { noteUserAction } from '../user-action.ts';
import { setClock } from './api-clock.ts';
import { noteRefusal } from './session.ts';

const DEADLINE_MS = 20_000;
/** The code of a request that was given up after that time. */
const LATE = 'late';
/** The statuses of a proxy or an API whose service is unavailable. */
const UNAVAILABLE = [502, 503, 504];

/** Why a request failed, in words for a person. */
export class RequestError extends Error {
  /** 0 if nothing answered, or not in time. */
  readonly status: number;
  readonly code: string;
  readonly hint: string;
  readonly fields: Readonly<Record<string, string[]>>;

  constructor(problem: {
    status: number;
    code: string;
    message: string;
    hint: string;
    fields?: Record<string, string[]> | undefined;
  }) {
    super(problem.message);
    this.name = 'RequestError';
    this.status = problem.status;
    this.code = problem.code;
    this.hint = problem.hint;
    this.fields = problem.fields ?? {};
  }

  /** Whoever was asked may be busy with it still: that one answer is late does not mean that nothing answers. */
  get isLate(): boolean {
    return this.code === LATE;
  }

  /** Nothing answered, or a proxy said that the service is unavailable: the same request may succeed soon. */
  get isUnavailable(): boolean {
    return this.status === 0 || UNAVAILABLE.includes(this.status);
  }
}

/** What was thrown, as the page shows it. What is no RequestError is a fault of the page, which may be an old one. */
export function asRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  return new RequestError({
    status: 200,
    code: 'page_fault',
    message: 'The page itself failed.',
    hint: `Reload it: it may be older than the API. If it fails again, report this: ${String(error)}`,
  });
}

export type Answer<T> = { body: T; etag: string | null };

/**
 * Sends a request to the API that served the page.
 *
 * @param given.key its `Idempotency-Key`: what is sent again under it is done once
 * @throws RequestError if the answer is an error, cannot be read, or has not come to its end within 20 s; what aborts
 *   `given.signal` is thrown as it is
 */
export async function request<T>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  given: { body?: unknown; key?: string; ifMatch?: string | null; signal?: AbortSignal } = {},
): Promise<Answer<T>> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const askedAtMs = Date.now();
  const isWrite = method !== 'GET';
  if (isWrite) noteUserAction();
  const fail = (error: unknown): never => {
    if (given.signal?.aborted) throw error;
    if (deadline.aborted)
      throw new RequestError({
        status: 0,
        code: LATE,
        message: `No answer came within ${DEADLINE_MS / 1_000} s.`,
        hint: `Airline may be busy, or its database slow. ${
          isWrite ? 'Press again in a while: nothing is done twice.' : 'Try again in a while.'
        }`,
      });
    throw new RequestError({
      status: 0,
      code: 'unreachable',
      message: 'Airline does not answer.',
      hint: `Check the network, and that the API runs.${
        isWrite ? ' Press again when it answers: nothing is done twice.' : ''
      }`,
    });
  };
  const response = await fetch(path, {
    method,
    headers: {
      Accept: 'application/json, application/problem+json',
      ...(given.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(given.key === undefined ? {} : { 'Idempotency-Key': `"${given.key}"` }),
      ...(given.ifMatch ? { 'If-Match': given.ifMatch } : {}),
    },
    ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
    signal: given.signal ? AbortSignal.any([given.signal, deadline]) : deadline,
  }).catch(fail);
  setClock(response.headers.get('Date'), askedAtMs);
  if (response.status === 401 && noteRefusal()) throw sessionOver();
  if (!response.ok) throw await errorOf(response);
  const text = await response.text().catch(fail);
  const body = text === '' ? undefined : parse(text, response.status);
  return { body: body as T, etag: response.headers.get('ETag') };
}

function parse(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError({
      status,
      code: 'unreadable',
      message: 'The answer could not be read.',
      hint: 'Reload the page: a proxy before the API may want you to sign in again.',
    });
  }
}

/** What an answer means that refuses somebody who was signed in. */
export function sessionOver(): RequestError {
  return new RequestError({
    status: 401,
    code: 'session_over',
    message: 'Your session is over.',
    hint: 'Sign in in another tab, then press again.',
  });
}

async function errorOf(response: Response): Promise<RequestError> {
  const { status } = response;
  const problem = await response.json().then(
    (body: unknown) => body as Partial<Problem>,
    (): Partial<Problem> => ({}),
  );
  return new RequestError({
    status,
    code: problem.code ?? 'unknown',
    message: problem.detail ?? problem.title ?? `The answer was ${status} ${response.statusText}.`,
    hint: problem.hint ?? 'Try again; the log of the API says more.',
    fields: problem.errors,
  });
}
