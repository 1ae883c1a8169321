import type { Router } from '@koa/router';
import type { Middleware } from 'koa';
import type { Authorize } from './authentication.ts';
import type { ApiContext, RequestState } from './context.ts';
import type { Operation } from './operation.ts';

/** What every operation goes through before it is handled. */
export type Gates = {
  authorize: Authorize;
  limitRate: Middleware<RequestState>;
  readBody: (operation: Operation) => Middleware;
  runOnce: (ctx: ApiContext, run: () => Promise<unknown>) => Promise<void>;
};

/** Registers operations with the router. Fixed addresses go before those with a parameter in the same place. */
export function routeOperations(
  router: Router<RequestState>,
  operations: readonly Operation[],
  { authorize, limitRate, readBody, runOnce }: Gates,
): void {
  for (const operation of operations.toSorted(byPath)) {
    const { method, path, route, scope, resource, body, handle } = operation;
    const know: Middleware<RequestState> = (ctx, next) => {
      ctx.state.operation = operation;
      if (resource !== undefined) ctx.state.resource = resource;
      return next();
    };
    const answer = async (ctx: ApiContext) => {
      if (method === 'get') await handle(ctx);
      else await runOnce(ctx, async () => handle(ctx));
    };
    router[method](
      route ?? routerPath(path),
      know,
      ...(scope === null ? [] : [authorize(scope), limitRate]),
      ...(body === undefined ? [] : [readBody(operation)]),
      answer,
    );
  }
}

/** The path as the router knows it: without the last slash it takes both forms. */
function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1').replace(/(.)\/$/, '$1');
}

function byPath(one: Operation, other: Operation): number {
  const key = ({ path }: Operation) => path.replaceAll(/\{\w+\}/g, '~');
  return key(one) < key(other) ? -1 : Number(key(one) > key(other));
}
