import { Agent, request as requestHttp } from 'node:http';
import { useApi } from '../api/serve.ts';
import { seedRows } from './seed-rows.ts';

/*
 * What a generator of well-formed requests does not send: texts that are no Unicode, numbers that are none, bodies
 * that nest without end, addresses and headers that cannot be read. Whatever it is, the answer is the caller's fault
 * or a success, never ours.
 */

// Its processor time is that of a minute; a busy machine gives it a tenth of a processor.
const LIMIT_MS = 1_800_000;
const api = useApi();
beforeAll(() => seedRows(api.now));

type Operation = { method: string; path: string; hasBody: boolean; parameters: string[] };
type Described = { requestBody?: unknown; parameters: { name: string; in?: string }[] };

/** All operations of the OpenAPI document; those that never end, left out. */
async function operations(): Promise<Operation[]> {
  const { json } = await api.now.call('GET', '/openapi.json');
  const paths = Object.entries(json.paths as Record<string, Record<string, Described>>);
  return paths.flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map(([method, { requestBody, parameters }]) => ({
        method: method.toUpperCase(),
        path,
        hasBody: requestBody !== undefined,
        parameters: parameters.flatMap((one) => (one.in === 'query' ? [one.name] : [])),
      })),
  );
}

const at = (path: string, parameter = '1') => path.replaceAll(/\{\w+\}/g, parameter);

type Sent = { method: string; path: string; headers?: Record<string, string>; body?: Buffer };

const CONCURRENCY = 8;
const connections = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
afterAll(() => connections.destroy());

/** Sends what `fetch` would correct or refuse. @returns the status; 0: no answer */
async function send(sent: Sent): Promise<number> {
  const { method, path, headers = {}, body } = sent;
  return new Promise((resolve) => {
    const request = requestHttp(
      new URL(api.now.url),
      {
        method,
        path,
        headers: { ...headers, ...(body ? { 'content-length': String(body.length) } : {}) },
        agent: connections,
        timeout: 100_000,
      },
      (response) => {
        resolve(response.statusCode ?? 0);
        // A stream of events does not end by itself.
        if (response.headers['content-type']?.startsWith('text/event-stream')) response.destroy();
        else response.resume();
      },
    );
    request.on('timeout', () => request.destroy());
    // A connection that is kept may be closed just when it is used again.
    request.on('error', () => resolve(request.reusedSocket ? send(sent) : 0));
    request.end(body);
  });
}

