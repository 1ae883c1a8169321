import { execFile } from 'node:child_process';
import { z } from 'zod';
import { describeApi, type OpenApiDocument } from '../../../api/openapi/document.ts';
import { POCKETS } from '../../../domain/packages/archive.ts';
import { FAILURE_CLASSES } from '../../../domain/builds/failure.ts';
import type { Operation } from '../../../api/http/operation.ts';
import { createAnswerCheck, type Exchange } from '../check-answer.ts';
import { useApi } from '../serve.ts';
import { programArguments } from '../../support/program.ts';

const LINT_OPENAPI = await programArguments('test/api/openapi/lint-openapi.ts');

jest.setTimeout(600_000);

const api = useApi();

async function lint(document: unknown): Promise<string> {
  return new Promise((resolve, reject) => {
    const linter = execFile(
      process.execPath,
      [...LINT_OPENAPI],
      { timeout: 300_000 },
      (error, output) => (error ? reject(error) : resolve(output)),
    );
    linter.stdin?.end(JSON.stringify(document));
  });
}

/** The fields and parameters of a document that have no description, by where they are. */
function undescribedIn(part: unknown, at = ''): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const { properties, in: place, name, description } = part as Record<string, unknown>;
  const fields = Object.entries(typeof properties === 'object' ? { ...properties } : {});
  return [
    ...fields.flatMap(([field, schema]) =>
      (schema as { description?: string }).description === undefined ? [`${at}/${field}`] : [],
    ),
    ...(typeof place === 'string' && description === undefined ? [`${at}/${String(name)}`] : []),
    ...Object.entries(part).flatMap(([key, inner]) => undescribedIn(inner, `${at}/${key}`)),
  ];
}

