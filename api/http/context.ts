import type { RouterContext } from '@koa/router';
import type { Logger } from 'pino';
import type { Transaction } from 'sequelize';
import type { Actor, Scope } from '../../domain/access/access.ts';
import type { ErrorCode } from '../../domain/errors.ts';

/** What the middleware needs to know of an operation. */
type MatchedOperation = {
  readonly method: string;
  readonly path: string;
  readonly scope: Scope | null;
};

/** What the middleware keeps about a request. */
export type RequestState = {
  requestId: string;
  /** Of the trace that the request is a part of: https://www.w3.org/TR/trace-context-1/. */
  traceId?: string;
  /** Its span, for what it begins; null where no span is recorded. */
  traceparent?: string | null;
  /** Logs with the ids of the request. It is made at its first use: most requests log nothing but their end. */
  logger: () => Logger;
  /** The caller; set once it is known. */
  actor: Actor;
  /**
   * Finds out once more who the caller is; absent where the whole request was there when that was found out. To be
   * called once the body has come, which its sender may hold back for long.
   *
   * @throws AirlineError `unauthenticated` where its token is not valid any more
   */
  confirmCaller?: () => Promise<unknown>;
  /** What the router took the request for. */
  operation?: MatchedOperation;
  /** Everything that the request reads and writes belongs into it; set where the request must happen once. */
  transaction?: Transaction;
  /** The answer to a write has a body that callers without the scope `read` do not get. */
  answerNeedsRead?: boolean;
  /** Set on the addresses of a resource in Tastypie's shape: its name, by which error bodies are keyed. */
  resource?: string;
  /** Replaces former addresses of the data store in a JSON text; absent where there are none. */
  withPresentAddresses?: (json: string) => string;
  /** The code of the error that was answered. */
  errorCode?: ErrorCode;
};

export type ApiContext = RouterContext<RequestState>;

/** Answers with a JSON body. Tastypie sends its media type without a charset, and clients compare it. */
export function answerJson(ctx: ApiContext, status: number, body: unknown): void {
  ctx.status = status;
  ctx.res.setHeader('Content-Type', 'application/json');
  ctx.body = jsonOf(ctx, body);
}

/** Answers a write without what it has written (RFC 7240, 4.2). */
export function answerMinimal(ctx: ApiContext, status: number): void {
  ctx.set('Preference-Applied', 'return=minimal');
  ctx.status = status;
  ctx.body = '';
}

/** A body as answers have it: as JSON, with files of the data store by their present address. */
export function jsonOf(ctx: ApiContext, body: unknown): string {
  const json = JSON.stringify(body);
  return ctx.state.withPresentAddresses?.(json) ?? json;
}