/** Sends all and names those that are not answered below 500; 501 is the answer to what Tastypie has not, either. */
async function faultsOf(all: (Sent & { name: string })[]): Promise<string[]> {
  const faults: string[] = [];
  const rest = all.values();
  const sendRest = async () => {
    for (const { name, ...sent } of rest) {
      const status = await send(sent);
      if (status === 0 || (status >= 500 && status !== 501))
        faults.push(`${sent.method} ${sent.path.slice(0, 100)}, ${name}: ${status}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sendRest));
  return faults;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const BODIES: Record<string, string | Buffer> = {
  'a lone surrogate': '{"owner": "a@example.org", "title": "\\ud800", "name": "\\udfff"}',
  'a NUL': '{"owner": "a@example.org", "title": "\\u0000", "name": "a\\u0000b"}',
  'bytes that are not UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  'infinite numbers': '{"id": 1e999, "name": -1e999, "ticket_id": 1e999, "version": 1e-999}',
  'a number of many digits': `{"id": ${'9'.repeat(5_000)}, "ticket_id": ${'9'.repeat(5_000)}}`,
  'arrays in arrays': `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  'objects in objects': `${'{"objects":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  'nested references': `${'{"ticket":'.repeat(5_000)}{}${'}'.repeat(5_000)}`,
  'a prototype': '{"__proto__": {"owner": 1}, "constructor": {"prototype": {"owner": 1}}}',
  'the same name twice': '{"name": "one", "name": 2, "title": null, "title": []}',
  'objects for texts':
    '{"owner": {}, "title": [], "name": {"toString": 1}, "version": {"length": -1}}',
  'lists for references':
    '{"ticket": [1], "sourcepackage": [], "subticket": [[]], "project": false}',
  'addresses for references':
    '{"ticket": "/api/v1/ticket/1e3/", "sourcepackage": "http://[::1", "subticket": "//", "branch": "/api/v1/branch/9999999999999999999999/"}',
  'nothing but a quote': '"',
  'a byte order mark': '\uFEFF{"name": "x"}',
  'no bytes': '',
  'objects that are none':
    '{"objects": [1, null, "x", [], {}], "deleted_objects": [1, null, {}, "/", "%"]}',
};

it(
  'in a body is answered below 500, whatever the operation',
  async () => {
    const withBody = (await operations()).filter(({ hasBody }) => hasBody);
    expect(withBody.length).toBeGreaterThan(0);
    const all = withBody.flatMap(({ method, path }) =>
      Object.entries(BODIES).map(([name, body]) => ({
        name,
        method,
        path: at(path),
        headers: JSON_TYPE,
        body: Buffer.from(body),
      })),
    );
    expect(await faultsOf(all)).toEqual([]);
  },
  LIMIT_MS,
);

const PARAMETERS = [
  '0',
  '-1',
  '9223372036854775808',
  '9'.repeat(500),
  '1.5',
  '1e3',
  '%00',
  '%ff',
  '%zz',
  '%2e%2e%2f',
  '1;2;3',
  ';',
  "1'--",
  '%F0%9F%A7%A8',
  'constructor',
  '__proto__',
];

it(
  'in a path is answered below 500, whatever the operation',
  async () => {
    const withParameter = (await operations()).filter(({ path }) => path.includes('{'));
    expect(withParameter.length).toBeGreaterThan(0);
    const all = withParameter.flatMap(({ method, path, hasBody }) =>
      PARAMETERS.map((parameter) => ({
        name: 'a parameter',
        method,
        path: at(path, parameter),
        ...(hasBody ? { headers: JSON_TYPE, body: Buffer.from('{}') } : {}),
      })),
    );
    expect(await faultsOf(all)).toEqual([]);
  },
  LIMIT_MS,
);

const FIELDS = ['id', 'name', 'ticket', 'current_workflow_step', 'created_at'];
const VALUES = ['%00', '%ED%A0%80', '', '9'.repeat(400), "'--"];
const LOOKUPS = ['', '__in', '__range', '__gt', '__isnull', '__regex', '__contains', '__name__x'];
const FILTERS = FIELDS.flatMap((field) =>
  LOOKUPS.flatMap((lookup) => VALUES.map((value) => `${field}${lookup}=${value}`)),
);
/** All fields with all lookups, each with another of the values. */
const FEWER_FILTERS = FILTERS.filter((_, at) => {
  const pair = Math.floor(at / VALUES.length);
  return at % VALUES.length === pair % VALUES.length;
});
const QUERIES = [
  ...['limit', 'offset', 'order_by', 'after', 'cursor', 'format', 'fullschema'].flatMap((name) =>
    ['%ff', '%zz', '1e999', '[]', ...VALUES].map((value) => `${name}=${value}`),
  ),
  'id=1&id=2&id[]=3&id[x]=4',
  'order_by=id&order_by=-id&order_by=-',
  'limit=1&limit=2&offset=1&offset=x',
  '__proto__=1&constructor=2&toString=3&hasOwnProperty=4',
  '__=1&__in=2&id__=3&=4&&&',
  `id__in=${'1,'.repeat(3_000)}`,
  Array.from({ length: 500 }, (_, number) => `name=${number}`).join('&'),
];

/** One row, a set of rows, and a schema are none. */
const isList = (path: string) => !/(?:\}|\/schema)\/$/.test(path);

function queriesOf({ path, parameters }: Operation, index: number): string[] {
  // They have no filters, and what they read of a query is the same for all resources: each takes its turn.
  if (!isList(path))
    return [...FEWER_FILTERS, ...QUERIES].filter((_, turn) => turn % 5 === index % 5);
  // A field that a list cannot be filtered by is ignored or refused, whatever the value.
  const isOwn = (filter: string) => parameters.includes(filter.split(/__|=/)[0] ?? '');
  return [...FILTERS.filter((one) => isOwn(one) || FEWER_FILTERS.includes(one)), ...QUERIES];
}

it(
  'in a query is answered below 500, whatever is read',
  async () => {
    const reads = (await operations()).filter(
      ({ method, path }) => method === 'GET' && path.startsWith('/api/'),
    );
    expect(reads.length).toBeGreaterThan(0);
    const all = reads.flatMap((read, index) =>
      queriesOf(read, index).map((query) => ({
        name: 'a query',
        method: read.method,
        path: `${at(read.path)}?${query}`,
      })),
    );
    expect(await faultsOf(all)).toEqual([]);
  },
  LIMIT_MS,
);

const HEADERS: Record<string, string[]> = {
  accept: ['', '*', '////', 'application/problem+json;q=x', 'a/b,'.repeat(1_000)],
  authorization: [
    '',
    'Bearer',
    'Bearer  ',
    'ApiKey',
    'ApiKey :',
    'ApiKey a:b:c',
    'Basic \u00ff',
    'x',
  ],
  'content-type': ['', ';', 'application/json; charset=utf-16', 'application/json; charset=x', 'a'],
  'content-encoding': ['gzip', 'br', 'x', ','],
  'idempotency-key': ['', '"', '"\u00e9"', 'a b', 'x'.repeat(5_000)],
  'if-match': ['', '*', 'x', '"', 'W/"1"', '"1","2",', ','],
  'if-none-match': ['', '*', 'x', '"', 'W/"1"', '"1","2",'],
  prefer: ['', 'return', 'return=', 'return=minimal;x', ',,,'],
  'x-http-method-override': ['', 'TRACE', 'patch', 'GET', '\u00ff', '__proto__'],
  'x-request-id': ['', '\u00ff', 'x'.repeat(5_000)],
  traceparent: ['', '00-0-0-0', '\u00ff', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`],
  'last-event-id': ['', '-1', 'x', '9'.repeat(100)],
  origin: ['', 'null', 'x', 'http://[::1'],
  range: ['bytes=x', 'bytes=9-1', 'bytes=-'],
  'transfer-encoding': ['chunked'],
};

it(
  'in a header is answered below 500',
  async () => {
    const calls: Sent[] = [
      { method: 'GET', path: '/api/v1/ticket/' },
      { method: 'GET', path: '/api/v1/ticket/1/' },
      { method: 'GET', path: '/api/v1/build/1/events/' },
      { method: 'POST', path: '/api/v1/ticket/', body: Buffer.from('{"owner": "a@example.org"}') },
      { method: 'PATCH', path: '/api/v1/ticket/1/', body: Buffer.from('{"bug_id": "1"}') },
      { method: 'DELETE', path: '/api/v1/ticket/999999/' },
    ];
    const all = Object.entries(HEADERS).flatMap(([header, values]) =>
      values.flatMap((value) =>
        calls.map(({ headers, ...call }) => ({
          name: `${header}: ${value.slice(0, 50)}`,
          ...call,
          headers: { ...(call.body ? JSON_TYPE : {}), ...headers, [header]: value },
        })),
      ),
    );
    expect(await faultsOf(all)).toEqual([]);
  },
  LIMIT_MS,
);

it.each([
  ['a lone surrogate', 'a\ud800b'],
  ['a NUL', 'a\u0000b'],
  ['SQL', "'); DROP TABLE ticket; --"],
  ['a pattern', '%_\\'],
  ['a template', '${title} {{title}} $1'],
  ['markup', '<script>alert("&amp;")</script>'],
  ['right to left', '\u202Eevitagen'],
  ['beyond the first plane', '🧨'.repeat(100)],
  ['control characters', '\u0001\u001b[31m\u007f\u0085\u2028'],
  ['white space inside', 'a \t\n\u00a0 b'],
  ['a letter and its accent apart', 'e\u0301'],
  ['many', 'x'.repeat(20_000)],
])('%s in a text is refused or stored as it is', async (_, text) => {
  const ticket = { owner: 'dev@example.org', title: text, description: text };
  const created = await api.now.call('POST', '/api/v1/ticket/', ticket);
  if (created.status === 201) {
    const read = await api.now.call('GET', created.json.resource_uri);
    expect(read.json).toMatchObject(ticket);
  } else expect(created.status).toBe(400);
});
