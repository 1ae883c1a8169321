import { Router } from '@koa/router';
import type { Middleware } from 'koa';
import { AirlineError } from '../../domain/errors.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import type { AccessChecks } from './authentication.ts';
import type { ApiContext, RequestState } from './context.ts';
import { happensOnce } from './idempotency.ts';
import { nameIgnoredKeys } from './ignored-keys.ts';
import type { Operation } from './operation.ts';
import { holdPlace } from './places.ts';
import { parseQuery, refuseOrders } from './query.ts';

const PLACE = /^\/(?:api\/v1(?:\/|$))?([^/]*)/;

/** The checks that every request passes before its operation handles it. */
export type OperationMiddleware = {
  access: AccessChecks;
  limitRate: Middleware<RequestState>;
  readBody: (operation: Operation) => Middleware;
  runOnce: (ctx: ApiContext, run: () => Promise<unknown>) => Promise<void>;
};

/**
 * Serves operations. Every resource has a router of its own, found by its name: a request is matched with the addresses
 * of one resource instead of all.
 */
export function routeOperations(
  operations: readonly Operation[],
  deps: HandlerDependencies,
  middleware: OperationMiddleware,
): Middleware<RequestState> {
  const routers = new Map<string, ReturnType<Router<RequestState>['routes']>>();
  for (const [place, own] of Object.entries(groupByPlace(operations))) {
    const router = new Router<RequestState>();
    // Fixed addresses go before those with a parameter in the same place.
    for (const operation of own.toSorted(byPath)) route(router, operation, deps, middleware);
    routers.set(place, router.routes());
  }
  return (ctx, next) => routers.get(placeOf(ctx.path))?.(ctx as never, next) ?? next();
}

function route(
  router: Router<RequestState>,
  operation: Operation,
  deps: HandlerDependencies,
  middleware: OperationMiddleware,
): void {
  const { method, path, scope, resource, body, places, handle } = operation;
  const { access, limitRate } = middleware;
  const pattern = operation.route ?? patternOf(path);
  const know: Middleware<RequestState> = (ctx, next) => {
    const parameters = operation.route ? {} : parametersIn(ctx.path, pattern);
    if (!parameters) throw new AirlineError('not_found', 'The path is not valid percent-encoding.');
    (ctx as ApiContext).params = parameters;
    ctx.state.operation = operation;
    if (resource !== undefined) ctx.state.resource = resource;
    return next();
  };
  const answer = async (ctx: ApiContext) => {
    if (operation.query) refuseOrders(operation.query, ctx.query);
    const query = operation.query ? parseQuery(operation.query, ctx.query) : {};
    if (happensOnce(operation)) await middleware.runOnce(ctx, async () => handle(ctx, deps, query));
    else await handle(ctx, deps, query);
  };
  const checks = [
    know,
    // What is refused for want of the scope counts, too: a client that has run wild goes on with it.
    ...(scope === null ? [] : [access.identify, limitRate, access.authorize(scope)]),
    ...(places === undefined ? [] : [holdPlace(deps.places[places])]),
    ...(body === undefined
      ? []
      : [middleware.readBody(operation), confirmCaller, nameIgnoredKeys(operation)]),
  ];
  router[method](pattern, chain(checks, answer));
}

const confirmCaller: Middleware<RequestState> = async (ctx, next) => {
  await ctx.state.confirmCaller?.();
  return next();
};

/** One handler of several, made once: the router would compose those of a route anew at each request. */
function chain(
  middleware: readonly Middleware<RequestState>[],
  last: (ctx: ApiContext) => Promise<unknown>,
): (ctx: ApiContext) => Promise<unknown> {
  return middleware.reduceRight((next, one) => (ctx) => one(ctx, () => next(ctx)), last);
}

/** Where a path belongs: the name of its resource, or what it begins with. */
function placeOf(path: string): string {
  return PLACE.exec(path)?.[1] ?? '';
}

function groupByPlace(operations: readonly Operation[]): Record<string, Operation[]> {
  const groups: Record<string, Operation[]> = {};
  for (const operation of operations) (groups[placeOf(operation.path)] ??= []).push(operation);
  return groups;
}

/**
 * The path as the router knows it: with and without a last slash, and with an id of digits, so that anything else is
 * another address.
 */
function patternOf(path: string): RegExp {
  const source = path
    .replace(/\/$/, '')
    .replaceAll('.', '\\.')
    .replaceAll('{id}', String.raw`(?<id>\d+)`)
    .replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return new RegExp(`^${source}/?$`);
}

/** The parameters in a path; undefined where they are no valid percent-encoding. */
function parametersIn(path: string, pattern: RegExp): Record<string, string> | undefined {
  try {
    return Object.fromEntries(
      Object.entries(pattern.exec(path)?.groups ?? {}).map(([name, value]) => [
        name,
        decodeURIComponent(value),
      ]),
    );
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function byPath(one: Operation, other: Operation): number {
  const key = ({ path }: Operation) => path.replaceAll(/\{\w+\}/g, '~');
  return key(one) < key(other) ? -1 : Number(key(one) > key(other));
}
