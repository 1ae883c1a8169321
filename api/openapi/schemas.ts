import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schemas of a document. Those that have a title are put aside under it, and referred to. */
export type SchemaCollection = {
  readonly components: Readonly<Record<string, JsonSchema>>;
  /** The JSON Schema of a body or a parameter, as a request has to have it. */
  readonly ofRequest: (schema: z.ZodType) => JsonSchema;
  /** The JSON Schema of what is answered. */
  readonly ofAnswer: (schema: z.ZodType) => JsonSchema;
};

/** Starts the schemas of a document. */
export function collectSchemas(): SchemaCollection {
  const components: Record<string, JsonSchema> = {};

  function putAside(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(putAside);
    if (typeof value !== 'object' || value === null) return value;
    const { title, description, ...schema } = value as Record<string, unknown>;
    if (typeof title !== 'string')
      return Object.fromEntries(
        Object.entries(value).map(([key, part]) => [key, putAside(part)] as const),
      );
    const component = putAside(schema) as JsonSchema;
    const known = (components[title] ??= component);
    if (JSON.stringify(known) !== JSON.stringify(component))
      throw new Error(`two schemas of the API are called ${title}`);
    return {
      $ref: `#/components/schemas/${title}`,
      ...(description === undefined ? {} : { description }),
    };
  }

  return {
    components,
    ofRequest: (schema) => putAside(jsonSchemaOf(schema, 'input')) as JsonSchema,
    ofAnswer: (schema) => putAside(jsonSchemaOf(schema, 'output')) as JsonSchema,
  };
}

/** Of the schemas that were turned into JSON Schema before: that takes most of the time of a document. */
const known = {
  input: new WeakMap<z.ZodType, JsonSchema>(),
  output: new WeakMap<z.ZodType, JsonSchema>(),
};

function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const json = known[io].get(schema) ?? toJsonSchema(schema, io);
  known[io].set(schema, json);
  return json;
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    override: ({ jsonSchema }) => {
      // The format says it, and readably.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      // Of a request it is a rule; of an answer it goes without saying.
      if (io === 'input') return;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return json;
}
