import { request as requestHttp } from 'node:http';
import { gzipSync } from 'node:zlib';
import { OPERATIONS } from '../../../api/operations.ts';
import { serveApi, type TestApi } from '../serve.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveApi();
});
afterAll(() => api.close());

const TICKET = { owner: 'dev@example.org', title: 'A fix' };
const JSON_TYPE = { 'content-type': 'application/json' };
const LATIN = 'application/json; charset=iso-8859-1';

/** Sends bytes as they are. */
const send = async (
  body: string | Uint8Array,
  headers: Record<string, string> = JSON_TYPE,
  path = 'ticket/',
) => {
  const response = await fetch(`${api.url}/api/v1/${path}`, {
    method: 'POST',
    body,
    headers,
    signal: AbortSignal.timeout(100_000),
  });
  const text = await response.text();
  return { status: response.status, json: text ? JSON.parse(text) : undefined };
};

describe('the body of a request', () => {
  it.each([
    ['broken JSON', '{"owner":'],
    ['an array', '[]'],
    ['a word', '"ticket"'],
    ['null', 'null'],
    ['nothing', ''],
  ])('%s is 400 malformed_json', async (_name, body) => {
    expect(await send(body)).toMatchObject({ status: 400, json: { code: 'malformed_json' } });
  });

  it('sets no prototype: __proto__ is one more unknown field', async () => {
    const poisoned = `{"__proto__": {"title": "poison"}, "owner": "${TICKET.owner}"}`;
    expect(await send(poisoned)).toMatchObject({
      status: 400,
      json: { ticket: { title: ['This field is required.'] } },
    });
    expect(({} as Record<string, unknown>)['title']).toBeUndefined();
  });

  it('of another media type is 415', async () => {
    expect(
      await send('a=b', { 'content-type': 'application/x-www-form-urlencoded' }),
    ).toMatchObject({
      status: 415,
      json: { code: 'unsupported_media_type' },
    });
  });

  it('with an encoding that nobody knows is 415', async () => {
    const answer = await send('{}', {
      'content-type': 'application/json',
      'content-encoding': 'zip',
    });
    expect(answer).toMatchObject({
      status: 415,
      json: {
        error: expect.stringMatching(/Content-Encoding: zip\. .*gzip, deflate or br/),
        code: 'unsupported_media_type',
        hint: expect.stringContaining('Content-Encoding'),
      },
    });
  });

  it('over the limit is 413, and the next request is answered at once', async () => {
    const large = JSON.stringify({ ...TICKET, description: 'x'.repeat(200_000) });
    expect(await send(large)).toMatchObject({ status: 413, json: { code: 'too_large' } });
    const zipped = gzipSync(large);
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const startedAtMs = performance.now();
    expect(await send(zipped, headers)).toMatchObject({ status: 413, json: { code: 'too_large' } });
    expect(await send(JSON.stringify(TICKET))).toMatchObject({ status: 201 });
    expect(performance.now() - startedAtMs).toBeLessThan(30_000);
  });

  it('may be compressed', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect(await send(gzipSync(JSON.stringify(TICKET)), headers)).toMatchObject({ status: 201 });
  });

  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const DEEP = nested(40_000);

  it('may be deeply nested where nothing is known', async () => {
    const body = `{"owner":"dev@example.org","title":"t","x":${DEEP}}`;
    expect((await send(body)).status).toBe(201);
  });

  it.each([
    ['ticket/', `{"owner":"dev@example.org","title":${DEEP}}`],
    ['session/', `{"token":${nested(2_000)}}`],
    ['subticket/', `{"ticket":${DEEP}}`],
    ['build_source', `{"source_packages":${DEEP}}`],
    ['ticket/bundle/', `{"owner":"dev@example.org","title":"t","subtickets":${DEEP}}`],
  ])('is refused where a field is deeply nested: %s', async (path, body) => {
    expect((await send(body, JSON_TYPE, path)).status).toBe(400);
  });
});

