import type { Router } from '@koa/router';
import type { Middleware } from 'koa';
import type { Database } from '../models/database.ts';
import { answerJson, type ApiContext, type RequestState } from './context.ts';
import { pathId, readList, readOne } from './read-resource.ts';
import type { Resource } from './resource.ts';
import { changeResource, createResource } from './write-resource.ts';

type Routes = { router: Router<RequestState>; database: Database; readBody: Middleware };

/** Serves a resource under each of its names: list, detail, and what its declaration allows of POST and PATCH. */
export function routeResource({ router, database, readBody }: Routes, resource: Resource): void {
  for (const name of resource.names) {
    const list = `/api/v1/${name}`;
    const detail = `/api/v1/${name}/:id`;

    router.get(list, keyErrorsBy(name), async (ctx) => {
      answerJson(ctx, 200, await readList(database, resource, ctx.query));
    });

    router.get(detail, keyErrorsBy(name), async (ctx) => {
      answerJson(ctx, 200, resource.show(await readOne(database, resource, idOf(ctx))));
    });

    if (resource.create)
      router.post(list, keyErrorsBy(name), readBody, async (ctx) => {
        const row = await createResource(database, resource, bodyOf(ctx));
        ctx.set('Location', resource.uriOf(row['id'] as number));
        answerJson(ctx, 201, resource.show(row));
      });

    if (resource.change)
      router.patch(detail, keyErrorsBy(name), readBody, async (ctx) => {
        const id = pathId(resource, idOf(ctx));
        answerJson(
          ctx,
          202,
          resource.show(await changeResource(database, resource, id, bodyOf(ctx))),
        );
      });
  }
}

/** Makes the errors of an address Tastypie's: keyed by the resource, and 404 without a body. */
export function keyErrorsBy(resource: string): Middleware<RequestState> {
  return (ctx, next) => {
    ctx.state.resource = resource;
    return next();
  };
}

export function idOf(ctx: ApiContext): string {
  return ctx.params['id'] ?? '';
}

/** The JSON object that `jsonBody` has read. */
export function bodyOf(ctx: ApiContext): Readonly<Record<string, unknown>> {
  return ctx.request.body as Readonly<Record<string, unknown>>;
}
