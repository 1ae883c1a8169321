import type { z } from 'zod';
import type { Scope } from '../../domain/access/access.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import type { ApiContext } from './context.ts';

/** What an operation answers with a status when it succeeds. */
export type Answer = {
  readonly description: string;
  /** The JSON body; absent: the body is empty, or of `mediaType`. */
  readonly schema?: z.ZodType;
  /** Of the body, where it is not JSON, or can be something else. */
  readonly mediaType?: string | readonly string[];
};

/**
 * One method of one address: everything that the router, the access rules, the OpenAPI document, `docs/api.md` and
 * the tests know about it. It is static data: the handler is given what it works with at each request.
 */
export type Operation<Query extends z.ZodRawShape = z.ZodRawShape> = {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As OpenAPI writes it, with `{id}`; it is served with and without a last slash. */
  readonly path: string;
  /** How the router knows it, where that is not by the path. */
  readonly route?: RegExp;
  readonly summary: string;
  /** The scope that a caller needs; null if callers need not say who they are. */
  readonly scope: Scope | null;
  /** The resource that error bodies are keyed by, as Tastypie's are; absent: they are not. */
  readonly resource?: string;
  /** The parameters of the query, which the handler gets as this schema reads them; others: see `refuseOrders`. */
  readonly query?: z.ZodObject<Query>;
  /**
   * The parameters of a resource's list, for the document: Tastypie's lookups, through references and with texts of
   * their own, are more than a schema says (`api/rest/list-query.ts` reads them).
   */
  readonly listQuery?: z.ZodObject;
  /** The JSON object or list in the body; absent if the body is not read. It may be left out where this is optional. */
  readonly body?: z.ZodType;
  /** The limit of the body's size, where it is not `bodyMaxBytes`: another one, or so many bytes. */
  readonly bodyLimit?: 'importMaxBytes' | number;
  /** Of which places a request holds one, from before its body is read; absent: it needs none. */
  readonly places?: 'storeReads' | 'storeWrites' | 'imports';
  /** Of a body that is not JSON; the operation reads it itself. */
  readonly bodyMediaType?: string;
  /** The answer is of the moment: it has no ETag. */
  readonly isVolatile?: true;
  /** It only reads, whatever its method: it may run twice, and no transaction stays open meanwhile. */
  readonly changesNothing?: true;
  /** A page or a file of the web UI. It is not part of the API for programs, so no document lists it. */
  readonly isOfWebUi?: true;
  /** Its answer has a Link header, though it is not a page of a list. */
  readonly hasLinks?: true;
  /** By status. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** The errors that are particular to it. */
  readonly errors: readonly ErrorCode[];
  handle(
    this: void,
    ctx: ApiContext,
    deps: HandlerDependencies,
    query: z.output<z.ZodObject<Query>>,
  ): Promise<void> | void;
};

/** Whether the operation needs a body; where it does not, one that is left out counts as an empty object. */
export function needsBody({ body }: Operation): boolean {
  return body !== undefined && !body.safeParse(undefined).success;
}

/** An operation whose handler knows the types of its query. */
export function withQuery<Query extends z.ZodRawShape>(
  operation: Operation<Query> & { readonly query: z.ZodObject<Query> },
): Operation {
  return operation;
}
