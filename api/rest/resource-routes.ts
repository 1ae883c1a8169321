import { z } from 'zod';
import type { Scope } from '../../domain/access/access.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import {
  answerPage,
  answerRead,
  answerResource,
  answerWriting,
  answerWritten,
  showsBody,
} from './answers.ts';
import type { ApiContext } from '../http/context.ts';
import type { MutationContext } from '../../models/sql/mutation-context.ts';
import type { Operation } from '../http/operation.ts';
import { patchList, patchListSchema } from './patch-list.ts';
import { listParameters } from './query-schema.ts';
import { pathId, readList, readOne, readSet } from './read-resource.ts';
import { pageSchema, putSchema, requestSchema, answerSchema } from './request-schema.ts';
import { putModeOf, mutationContextOf } from './request-context.ts';
import { describeResource, schemaOfSchema } from './resource-schema.ts';
import type { Resource } from './resource.ts';
import { changeResource, createResource, deleteResource, putResource } from './write-resource.ts';

const WRITE_ERRORS: readonly ErrorCode[] = ['invalid_field', 'unknown_reference', 'conflict'];
const EMPTY = { description: 'Deleted.' };

/**
 * The operations of a resource under each of its names: what Tastypie has, but for replacing or deleting a whole list.
 */
export function resourceOperations(resource: Resource): Operation[] {
  return resource.names.flatMap((name) => [
    ...readOperations(resource, name),
    ...(resource.writeScope === undefined
      ? []
      : writeOperations(resource, resource.writeScope, name)),
  ]);
}

function readOperations(resource: Resource, name: string): Operation[] {
  const schema = answerSchema(resource);
  return [
    {
      ...listOperation(resource),
      path: `/api/v1/${name}/`,
    },
    schemaOperation(resource, name),
    {
      method: 'get',
      path: `/api/v1/${name}/set/{ids}/`,
      summary: `Get several \`${name}\` objects by id`,
      scope: 'read',
      resource: name,
      answers: {
        200: {
          description: 'The ones that exist, each once, in the order of the ids.',
          schema: z.object({
            objects: z.array(schema).meta({ description: 'The objects that exist.' }),
            not_found: z
              .array(z.string())
              .optional()
              .meta({ description: 'The ids that do not exist.' }),
          }),
        },
      },
      errors: ['invalid_field', 'answer_too_large'],
      handle: async (ctx, deps) =>
        answerRead(ctx, await readSet(deps, resource, ctx.params['ids'] ?? '')),
    },
    detailOperation(resource, name),
  ];
}

/** One of a resource. */
export function detailOperation(resource: Resource, name: string): Operation {
  return {
    method: 'get',
    path: `/api/v1/${name}/{id}/`,
    summary: `Get one \`${name}\``,
    scope: 'read',
    resource: name,
    answers: { 200: { description: resource.summary, schema: answerSchema(resource) } },
    errors: ['not_found'],
    handle: async (ctx, deps) =>
      answerResource(ctx, deps, resource, await readOne(deps.database, resource, idOf(ctx))),
  };
}

/** Tastypie's description of a resource. */
export function schemaOperation(resource: Resource, name: string): Operation {
  return {
    method: 'get',
    path: `/api/v1/${name}/schema/`,
    summary: `Describe the fields of \`${name}\``,
    scope: 'read',
    resource: name,
    answers: {
      200: { description: "Tastypie's description of the resource.", schema: schemaOfSchema },
    },
    errors: [],
    handle: (ctx) => answerRead(ctx, describeResource(resource)),
  };
}

/**
 * The list of a resource.
 *
 * @param object the schema of one of its objects
 */
export function listOperation(resource: Resource, object = answerSchema(resource)): Operation {
  const { defaultFilter } = resource;
  return {
    method: 'get',
    path: `/api/v1/${resource.name}/`,
    summary: `List ${defaultFilter ? `${defaultFilter.word} ` : ''}\`${resource.name}\` objects`,
    scope: 'read',
    resource: resource.name,
    listQuery: listParameters(resource),
    answers: {
      200: {
        description: `One page.${defaultFilter ? ` ${describeDefault(defaultFilter)}` : ''}`,
        schema: pageSchema(object),
      },
    },
    errors: ['invalid_field'],
    handle: async (ctx, deps) => answerPage(ctx, await readList(deps, resource, ctx.query)),
  };
}