describe('the OpenAPI document', () => {
  let document: OpenApiDocument;
  beforeAll(async () => {
    document = (await api.now.call('GET', '/openapi.json')).json;
  });

  it('is OpenAPI 3.1 of this version, and its linter finds nothing', async () => {
    expect(document).toMatchObject({ openapi: '3.1.1', info: { version: '1.2.3' } });
    expect(await lint(document)).toBe('');
  });

  it('says how many entries a page of events or of a history has if nobody asks for a number', () => {
    const paths = Object.entries(document.paths).filter(([path]) =>
      /\{id\}\/(?:events|history)\/$/.test(path),
    );
    expect(paths).toHaveLength(4);
    for (const [, { get }] of paths)
      expect(get?.['parameters']).toContainEqual(
        expect.objectContaining({
          name: 'limit',
          description: expect.stringMatching(/Default: 1000\.$/),
        }),
      );
  });

  it('puts each operation into a section whose name is a word', () => {
    const tags = Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap((operation) => operation.tags);
    expect(tags.filter((tag) => !/^[a-z_]+$/.test(tag))).toEqual([]);
  });

  it('would be found wrong by the linter', async () => {
    const { info: _, ...headless } = document;
    expect(await lint(headless)).toContain('struct: The field `info` must be present');
  });

  it.each(['/api/v1/openapi.json', '/api/v1/docs/'])(
    'is named where %s is asked for',
    async (path) => {
      const { status, json } = await api.now.call('GET', path);
      expect({ status, error: json.error }).toEqual({
        status: 404,
        error: expect.stringContaining('is at /openapi.json'),
      });
    },
  );

  it('is asked for by ETag', async () => {
    const { headers } = await api.now.call('GET', '/openapi.json');
    const again = await api.now.call('GET', '/openapi.json', undefined, {
      'If-None-Match': headers.get('ETag') ?? '',
    });
    expect(again).toMatchObject({ status: 304, text: '' });
  });

  it('has the schemas that requests are read by, with what they refuse', () => {
    expect(document.components['schemas']).toMatchObject({
      ticketartifact_creation: {
        required: ['name', 'ticket', 'reference', 'type'],
        properties: { type: { enum: expect.arrayContaining(['RESULTS']) } },
      },
      ticket: { additionalProperties: false },
    });
  });

  it('says when a stream of events ends, and how to go on', () => {
    const { responses } = document.paths['/api/v1/build/{id}/events/']?.['get'] ?? {};
    expect(responses?.[200]).toMatchObject({
      description: expect.stringMatching(/ends after 15 minutes.*`Last-Event-ID`/),
    });
  });

  it('says which bodies may be left out', () => {
    const bodyOf = (path: string) => document.paths[path]?.['post']?.['requestBody'];
    expect(bodyOf('/api/v1/build_source')).toMatchObject({ required: true });
    expect(bodyOf('/api/v1/build/{id}/retry/')).toEqual({
      required: false,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/retry_request' } } },
    });
  });

  it('says that a new subticket needs an upload or a merge proposal, and has one type all the same', () => {
    // By anyOf, makers of clients would give it two types.
    const creation = document.components['schemas']?.['subticket_creation'];
    expect(creation).not.toHaveProperty('anyOf');
    expect(creation).toMatchObject({
      properties: {
        source_package_upload: { description: expect.stringContaining('or `merge_proposal`') },
        merge_proposal: { description: expect.stringContaining('or `source_package_upload`') },
      },
    });
  });

  it('has the schemas that queries are read by, with what they refuse', () => {
    const operation = document.paths['/api/v1/landingpolicy/']?.['get'];
    expect(operation?.['parameters']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'series', in: 'query', required: true }),
        expect.objectContaining({
          name: 'pocket',
          in: 'query',
          required: false,
          schema: expect.objectContaining({ enum: POCKETS }),
        }),
      ]),
    );
  });

  it('lists the words that an answer has for a thing, wherever it has it', () => {
    const words = { class: { enum: Object.keys(FAILURE_CLASSES) } };
    const target = { properties: { pocket: { enum: POCKETS } } };
    expect(document.components['schemas']).toMatchObject({
      failure: { properties: words },
      failure_summary: { properties: words },
      landing: target,
      placed_landing_policy: { properties: { target } },
    });
  });

  it('describes every field and every parameter', () => {
    expect(undescribedIn(document)).toEqual([]);
    const fields = { known: { description: 'It is.' }, unknown: {} };
    expect(undescribedIn({ at: [{ properties: fields }] })).toEqual(['/at/0/unknown']);
  });

  it.each(['build', 'landing'])(
    'says which events of an old %s are gone, and still counted',
    (name) => {
      const read = document.paths[`/api/v1/${name}/{id}/events/`]?.['get'];
      expect(read?.responses[200]).toMatchObject({
        description: expect.stringMatching(/AIRLINE_KEEP_EVENTS_MS.*`total_count`/),
      });
    },
  );

  it.each(['ticket', 'opentickets', 'fullticket', 'updateticketstatus'])(
    'says that the list of %s gives open tickets, and which filters give others, too',
    (name) => {
      const list = document.paths[`/api/v1/${name}/`]?.['get'];
      expect(list?.['summary']).toContain('open');
      expect(list?.responses[200]).toMatchObject({
        description: expect.stringMatching(/Open is .* `id`.* `status`.* `failed_at_step`/),
      });
      const parameters = list?.['parameters'] as readonly { name: string; description: string }[];
      expect(
        parameters
          .filter(({ description }) => description?.includes('not open'))
          .map(({ name: parameter }) => parameter),
      ).toEqual(['id', 'current_workflow_step', 'status', 'failed_at_step']);
    },
  );

  it.each(['ticketstatus', 'updatesubticketstatus', 'build'])(
    'says no such thing of the list of %s, which gives all',
    (name) => {
      expect(JSON.stringify(document.paths[`/api/v1/${name}/`]?.['get'])).not.toContain('pen is');
    },
  );

  it('says which answers are left out where the caller prefers that', () => {
    const answer = (path: string, status: number) =>
      document.paths[path]?.['post']?.responses[status];
    const applied = ['headers', 'Preference-Applied'];
    expect(answer('/api/v1/build_source', 202)).toHaveProperty(applied);
    expect(answer('/api/v1/check_upload', 200)).not.toHaveProperty(applied);
    expect(answer('/api/v1/session/', 201)).not.toHaveProperty(applied);
  });

  it('says what a token is needed for, and that there is a way without where authentication is off', () => {
    expect(document).toMatchObject({
      security: [{ bearer: [] }, { apiKey: [] }, { session: [] }, {}],
    });
    expect(document.paths['/healthz']?.['get']).toMatchObject({ security: [] });
    const withTokens = describeApi([], { version: '1', authentication: 'token' });
    expect(withTokens).toMatchObject({
      security: [{ bearer: [] }, { apiKey: [] }, { session: [] }],
    });
  });

  it('is not made where two schemas have one name', () => {
    const operations = [1, 2].map((size) => ({
      ...HELLO,
      path: `/hello/${size}`,
      body: z.object({ text: z.string().max(size) }).meta({ title: 'greeting' }),
    }));
    expect(() => describeApi(operations, ABOUT)).toThrow('two schemas of the API are called');
  });
});

