import { z } from 'zod';
import { OWN_FIELD_NAMES } from './fields.ts';
import { DEFAULT_LIMIT } from './page-parameters.ts';
import type { Field, Resource } from './resource.ts';

const ALL = 1;
const ALL_WITH_RELATIONS = 2;

type Described = Pick<Field, 'kind' | 'help' | 'schema' | 'writable'> &
  Partial<Field> & { readonly isNested?: true };

const RESOURCE_URI = [
  'resource_uri',
  { kind: 'string', help: 'Its address.', schema: z.string(), writable: 'never' },
] as const;

/** What `describeResource` gives. */
export const schemaOfSchema = z
  .looseObject({
    allowed_detail_http_methods: z.array(z.string()).meta({ description: 'The methods of one.' }),
    allowed_list_http_methods: z
      .array(z.string())
      .meta({ description: 'The methods of the list.' }),
    default_format: z.string().meta({ description: 'The media type.' }),
    default_limit: z.int().meta({ description: 'How many objects a page has by default.' }),
    fields: z
      .record(
        z.string(),
        z.looseObject({
          type: z.string().meta({ description: 'What kind of value it is.' }),
          help_text: z.string().meta({ description: 'What it is.' }),
        }),
      )
      .meta({ description: 'The fields, by name.' }),
    filtering: z.record(z.string(), z.int()).meta({
      description:
        'The fields that a list can be filtered by. 1: by the field; 2: also by the fields of what it refers to.',
    }),
    ordering: z.array(z.string()).meta({ description: 'What a list can be ordered by.' }),
  })
  .meta({ title: 'resource_schema' });

/** Tastypie's description of a resource (`schema/`). */
export function describeResource(resource: Resource): z.infer<typeof schemaOfSchema> {
  const filters = [...OWN_FIELD_NAMES, ...resource.filters];
  const derived = Object.entries(resource.derived).map(
    ([name, { kind = 'string', schema, help }]) =>
      [name, { kind, schema, help, writable: 'never' }] as const,
  );
  const nested = Object.entries(resource.nested).map(
    ([name, field]) => [name, { ...field, writable: 'never', isNested: true }] as const,
  );
  return {
    allowed_detail_http_methods: [...resource.methods.detail],
    allowed_list_http_methods: [...resource.methods.list],
    default_format: 'application/json',
    default_limit: DEFAULT_LIMIT,
    fields: Object.fromEntries(
      [...Object.entries(resource.fields), ...derived, ...nested, RESOURCE_URI].map(
        ([name, field]) => [name, describeField(name, field)],
      ),
    ),
    filtering: Object.fromEntries(
      filters.map((name) => [name, resource.fields[name]?.to ? ALL_WITH_RELATIONS : ALL]),
    ),
    ordering: [...OWN_FIELD_NAMES, ...resource.orders],
  };
}

function describeField(
  name: string,
  {
    kind,
    help,
    schema,
    default: whenAbsent,
    unique = name === 'id',
    writable,
    to,
    isNested,
  }: Described,
) {
  return {
    // A new one starts with the model's own value where a request sets it only later.
    blank: whenAbsent !== undefined || writable === 'after creation',
    default: whenAbsent ?? 'No default provided.',
    help_text: help,
    nullable: schema.safeParse(null).success,
    primary_key: name === 'id',
    readonly: writable === 'never',
    type: kind,
    unique,
    verbose_name: name.replaceAll('_', ' '),
    ...(to
      ? {
          related_schema: `/api/v1/${to.name}/schema/`,
          related_type: isNested ? 'to_many' : 'to_one',
        }
      : {}),
  };
}
