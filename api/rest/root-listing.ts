import { z } from 'zod';
import { answerContent } from '../http/answer-content.ts';
import { withQuery, type Operation } from '../http/operation.ts';
import { servedDocument } from '../http/served-document.ts';
import { readBoolean } from './field-values.ts';
import { describeResource } from './resource-schema.ts';
import type { Resource } from './resource.ts';

/** Where the API and its messages are described (RFC 8631). */
const DESCRIPTIONS = ['/openapi.json', '/api/v1/asyncapi.json']
  .map((address) => `<${address}>; rel="service-desc"`)
  .join(', ');

/** GET /api/v1/: Tastypie's list of resources, from which old clients learn the rest. */
export function rootOperation(resources: readonly Resource[]): Operation {
  const short = servedDocument(() => listingOf(resources, (_, path) => `${path}schema/`));
  const full = servedDocument(() => listingOf(resources, describeResource));
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
      answerContent(ctx, isFull ? full() : short());
    },
  });
}

/** @param schemaOf the description of a resource with the path of its list, or the address of that */
function listingOf(
  resources: readonly Resource[],
  schemaOf: (resource: Resource, path: string) => unknown,
): object {
  const entries = resources.flatMap((resource) =>
    resource.names.map((name) => {
      const path = `/api/v1/${name}/`;
      return [name, { list_endpoint: path, schema: schemaOf(resource, path) }] as const;
    }),
  );
  return Object.fromEntries(entries);
}