const ABOUT = { version: '1', authentication: 'token' } as const;
const HELLO: Operation = {
  method: 'get',
  path: '/hello/{id}/',
  summary: 'Say hello',
  scope: 'read',
  resource: 'hello',
  answers: { 200: { description: 'A greeting.', schema: z.object({ text: z.string() }) } },
  errors: ['not_found'],
  handle: () => {},
};

describe('the check of every answer', () => {
  const check = createAnswerCheck(describeApi([HELLO], ABOUT));
  const good: Exchange = {
    method: 'GET',
    path: '/hello/1/?language=de',
    status: 200,
    headers: new Headers({ 'Content-Type': 'application/json' }),
    text: '{"text": "Hallo"}',
  };
  const notFound: Exchange = { ...good, status: 404, headers: new Headers(), text: '' };
  const problem: Exchange = {
    ...notFound,
    headers: new Headers({ 'Content-Type': 'application/problem+json' }),
    text: '{"type": "about:blank"}',
  };

  it.each<[string, Exchange]>([
    ['a documented answer', good],
    ['with or without the last slash', { ...good, path: '/hello/1' }],
    ['HEAD, without a body', { ...good, method: 'HEAD', text: '' }],
    ["Tastypie's 404, without a body", notFound],
    [
      'an error whose code its status has there',
      { ...good, status: 403, text: '{"error": "", "code": "forbidden", "hint": ""}' },
    ],
    ['an address that the document has not', { ...good, path: '/elsewhere', status: 599 }],
  ])('passes %s', (_, exchange) => {
    expect(() => check(exchange)).not.toThrow();
  });

  it.each<[string, Exchange, string]>([
    ['another status', { ...good, status: 201 }, 'the status 201 is not documented'],
    ['a missing field', { ...good, text: '{}' }, "must have required property 'text'"],
    ['a field of another type', { ...good, text: '{"text": 1}' }, '/text must be string'],
    ['a field more', { ...good, text: '{"text": "", "more": 1}' }, '"additionalProperty":"more"'],
    ['no body', { ...good, text: '', headers: new Headers() }, 'the media type "" is not'],
    [
      'another media type',
      { ...good, headers: new Headers({ 'Content-Type': 'text/html' }) },
      'the media type "text/html" is not documented',
    ],
    [
      'a header',
      { ...good, headers: new Headers({ 'Content-Type': 'application/json', Location: '/' }) },
      'the header Location is not documented',
    ],
    ['a body where there is none', { ...notFound, text: '{}' }, 'there is a body'],
    [
      'an error whose code its status does not have there',
      { ...good, status: 403, text: '{"error": "", "code": "conflict", "hint": ""}' },
      'the code conflict is not documented',
    ],
    ['a problem without its parts', problem, "must have required property 'detail'"],
  ])('finds %s', (_, exchange, message) => {
    expect(() => check(exchange)).toThrow(message);
  });
});
