import { z } from 'zod';
import { answerRead } from './answers.ts';
import { withQuery, type Operation } from '../http/operation.ts';
import { readBoolean } from './field-values.ts';
import { describeResource } from './resource-schema.ts';
import type { Resource } from './resource.ts';

/** Where the API and its messages are described (RFC 8631). */
const DESCRIPTIONS = ['/openapi.json', '/api/v1/asyncapi.json']
  .map((address) => `<${address}>; rel="service-desc"`)
  .join(', ');

/** GET /api/v1/: Tastypie's list of resources, from which old clients learn the rest. */
export function rootOperation(resources: readonly Resource[]): Operation {
  return withQuery({
    method: 'get',
    path: '/api/v1/',
    summary: 'List the resources',
    // As in Tastypie: clients look here before they authenticate.
    scope: null,
    query: z.object({
      fullschema: z.string().optional().meta({ description: 'true: with every schema in place.' }),
    }),
    answers: {
      200: {
        description: 'Every resource, by its name.',
        schema: z.record(
          z.string(),
          z.object({
            list_endpoint: z.string().meta({ description: 'The address of the list.' }),
            schema: z
              .unknown()
              .meta({ description: 'The description of its fields, or the address of that.' }),
          }),
        ),
      },
    },
    errors: [],
    hasLinks: true,
    handle: (ctx, _deps, { fullschema }) => {
      ctx.set('Link', DESCRIPTIONS);
      const isFull = fullschema !== undefined && readBoolean(fullschema) === true;
      const entries = resources.flatMap((resource) =>
        resource.names.map((name) => {
          const path = `/api/v1/${name}/`;
          const schema = isFull ? describeResource(resource) : `${path}schema/`;
          return [name, { list_endpoint: path, schema }] as const;
        }),
      );
      answerRead(ctx, Object.fromEntries(entries));
    },
  });
}