function describeDefault({
  word,
  help,
  disabledBy,
}: NonNullable<Resource['defaultFilter']>): string {
  const filters = disabledBy.map((field) => `\`${field}\``).join(', ');
  return `${help} Those that are not ${word} come only where the list is filtered by one of ${filters}.`;
}

function writeOperations(resource: Resource, scope: Scope, name: string): Operation[] {
  const schema = answerSchema(resource);
  const list = `/api/v1/${name}/`;
  const detail = `/api/v1/${name}/{id}/`;
  const common = { scope, resource: name } as const;
  const { creation = [], change = [], deletion = [] } = resource.errors;
  return [
    {
      ...common,
      method: 'post',
      path: list,
      summary: `Create one \`${name}\``,
      body: requestSchema(resource, 'creation'),
      answers: { 201: { description: 'Added.', schema } },
      errors: [...WRITE_ERRORS, ...creation],
      handle: async (ctx, deps) => {
        const body = bodyOf(ctx);
        const row = await createResource(deps.database, resource, body, contextOf(ctx, resource));
        answerWritten(ctx, deps, 201, resource, row);
      },
    },
    {
      ...common,
      method: 'patch',
      path: list,
      summary: `Create, update and delete several \`${name}\` objects, all or nothing`,
      body: patchListSchema(resource),
      answers: {
        202: {
          description: 'Done.',
          schema: z.object({
            objects: z.array(schema).meta({ description: 'Those that were changed or added.' }),
          }),
        },
      },
      errors: [
        ...WRITE_ERRORS,
        'referenced',
        'precondition_failed',
        'answer_too_large',
        ...creation,
        ...change,
        ...deletion,
      ],
      handle: async (ctx, deps) => {
        const context = contextOf(ctx, resource);
        const isShown = showsBody(ctx);
        const objects = await patchList(deps, resource, bodyOf(ctx), context, { isShown });
        answerWriting(ctx, 202, () => ({ objects }));
      },
    },
    {
      ...common,
      method: 'put',
      path: detail,
      summary: `Update one \`${name}\`, or create it under this id`,
      body: putSchema(resource),
      answers: {
        200: { description: 'Changed.', schema },
        201: { description: 'Added.', schema },
      },
      errors: [...WRITE_ERRORS, 'not_found', 'precondition_failed', ...creation, ...change],
      handle: async (ctx, deps) => {
        const body = bodyOf(ctx);
        const id = pathId(resource, idOf(ctx));
        const { row, isNew } = await putResource(
          deps.database,
          resource,
          id,
          body,
          contextOf(ctx, resource),
          putModeOf(ctx),
        );
        answerWritten(ctx, deps, isNew ? 201 : 200, resource, row);
      },
    },
    {
      ...common,
      method: 'patch',
      path: detail,
      summary: `Update one \`${name}\``,
      body: requestSchema(resource, 'change'),
      answers: { 202: { description: 'Changed.', schema } },
      errors: [...WRITE_ERRORS, 'not_found', 'precondition_failed', ...change],
      handle: async (ctx, deps) => {
        const body = bodyOf(ctx);
        const id = pathId(resource, idOf(ctx));
        const row = await changeResource(
          deps.database,
          resource,
          id,
          body,
          contextOf(ctx, resource),
        );
        answerWritten(ctx, deps, 202, resource, row);
      },
    },
    {
      ...common,
      method: 'delete',
      path: detail,
      summary: `Delete one \`${name}\``,
      answers: { 204: EMPTY },
      errors: ['not_found', 'referenced', 'precondition_failed', ...deletion],
      handle: async (ctx, deps) => {
        await deleteResource(
          deps.database,
          resource,
          pathId(resource, idOf(ctx)),
          mutationContextOf(ctx),
        );
        ctx.status = 204;
      },
    },
  ];
}

/** The `reason` of a body counts where the resource takes one; elsewhere it is an unknown field. */
function contextOf(ctx: ApiContext, { takesReason }: Resource): MutationContext {
  return mutationContextOf(ctx, takesReason ? bodyOf(ctx) : {});
}

/** The `{id}` of the path, as it was sent; empty where the path has none. */
export function idOf(ctx: ApiContext): string {
  return ctx.params['id'] ?? '';
}

/** The JSON object that `jsonBody` has read. */
export function bodyOf(ctx: ApiContext): Readonly<Record<string, unknown>> {
  return ctx.request.body as Readonly<Record<string, unknown>>;
}
