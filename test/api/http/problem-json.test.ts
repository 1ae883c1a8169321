import { request, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { useApi } from '../serve.ts';

const api = useApi();
const PROBLEM = 'application/problem+json';
const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  api.now.call(method, `/api/v1/${path}`, body, headers);
/** The same faulty request, as who accepts the media types of the header sends it. */
const faulty = {
  400: (accept: string) => call('POST', 'ticket/', { owner: 'nobody' }, { accept }),
  404: (accept: string) => call('GET', 'ticket/999999/', undefined, { accept }),
  409: (accept: string) => call('POST', 'sourcepackage/', { name: 'taken' }, { accept }),
  412: (accept: string) =>
    call('PATCH', 'sourcepackage/1/', { name: 'x' }, { accept, 'if-match': '"999"' }),
  415: (accept: string) =>
    call('POST', 'ticket/', {}, { accept, 'content-type': 'text/plain;charset=UTF-8' }),
};
beforeAll(async () => {
  const { status, json } = await call('POST', 'sourcepackage/', { name: 'taken' });
  expect([status, json.id]).toEqual([201, 1]);
});

/** Sends a method that `fetch` may refuse to. */
const sendAny = (method: string, path: string, accept: string) =>
  new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; text: string }>(
    (resolve, reject) => {
      request(new URL(path, api.now.url), { method, headers: { accept }, agent: false })
        .once('response', (response) => {
          const { statusCode: status, headers } = response;
          void text(response).then((body) => resolve({ status, headers, text: body }), reject);
        })
        .once('error', reject)
        .end();
    },
  );

const CASES = [
  [400, 'invalid_field', false],
  [404, 'not_found', false],
  [409, 'conflict', false],
  [412, 'precondition_failed', false],
  [415, 'unsupported_media_type', false],
] as const;

describe('who accepts application/problem+json', () => {
  it.each(CASES)('gets the problem of a %s: %s', async (status, code, retryable) => {
    const answer = await faulty[status](`application/json;q=0.5, ${PROBLEM}`);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe(PROBLEM);
    expect(answer.headers.get('vary')).toContain('Accept');
    const problem = JSON.parse(answer.text);
    expect(problem).toMatchObject({
      type: `urn:airline:error:${code}`,
      title: code.replaceAll('_', ' '),
      status,
      detail: expect.stringMatching(/./),
      instance: `urn:airline:request:${answer.headers.get('x-request-id')}`,
      code,
      hint: expect.stringMatching(/./),
      retryable,
    });
    expect(Object.hasOwn(problem, 'errors')).toBe(status === 400);
  });

  it('finds the fields that are wrong in its errors', async () => {
    const answer = await faulty[400](PROBLEM);
    expect(JSON.parse(answer.text).errors).toEqual({
      owner: ['Enter a valid email address.'],
      title: ['This field is required.'],
    });
    const nested = await call(
      'POST',
      'ticket/bundle/',
      { owner: 'dev@example.org', title: 't', subtickets: [{ assignee: 'x' }] },
      { accept: PROBLEM },
    );
    expect(JSON.parse(nested.text)).toMatchObject({ status: 400, code: expect.any(String) });
  });

  it.each([
    ['DELETE', '/api/v1/ticket/', 'GET,HEAD,PATCH,POST'],
    ['POST', '/api/v1/build/1/', 'GET,HEAD'],
    ['PUT', '/healthz', 'GET,HEAD'],
    ['TRACE', '/api/v1/ticket/1/', 'DELETE,GET,HEAD,PATCH,PUT'],
  ])('gets one for a method that an address does not have: %s %s', async (method, path, allow) => {
    const { status, headers, text } = await sendAny(method, path, PROBLEM);
    expect([status, headers['content-type'], headers['allow']]).toEqual([405, PROBLEM, allow]);
    expect(headers['vary']).toContain('Accept');
    expect(JSON.parse(text)).toMatchObject({
      status: 405,
      code: 'method_not_allowed',
      detail: `${path} takes ${allow.replaceAll(',', ', ')}, not ${method}.`,
      hint: 'Use one of the methods that the Allow header names.',
    });
    const other = await sendAny(method, path, '*/*');
    expect([other.status, other.headers['allow'], other.text]).toEqual([405, allow, allow]);
    expect(other.headers['vary']).toContain('Accept');
  });

  it('gets the methods for OPTIONS, and a 404 of any method where nothing is', async () => {
    const options = await sendAny('OPTIONS', '/api/v1/ticket/', PROBLEM);
    expect([options.status, options.text]).toEqual([200, 'GET,HEAD,PATCH,POST']);
    const trace = await sendAny('TRACE', '/nowhere', PROBLEM);
    expect([trace.status, JSON.parse(trace.text).code]).toEqual([404, 'not_found']);
  });

  it('gets one for an address that nothing is at, and resources as JSON', async () => {
    const unknown = await api.now.call('GET', '/nowhere', undefined, { accept: PROBLEM });
    expect(unknown.headers.get('content-type')).toBe(PROBLEM);
    const found = await call('GET', 'sourcepackage/1/', undefined, { accept: PROBLEM });
    expect(found).toMatchObject({ status: 200, json: { name: 'taken' } });
  });
});

describe('who does not', () => {
  it.each([
    ['*/*'],
    ['application/json'],
    ['application/*'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
    ['nonsense'],
  ])("gets Tastypie's answers: Accept: %s", async (accept) => {
    const wrong = await faulty[400](accept);
    expect(wrong.status).toBe(400);
    expect(wrong.headers.get('content-type')).toBe('application/json');
    expect(Object.keys(wrong.json)).toEqual(['ticket']);
    expect(await faulty[404](accept)).toMatchObject({ status: 404, text: '' });
    for (const status of [409, 412, 415] as const) {
      const answer = await faulty[status](accept);
      expect(answer.status).toBe(status);
      expect(Object.keys(answer.json).toSorted()).toEqual(['code', 'error', 'hint']);
    }
  });
});
