import { z } from 'zod';
import type { ErrorCode } from '../../domain/errors.ts';
import type { Database } from '../../models/database.ts';
import { answerPage, answerRead, answerResource, answerWriting, answerWritten } from './answers.ts';
import type { ApiContext } from '../http/context.ts';
import type { Operation } from '../http/operation.ts';
import { patchList, patchListSchema } from './patch-list.ts';
import { listParameters } from './query-schema.ts';
import { pathId, readList, readOne, readSet } from './read-resource.ts';
import { pageSchema, putSchema, requestSchema, shownSchema } from './request-schema.ts';
import { occasionOf, workOf } from './request-work.ts';
import { describeResource, schemaOfSchema } from './resource-schema.ts';
import type { Resource } from './resource.ts';
import { changeResource, createResource, deleteResource, putResource } from './write-resource.ts';

const WRITE_ERRORS: readonly ErrorCode[] = [
  'malformed_json',
  'invalid_field',
  'unknown_reference',
  'conflict',
  'too_large',
  'unsupported_media_type',
];
const EMPTY = { description: 'Deleted.' };

/** The operations of a resource under each of its names: what Tastypie has, but for replacing or deleting a whole list. */
export function resourceOperations(database: Database, resource: Resource): Operation[] {
  return resource.names.flatMap((name) => [
    ...readOperations(database, resource, name),
    ...(resource.written ? writeOperations(database, resource, resource.written.scope, name) : []),
  ]);
}

function readOperations(database: Database, resource: Resource, name: string): Operation[] {
  const shown = shownSchema(resource);
  return [
    {
      ...listOperation(database, resource),
      path: `/api/v1/${name}/`,
    },
    schemaOperation(resource, name),
    {
      method: 'get',
      path: `/api/v1/${name}/set/{ids}/`,
      summary: `Read several of ${name}`,
      scope: 'read',
      resource: name,
      answers: {
        200: {
          description: 'Those that there are, in the order of the ids.',
          schema: z.object({ objects: z.array(shown), not_found: z.array(z.string()).optional() }),
        },
      },
      errors: ['invalid_field'],
      handle: async (ctx) =>
        answerRead(ctx, await readSet(database, resource, ctx.params['ids'] ?? '')),
    },
    {
      method: 'get',
      path: `/api/v1/${name}/{id}/`,
      summary: `Read one of ${name}`,
      scope: 'read',
      resource: name,
      answers: { 200: { description: resource.summary, schema: shown } },
      errors: ['not_found'],
      handle: async (ctx) =>
        answerResource(ctx, resource, await readOne(database, resource, idOf(ctx))),
    },
  ];
}

/** Tastypie's description of a resource. */
export function schemaOperation(resource: Resource, name: string): Operation {
  return {
    method: 'get',
    path: `/api/v1/${name}/schema/`,
    summary: `Describe the fields of ${name}`,
    scope: 'read',
    resource: name,
    answers: {
      200: { description: "Tastypie's description of the resource.", schema: schemaOfSchema },
    },
    errors: [],
    handle: (ctx) => answerRead(ctx, describeResource(resource)),
  };
}

/** The list of a resource. */
export function listOperation(database: Database, resource: Resource): Operation {
  return {
    method: 'get',
    path: `/api/v1/${resource.name}/`,
    summary: `List ${resource.name}`,
    scope: 'read',
    resource: resource.name,
    query: listParameters(resource),
    answers: { 200: { description: 'One page.', schema: pageSchema(shownSchema(resource)) } },
    errors: ['invalid_field'],
    handle: async (ctx) => answerPage(ctx, await readList(database, resource, ctx.query)),
  };
}

function writeOperations(
  database: Database,
  resource: Resource,
  scope: NonNullable<Resource['written']>['scope'],
  name: string,
): Operation[] {
  const shown = shownSchema(resource);
  const list = `/api/v1/${name}/`;
  const detail = `/api/v1/${name}/{id}/`;
  const common = { scope, resource: name } as const;
  const change = async (ctx: ApiContext) => {
    const body = bodyOf(ctx);
    return changeResource(database, resource, pathId(resource, idOf(ctx)), body, workOf(ctx, body));
  };
  return [
    {
      ...common,
      method: 'post',
      path: list,
      summary: `Add one to ${name}`,
      body: requestSchema(resource, 'creation'),
      answers: { 201: { description: 'Added.', schema: shown } },
      errors: WRITE_ERRORS,
      handle: async (ctx) => {
        const body = bodyOf(ctx);
        answerWritten(
          ctx,
          201,
          resource,
          await createResource(database, resource, body, workOf(ctx, body)),
        );
      },
    },
    {
      ...common,
      method: 'patch',
      path: list,
      summary: `Add, change and delete several of ${name}, all or nothing`,
      body: patchListSchema(resource),
      answers: { 202: { description: 'Done.', schema: z.object({ objects: z.array(shown) }) } },
      errors: [...WRITE_ERRORS, 'not_found', 'referenced', 'precondition_failed'],
      handle: async (ctx) => {
        const body = bodyOf(ctx);
        const rows = await patchList(database, resource, body, workOf(ctx, body));
        answerWriting(ctx, 202, () => ({ objects: rows.map(resource.show) }));
      },
    },
    {
      ...common,
      method: 'put',
      path: detail,
      summary: `Change one of ${name}, or add it under this id`,
      body: putSchema(resource),
      answers: {
        200: { description: 'Changed.', schema: shown },
        201: { description: 'Added.', schema: shown },
      },
      errors: [...WRITE_ERRORS, 'not_found', 'precondition_failed'],
      handle: async (ctx) => {
        const body = bodyOf(ctx);
        const id = pathId(resource, idOf(ctx));
        const { row, isNew } = await putResource(
          database,
          resource,
          id,
          body,
          workOf(ctx, body),
          occasionOf(ctx),
        );
        answerWritten(ctx, isNew ? 201 : 200, resource, row);
      },
    },
    {
      ...common,
      method: 'patch',
      path: detail,
      summary: `Change one of ${name}`,
      body: requestSchema(resource, 'change'),
      answers: { 202: { description: 'Changed.', schema: shown } },
      errors: [...WRITE_ERRORS, 'not_found', 'precondition_failed'],
      handle: async (ctx) => answerWritten(ctx, 202, resource, await change(ctx)),
    },
    {
      ...common,
      method: 'delete',
      path: detail,
      summary: `Delete one of ${name}`,
      answers: { 204: EMPTY },
      errors: ['not_found', 'referenced', 'precondition_failed'],
      handle: async (ctx) => {
        await deleteResource(database, resource, pathId(resource, idOf(ctx)), workOf(ctx));
        ctx.status = 204;
      },
    },
  ];
}

export function idOf(ctx: ApiContext): string {
  return ctx.params['id'] ?? '';
}

/** The JSON object that `jsonBody` has read. */
export function bodyOf(ctx: ApiContext): Readonly<Record<string, unknown>> {
  return ctx.request.body as Readonly<Record<string, unknown>>;
}