describe('a body that is not UTF-8', () => {
  const ticket = (title: Buffer) =>
    Buffer.concat([Buffer.from('{"owner":"dev@example.org","title":"'), title, Buffer.from('"}')]);

  it.each([
    ['Latin-1', Buffer.from('Für alle', 'latin1'), {}],
    ['Latin-1 that says so', Buffer.from('ü', 'latin1'), { 'content-type': LATIN }],
    ['a character cut in two', Buffer.from('€').subarray(0, 2), {}],
    ['half of a surrogate pair', Buffer.from([0xed, 0xa0, 0x80]), {}],
    ['an overlong NUL', Buffer.from([0xc0, 0x80]), {}],
  ])('is refused, and nothing is stored: %s', async (_name, title, headers) => {
    const all = { 'content-type': 'application/json', ...headers };
    const refused = {
      status: 400,
      json: { code: 'not_utf8', hint: 'Encode the body as UTF-8: JSON has no other encoding.' },
    };
    expect(await send(ticket(title), all)).toMatchObject(refused);
    const zipped = await send(gzipSync(ticket(title)), { ...all, 'content-encoding': 'gzip' });
    expect(zipped).toMatchObject(refused);
  });

  it('is refused by every operation that takes JSON', async () => {
    const taking = OPERATIONS.filter(({ body }) => body !== undefined);
    expect(taking.length).toBeGreaterThan(20);
    for (const { method, path } of taking) {
      const response = await fetch(api.url + path.replaceAll(/\{\w+\}/g, '1'), {
        method: method.toUpperCase(),
        headers: { 'content-type': 'application/json' },
        body: Buffer.from('{"a":"\xff"}', 'latin1'),
        signal: AbortSignal.timeout(100_000),
      });
      expect([path, await response.json()]).toMatchObject([path, { code: 'not_utf8' }]);
    }
  });

  it('what is UTF-8 is stored as it came, U+FFFD and a byte order mark too', async () => {
    const title = 'Für 日本 \u{1F680} \uFFFD';
    for (const mark of ['', '\uFEFF'])
      expect(await send(`${mark}${JSON.stringify({ ...TICKET, title })}`)).toMatchObject({
        status: 201,
        json: { title },
      });
  });
});

describe('the Host header, while there is no authentication', () => {
  const statusFor = (host: string) =>
    new Promise<number>((resolve, reject) => {
      requestHttp(`${api.url}/api/v1/ticket/`, { headers: { host }, agent: false })
        .once('response', (response) => resolve(response.resume().statusCode ?? 0))
        .once('error', reject)
        .end();
    });

  it.each(['127.0.0.1', 'localhost:8080', 'LOCALHOST', '[::1]:8080', '127.0.0.9'])(
    '%s is answered',
    async (host) => expect(await statusFor(host)).toBe(200),
  );

  it.each(['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:8080', 'x@localhost'])(
    '%s is refused with 421',
    async (host) => expect(await statusFor(host)).toBe(421),
  );
});

describe('the request id', () => {
  it("is the caller's where it is well-formed", async () => {
    const answer = await api.call('GET', '/healthz', undefined, { 'x-request-id': 'lander-42' });
    expect(answer.headers.get('x-request-id')).toBe('lander-42');
  });

  it('is a new one otherwise', async () => {
    for (const given of [{}, { 'x-request-id': 'a b' }, { 'x-request-id': 'x'.repeat(129) }]) {
      const answer = await api.call('GET', '/healthz', undefined, given);
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe('the root of the API', () => {
  it.each(['/api/v1', '/api/v1/'])('answers at %s', async (path) => {
    const response = await fetch(api.url + path, { signal: AbortSignal.timeout(100_000) });
    expect(response.status).toBe(200);
    expect(await response.json()).toHaveProperty('ticket.list_endpoint', '/api/v1/ticket/');
  });
});
