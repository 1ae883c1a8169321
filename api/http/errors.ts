import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, Middleware } from 'koa';
import { AirlineError } from '../../domain/errors.ts';
import {
  isConstraintViolation,
  isDatabaseUnavailable,
  isDeadlock,
  isStatementTimeout,
} from '../../models/sql/database-errors.ts';
import { StoreKeyError, StoreUnavailableError } from '../../store/store.ts';
import { type ApiContext, answerJson, type RequestState } from './context.ts';
import { SAFE_METHODS } from './safe-methods.ts';

const DRAIN_MS = 1_000;
const PROBLEM_TYPE = 'application/problem+json';
// A caller that accepts anything gets what old clients expect.
const PROBLEM_ACCEPTED = /application\/problem\+json/i;

/**
 * Turns everything that a route throws into Tastypie's error bodies, with `code` and `hint` beside Tastypie's keys
 * where the body is not keyed by a resource's fields.
 *
 * @param retryAfterS seconds that a caller is told to wait while the database does not answer
 */
export function answerErrors(retryAfterS: number): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const known = knownError(error, ctx.method);
      (ctx.state as RequestState).errorCode = known.code;
      if (known.definition.httpStatus >= 500)
        (ctx.state as RequestState).logger().error({ err: error }, 'request failed');
      if (ctx.headerSent || !ctx.writable) throw error;
      if (known.definition.httpStatus === 503) ctx.set('Retry-After', String(retryAfterS));
      await closeUnread(ctx);
      answer(ctx as ApiContext, known);
    }
  };
}

function knownError(error: unknown, method: string): AirlineError {
  if (error instanceof AirlineError) return error;
  if (error instanceof StoreKeyError)
    return new AirlineError('not_found', 'The data store has no such key.', { cause: error });
  if (error instanceof StoreUnavailableError)
    return new AirlineError('store_unavailable', 'The data store has failed; the log says why.', {
      cause: error,
    });
  if (isDeadlock(error))
    return new AirlineError(
      'database_unavailable',
      'What this changes was held by other requests, time after time.',
      { cause: error },
    );
  if (isDatabaseUnavailable(error))
    return new AirlineError('database_unavailable', 'The database does not answer.', {
      cause: error,
    });
  if (isStatementTimeout(error)) return tookTooLong(error, method);
  if (isConstraintViolation(error))
    return new AirlineError('conflict', 'Something that this refers to has just changed.', {
      cause: error,
    });
  return new AirlineError(
    'internal',
    'Sorry, this request could not be processed. Please try again later.',
    {
      cause: error,
    },
  );
}

/** A read would take as long again. A change has waited for a lock, and is undone. */
function tookTooLong(cause: unknown, method: string): AirlineError {
  if (SAFE_METHODS.includes(method))
    return new AirlineError('took_too_long', 'The database took too long for this request.', {
      cause,
    });
  return new AirlineError(
    'database_unavailable',
    'What this changes was held by another request for too long.',
    { cause },
  );
}

function answer(ctx: ApiContext, error: AirlineError): void {
  const { httpStatus } = error.definition;
  if (!acceptsProblems(ctx)) return answerAsTastypie(ctx, error);
  answerJson(ctx, httpStatus, problemOf(ctx, error));
  ctx.set('Content-Type', PROBLEM_TYPE);
}

function acceptsProblems(ctx: Context): boolean {
  return PROBLEM_ACCEPTED.test(ctx.get('Accept'));
}

function answerAsTastypie(ctx: ApiContext, error: AirlineError): void {
  const { resource } = ctx.state;
  const { httpStatus, hint } = error.definition;
  const coded = { code: error.code, hint };
  if (error.code === 'not_found' && resource !== undefined) {
    ctx.status = 404;
    ctx.body = '';
  } else if (error.code === 'internal')
    answerJson(ctx, httpStatus, { error_message: error.message, ...coded });
  else if (error.fields && resource !== undefined)
    answerJson(ctx, httpStatus, { [resource]: error.fields });
  else
    answerJson(ctx, httpStatus, {
      error: error.message,
      ...coded,
      ...(error.fields ? { fields: error.fields } : {}),
    });
}

/** A problem as RFC 9457 has it. Its type is a code of the catalogue in `docs/errors.md`. */
function problemOf(ctx: ApiContext, { code, message, fields, definition }: AirlineError) {
  return {
    type: `urn:airline:error:${code}`,
    title: code.replaceAll('_', ' '),
    status: definition.httpStatus,
    detail: message,
    instance: `urn:airline:request:${ctx.state.requestId}`,
    code,
    hint: definition.hint,
    retryable: definition.retryable,
    ...(fields ? { errors: fields } : {}),
  };
}

/** The rest of a refused body would be read as the next request, so the connection ends with the answer. */
async function closeUnread(ctx: Context): Promise<void> {
  if (ctx.req.complete) return;
  ctx.set('Connection', 'close');
  await discardBody(ctx.req);
}

/** Reads and drops the rest of a body, for a limited time: a client does not read the answer while it still sends. */
async function discardBody(request: IncomingMessage): Promise<void> {
  request.unpipe();
  request.resume();
  const over = new AbortController();
  await Promise.race([
    new Promise<void>((resolve) => request.once('close', resolve).once('end', resolve)),
    sleep(DRAIN_MS, undefined, { signal: over.signal }).catch(() => {}),
  ]);
  over.abort();
}

/**
 * Answers a request that no route took: 404, or 405 with the methods that the address has, in `Allow` and, as Tastypie
 * does, in the body.
 */
export function answerUnrouted(): Middleware {
  return async (ctx, next) => {
    await next();
    if (ctx.status !== 404 || (ctx.body !== undefined && ctx.body !== null)) return;
    const matched = (ctx as Context & { matched?: { methods: string[] }[] }).matched ?? [];
    const methods = [...new Set(matched.flatMap((layer) => layer.methods))].toSorted();
    if (methods.length === 0) throw new AirlineError('not_found', nothingAt(ctx.path));
    ctx.set('Allow', methods.join(','));
    if (ctx.method !== 'OPTIONS' && acceptsProblems(ctx))
      throw new AirlineError(
        'method_not_allowed',
        `${ctx.path.slice(0, 255)} takes ${methods.join(', ')}, not ${ctx.method}.`,
      );
    ctx.status = ctx.method === 'OPTIONS' ? 200 : 405;
    ctx.body = methods.join(',');
  };
}

/** The document of the API is looked for beside its resources, too. */
function nothingAt(path: string): string {
  const isDocument = /\/(?:openapi\.json|docs)\/?$/.test(path);
  return `There is nothing at ${path.slice(0, 255)}.${isDocument ? ' The document of the API is at /openapi.json, and to be read at /docs.' : ''}`;
}
