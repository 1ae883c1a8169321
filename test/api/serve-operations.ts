import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Router } from '@koa/router';
import Koa, { type Middleware } from 'koa';
import pino from 'pino';
import type { AccessChecks } from '../../api/http/authentication.ts';
import type { HandlerDependencies } from '../../api/dependencies.ts';
import type { ApiContext, RequestState } from '../../api/http/context.ts';
import { answerErrors } from '../../api/http/errors.ts';
import { jsonBody } from '../../api/http/json-body.ts';
import type { Operation } from '../../api/http/operation.ts';
import { presentAddresses } from '../../api/http/present-addresses.ts';
import { parseQuery } from '../../api/http/query.ts';
import { logRequests } from '../../api/http/request-log.ts';

/** Some operations behind their access rules, and nothing else of the API. */
export type ServedOperations = {
  url: string;
  /** Everything that was logged. */
  log: () => string;
  close: () => Promise<void>;
};

/**
 * Serves operations on a free port of loopback.
 *
 * @param access undefined: no operation needs a scope
 * @param deps those that the handlers of these operations use
 * @param proxies as AIRLINE_TRUSTED_PROXIES
 */
export async function serveOperations(
  operations: readonly Operation[],
  access: AccessChecks | undefined,
  deps: Partial<HandlerDependencies> = {},
  proxies = 0,
): Promise<ServedOperations> {
  const lines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  const app = new Koa({ proxy: proxies > 0, maxIpsCount: proxies });
  const router = new Router<RequestState>();
  const readBody = jsonBody(100_000);
  const pass: Middleware = (_ctx, next) => next();
  for (const { method, path, scope, body, query, handle } of operations)
    router[method](
      path.replace(/\{(\w+)\}/g, ':$1').replace(/\/$/, ''),
      scope === null || !access ? pass : access.identify,
      scope === null || !access ? pass : access.authorize(scope),
      body ? readBody : pass,
      (ctx: ApiContext) =>
        handle(ctx, deps as HandlerDependencies, query ? parseQuery(query, ctx.query) : {}),
    );
  app.use(logRequests(logger));
  app.use(presentAddresses({ hosts: [], refusedPorts: [], storeUrl: '' }));
  app.use(answerErrors(5));
  app.use(router.routes());
  const answer = app.callback();
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log: () => lines.join(''),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
