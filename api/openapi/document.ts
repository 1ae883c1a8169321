import { ERRORS, type ErrorCode } from '../../domain/errors.ts';
import {
  errorSchema,
  errorsOf,
  faultSchema,
  fieldErrorsSchema,
  problemSchema,
} from './error-answers.ts';
import {
  ANSWER_HEADERS,
  answerHeadersOf,
  errorHeadersOf,
  hasEtag,
  REQUEST_HEADERS,
  requestHeadersOf,
} from './header-answers.ts';
import { collectSchemas, type JsonSchema, type SchemaCollection } from './schemas.ts';
import { needsBody, type Answer, type Operation } from '../http/operation.ts';
import { MAX_INTEGER } from '../http/query.ts';
import { SESSION_COOKIE } from '../http/session-cookie.ts';
import { PAGE_FILES } from './swagger-ui.ts';

type Json = Readonly<Record<string, unknown>>;

/** A document of OpenAPI 3.1, as far as we look into it. */
export type OpenApiDocument = Json & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
};

export type DescribedOperation = Json & {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly requestBody?: { readonly content: DescribedAnswer['content'] };
  readonly responses: Readonly<Record<string, DescribedAnswer | { readonly $ref: string }>>;
};

export type DescribedAnswer = {
  readonly description: string;
  readonly headers?: Json;
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
};

const JSON_TYPE = 'application/json';
const ID = { type: 'integer', minimum: 1, maximum: MAX_INTEGER };
const DELIVERY_ID = { ...ID, maximum: Number.MAX_SAFE_INTEGER };
const PATH_PARAMETERS: Readonly<Record<string, { description: string; schema: JsonSchema }>> = {
  id: { description: 'The id.', schema: ID },
  ids: { description: 'Ids, separated by semicolons.', schema: { type: 'string', minLength: 1 } },
  file: { description: 'Its name.', schema: { enum: PAGE_FILES } },
  name: { description: 'The name.', schema: { type: 'string', minLength: 1 } },
  delivery: { description: 'The id of the delivery.', schema: DELIVERY_ID },
  key: {
    description: 'The key of the file; it may have slashes.',
    schema: { type: 'string', minLength: 1 },
  },
};

const DESCRIPTION = `Tickets, their subtickets, packages and artifacts, and the builds of their sources.

Every address is answered with and without its last slash. HEAD is GET without the body. OPTIONS lists the
methods of an address, and so does the answer to a wrong one. A POST with \`X-HTTP-Method-Override: PUT\`, \`PATCH\` or \`DELETE\` counts as that.
Errors have Tastypie's bodies, or are \`application/problem+json\` for clients that accept it. Unknown fields and
parameters are ignored; \`Airline-Ignored\` names the fields, \`Prefer: handling=strict\` refuses them.
The messages on the progress queues are described by [an AsyncAPI document](/api/v1/asyncapi.json) and
[a JSON Schema](/api/v1/message.schema.json).
Old clients may also send their token as \`?username=<name>&api_key=<token>\`.`;

/**
 * The OpenAPI 3.1 document of the API, made of its operations and the schemas that they read requests by.
 *
 * Pages of the web UI are not part of it.
 *
 * @param about.version of Airline
 * @param about.authentication off: a token is taken, but not needed
 * @throws Error where two different schemas have one title
 */
export function describeApi(
  operations: readonly Operation[],
  about: { version: string; authentication: 'off' | 'token' },
): OpenApiDocument {
  const schemas = collectSchemas();
  const errors: Record<string, DescribedAnswer> = {};
  const paths: Record<string, Record<string, DescribedOperation>> = {};
  for (const operation of operations.filter(({ isOfWebUi }) => !isOfWebUi))
    (paths[operation.path] ??= {})[operation.method] = describeOperation(
      operation,
      schemas,
      errors,
    );
  return {
    openapi: '3.1.1',
    info: {
      title: 'Airline',
      version: about.version,
      summary: 'A ticket service and a source build service for Debian and Ubuntu packages.',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [
      { bearer: [] },
      { apiKey: [] },
      { session: [] },
      ...(about.authentication === 'off' ? [{}] : []),
    ],
    paths,
    components: {
      schemas: schemas.components,
      responses: errors,
      headers: ANSWER_HEADERS,
      parameters: Object.fromEntries(
        Object.entries(REQUEST_HEADERS).map(([name, header]) => [
          name,
          { name, in: 'header', ...header },
        ]),
      ),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token of Airline.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description: 'The session of a browser that has signed in with a token.',
        },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: '`ApiKey <name>:<token>`, as clients of Tastypie send it.',
        },
      },
    },
  };
}

/** The name of an operation in the document: its method, and its path without what all have in common. */
function operationIdOf({ method, path }: Operation): string {
  const segments = path.replace(/^\/api\/v1(?=\/)/, '').split('/');
  const words = segments.flatMap((segment) =>
    segment === '' ? [] : [segment.replace(/^\{(\w+)\}$/, 'by_$1').replaceAll('.', '_')],
  );
  return [method, ...(words.length === 0 ? ['root'] : words)].join('_');
}

/** Of the addresses that are no resource's own. */
const TAGS: Readonly<Record<string, string>> = {
  build_source: 'build',
  check_upload: 'build',
  status: 'service',
  'asyncapi.json': 'build',
  'message.schema.json': 'build',
  'landing-message.schema.json': 'landing',
};

function tagOf({ path }: Operation): string {
  const [, first, , resource] = path.split('/');
  if (first === 'store') return 'store';
  if (first !== 'api' || resource === undefined || resource === '') return 'service';
  return TAGS[resource] ?? resource;
}

function describeOperation(
  operation: Operation,
  schemas: SchemaCollection,
  errors: Record<string, DescribedAnswer>,
): DescribedOperation {
  const { scope, summary } = operation;
  const body = describeBody(operation, schemas);
  return {
    operationId: operationIdOf(operation),
    summary,
    tags: [tagOf(operation)],
    ...(scope === null ? { security: [] } : { description: `Needs the scope \`${scope}\`.` }),
    parameters: describeParameters(operation, schemas),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: describeAnswers(operation, schemas, errors),
  };
}

function describeParameters(operation: Operation, schemas: SchemaCollection): Json[] {
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...PATH_PARAMETERS[name],
  }));
  const parameters = operation.query ?? operation.listQuery;
  const query = parameters ? schemas.ofRequest(parameters) : {};
  const required = (query['required'] ?? []) as readonly string[];
  const inQuery = Object.entries((query['properties'] ?? {}) as Record<string, JsonSchema>).map(
    ([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      description,
      schema,
    }),
  );
  const headers = requestHeadersOf(operation).map((name) => ({
    $ref: `#/components/parameters/${name}`,
  }));
  return [...inPath, ...inQuery, ...headers];
}

function describeBody(
  operation: Operation,
  schemas: SchemaCollection,
): (Json & { content: NonNullable<DescribedAnswer['content']> }) | undefined {
  const { body, bodyMediaType } = operation;
  if (bodyMediaType !== undefined)
    return { required: true, content: { [bodyMediaType]: { schema: schemaOf(bodyMediaType) } } };
  if (body === undefined) return undefined;
  const content = { [JSON_TYPE]: { schema: schemas.ofRequest(body) } };
  return { required: needsBody(operation), content };
}

/** The answers of an operation. Those of errors are alike in many: they are put aside under their codes. */
function describeAnswers(
  operation: Operation,
  schemas: SchemaCollection,
  errors: Record<string, DescribedAnswer>,
): DescribedOperation['responses'] {
  const { resource } = operation;
  const answers: Record<number, DescribedAnswer | { $ref: string }> = {};
  for (const [status, answer] of Object.entries(operation.answers))
    answers[Number(status)] = {
      ...describeGood(answer, schemas),
      headers: headersOf(answerHeadersOf(operation, Number(status))),
    };
  if (hasEtag(operation))
    answers[304] = {
      description: 'Not changed since the ETag that the caller sent.',
      headers: headersOf(answerHeadersOf(operation, 304)),
    };
  const codes = errorsOf(operation);
  for (const status of new Set(codes.map((code) => ERRORS[code].httpStatus))) {
    if (answers[status] !== undefined) continue;
    const ofStatus = codes.filter((code) => ERRORS[code].httpStatus === status);
    const isKeyed = resource !== undefined && (status === 400 || status === 404);
    const name = [...ofStatus, ...(isKeyed ? [resource] : [])].join('.');
    errors[name] ??= describeError(status, ofStatus, isKeyed ? resource : undefined, schemas);
    answers[status] = { $ref: `#/components/responses/${name}` };
  }
  return answers;
}

function headersOf(names: readonly string[]): Json {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
  );
}

function describeGood(
  { description, schema, mediaType }: Answer,
  schemas: SchemaCollection,
): DescribedAnswer {
  const content = {
    ...(schema ? { [JSON_TYPE]: { schema: schemas.ofAnswer(schema) } } : {}),
    ...Object.fromEntries(
      [mediaType ?? []].flat().map((one) => [one, { schema: schemaOf(one) }] as const),
    ),
  };
  return { description, ...(Object.keys(content).length > 0 ? { content } : {}) };
}

/** The schema of what is not JSON, as makers of clients look for it. */
function schemaOf(mediaType: string): JsonSchema {
  if (mediaType === 'application/octet-stream') return { type: 'string', format: 'binary' };
  // Of a stream, the schema would be that of its events.
  const isText = mediaType.startsWith('text/') && mediaType !== 'text/event-stream';
  return isText ? { type: 'string' } : {};
}

/** @param resource that the body is keyed by, where it is */
function describeError(
  status: number,
  codes: readonly ErrorCode[],
  resource: string | undefined,
  schemas: SchemaCollection,
): DescribedAnswer {
  const hints = codes.map((code) => `\`${code}\`: ${ERRORS[code].hint}`).join('\n\n');
  const headers = headersOf(errorHeadersOf(status));
  // Tastypie's has no body, and no media type that a schema could be of.
  if (status === 404 && resource !== undefined)
    return {
      description: `${hints}\n\nNo body, except for clients that accept application/problem+json.`,
      headers,
    };
  const coded = schemas.ofAnswer(status === 500 ? faultSchema : errorSchema);
  const schema =
    resource === undefined
      ? coded
      : { anyOf: [schemas.ofAnswer(fieldErrorsSchema(resource)), coded] };
  return {
    description: hints,
    headers,
    content: {
      [JSON_TYPE]: { schema },
      'application/problem+json': { schema: schemas.ofAnswer(problemSchema) },
    },
  };
}
