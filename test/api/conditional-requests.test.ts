import { useApi } from './serve.ts';

const api = useApi();

const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  api.now.call(method, `/api/v1/${path}`, body, headers);
const created = async (path: string, body: unknown) => {
  const answer = await call('POST', path, body);
  expect({ path, status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
  return answer;
};
const newTicket = async (title = 'A fix') =>
  (await created('ticket/', { owner: 'dev@example.org', title })).json;
const etagOf = async (path: string) => (await call('GET', path)).headers.get('etag') ?? '';
let packages = 0;
const newPackage = async () =>
  (await created('sourcepackage/', { name: `package-${(packages += 1)}` })).json;

describe('an ETag', () => {
  it('stands for one state of a row, under every name of the row', async () => {
    const answer = await created('ticket/', { owner: 'dev@example.org', title: 'A fix' });
    const { id } = answer.json;
    const etag = answer.headers.get('etag');
    expect(etag).toBe('"1"');
    for (const method of ['GET', 'HEAD'])
      expect((await call(method, `ticket/${id}/`)).headers.get('etag')).toBe(etag);
    const patched = await call('PATCH', `updateticketstatus/${id}/`, { status: '200' });
    expect(patched.headers.get('etag')).toBe('"2"');
    expect(await etagOf(`ticket/${id}/`)).toBe('"2"');
  });

  it('of a ticket is another after a roll-up', async () => {
    const { json } = await created('ticket/bundle/', {
      owner: 'dev@example.org',
      title: 'A fix',
      subtickets: [{ source_package_upload: { sourcepackage: { name: 'rolled' }, version: '1' } }],
    });
    const before = await etagOf(`ticket/${json.id}/`);
    await call('PATCH', `updatesubticketstatus/${json.subtickets[0].id}/`, {
      current_workflow_step: '200',
    });
    expect(await etagOf(`ticket/${json.id}/`)).not.toBe(before);
  });

  it('is the same where nothing changed', async () => {
    const { id } = await newTicket();
    await call('PATCH', `ticket/${id}/`, {});
    expect(await etagOf(`ticket/${id}/`)).toBe('"1"');
  });

  it.each(['GET', 'HEAD'])('answers %s with 304 to who has it already', async (method) => {
    const { id } = await newTicket();
    await call('PATCH', `updateticketstatus/${id}/`, { status: '200' });
    for (const path of [
      `ticket/${id}/`,
      `fullticket/${id}/`,
      `ticket/?id=${id}`,
      `ticketstatus/?id=${id}`,
      `ticket/set/${id};4242/`,
      `ticket/${id}/history/`,
      'ticket/schema/',
      '',
    ]) {
      const etag = await etagOf(path);
      expect({ path, etag }).toEqual({ path, etag: expect.stringMatching(/^"[^"]+"$/) });
      for (const given of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const answer = await call(method, path, undefined, { 'if-none-match': given });
        expect({ path, given, status: answer.status, text: answer.text }).toMatchObject({
          status: 304,
          text: '',
        });
        expect(answer.headers.get('etag')).toBe(etag);
        expect(answer.headers.get('cache-control')).toBe('no-cache');
        expect(answer.headers.get('content-type')).toBeNull();
      }
      for (const given of ['"other"', `"${etag}"`, etag.replaceAll('"', '')])
        expect((await call(method, path, undefined, { 'if-none-match': given })).status).toBe(200);
    }
  });

  it('of a list and of a full ticket is another once something in it has changed', async () => {
    const { id } = await newTicket();
    const paths = [`ticket/?id=${id}`, `fullticket/${id}/`, `ticket/set/${id}/`];
    const before = await Promise.all(paths.map(etagOf));
    await call('PATCH', `ticket/${id}/`, { title: 'Another' });
    for (const [index, path] of paths.entries()) {
      const headers = { 'if-none-match': before[index] ?? '' };
      expect((await call('GET', path, undefined, headers)).status).toBe(200);
    }
    const full = await etagOf(`fullticket/${id}/`);
    await created('ticketartifact/', {
      name: 'log',
      ticket: `/api/v1/ticket/${id}/`,
      reference: 'http://x/log',
      type: 'LOGS',
    });
    expect(await etagOf(`fullticket/${id}/`)).not.toBe(full);
  });
});

describe('If-Match', () => {
  const writes = [
    ['PATCH', { name: 'patched' }, 202],
    ['PUT', { name: 'put' }, 200],
    ['DELETE', undefined, 204],
  ] as const;

  it.each(writes)('lets a %s with another ETag do nothing: 412', async (method, body) => {
    const { id, name } = await newPackage();
    const path = `sourcepackage/${id}/`;
    for (const given of ['"2"', '"0"', 'W/"1"', '1', '"1', '""', '"x"', '"99999999999"']) {
      const answer = await call(method, path, body, { 'if-match': given });
      expect({ given, status: answer.status }).toEqual({ given, status: 412 });
      expect(answer.json).toMatchObject({ code: 'precondition_failed' });
      expect(answer.json.error).toContain('"1"');
    }
    const now = await call('GET', path);
    expect(now.json.name).toBe(name);
    expect(now.headers.get('etag')).toBe('"1"');
  });

  it.each(writes)('lets a %s with the right one pass', async (method, body, status) => {
    for (const given of ['"1"', '"7", "1"', '*', '*, "5"']) {
      const { id } = await newPackage();
      const own = body && { name: `${body.name}-${id}` };
      const answer = await call(method, `sourcepackage/${id}/`, own, { 'if-match': given });
      expect({ given, status: answer.status }).toEqual({ given, status });
    }
  });

  it.each(writes)('of a %s of what is not there is as documented', async (method, body) => {
    const path = 'sourcepackage/987654/';
    // RFC 9110, 13.1.1: nothing matches what does not exist, so that a PUT must not create it.
    const status = method === 'PUT' ? 412 : 404;
    expect((await call(method, path, body, { 'if-match': '"1"' })).status).toBe(status);
    expect((await call('GET', path)).status).toBe(404);
  });

  it('holds for the updates of tickets and subtickets', async () => {
    const { json } = await created('ticket/bundle/', {
      owner: 'dev@example.org',
      title: 'A fix',
      subtickets: [{ source_package_upload: { sourcepackage: { name: 'held' }, version: '1' } }],
    });
    const updates = [
      `updatesubticketstatus/${json.subtickets[0].id}/`,
      `updateticketstatus/${json.id}/`,
    ];
    for (const path of updates) {
      const change = { status: '300' };
      expect((await call('PATCH', path, change, { 'if-match': '"9"' })).status).toBe(412);
      expect((await call('PATCH', path, change, { 'if-match': '"1"' })).status).toBe(202);
      expect((await call('PATCH', path, { status: '400' }, { 'if-match': '"1"' })).status).toBe(
        412,
      );
      expect((await call('PATCH', path, {}, { 'if-match': '"2"' })).status).toBe(400);
    }
  });

  it('holds where a subticket is changed without a change of its step', async () => {
    const { json } = await created('ticket/bundle/', {
      owner: 'dev@example.org',
      title: 'A fix',
      subtickets: [{ source_package_upload: { sourcepackage: { name: 'held' }, version: '1' } }],
    });
    const [{ id, ticket }] = json.subtickets;
    for (const change of [{ assignee: 'a@b' }, { ticket }, {}])
      expect((await call('PATCH', `subticket/${id}/`, change, { 'if-match': '"9"' })).status).toBe(
        412,
      );
  });

  it('lets one of two clients with the same ETag win; the other reads again and then passes', async () => {
    const { id } = await newTicket();
    const etag = await etagOf(`ticket/${id}/`);
    const change = (title: string, given: string) =>
      call('PATCH', `ticket/${id}/`, { title }, { 'if-match': given });
    const answers = await Promise.all([change('one', etag), change('two', etag)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 412]));
    const winner = answers.find(({ status }) => status === 202);
    expect((await call('GET', `ticket/${id}/`)).json.title).toBe(winner?.json.title);
    expect((await change('again', await etagOf(`ticket/${id}/`))).status).toBe(202);
  });

  it('without it the last write wins, as old clients expect', async () => {
    const { id } = await newTicket();
    for (const title of ['one', 'two'])
      expect((await call('PATCH', `ticket/${id}/`, { title })).status).toBe(202);
    expect((await call('GET', `ticket/${id}/`)).json.title).toBe('two');
  });

  it('is of one row, so that a PATCH of a list with it is refused', async () => {
    const { resource_uri: uri, name } = await newPackage();
    const body = { objects: [{ resource_uri: uri, name: `${name}-x` }] };
    const refused = await call('PATCH', 'sourcepackage/', body, { 'if-match': '"1"' });
    expect(refused.status).toBe(412);
    expect((await api.now.call('GET', uri)).json.name).toBe(name);
    expect((await call('PATCH', 'sourcepackage/', body, { 'if-match': '*' })).status).toBe(202);
  });
});

describe('Prefer: return=minimal', () => {
  const minimal = { prefer: 'return=minimal' };

  it('leaves the bodies of writes out, and says so', async () => {
    const bundle = { owner: 'dev@example.org', title: 'A fix' };
    const { id } = await newPackage();
    const { id: ticketId } = await newTicket();
    const writes = [
      ['POST', 'sourcepackage/', { name: 'minimal' }, 201],
      ['PUT', `sourcepackage/${id}/`, { name: 'minimal-put' }, 200],
      ['PUT', 'sourcepackage/70007/', { name: 'minimal-new' }, 201],
      ['PATCH', `sourcepackage/${id}/`, { name: 'minimal-patched' }, 202],
      ['PATCH', 'sourcepackage/', { objects: [{ name: 'minimal-listed' }] }, 202],
      ['PATCH', `updateticketstatus/${ticketId}/`, { status: '200' }, 202],
      ['POST', 'ticket/bundle/', bundle, 201],
    ] as const;
    for (const [method, path, body, status] of writes) {
      const answer = await call(method, path, body, minimal);
      expect({ method, path, status: answer.status, text: answer.text }).toEqual({
        method,
        path,
        status,
        text: '',
      });
      expect(answer.headers.get('preference-applied')).toBe('return=minimal');
      expect(answer.headers.has('location')).toBe(status === 201);
    }
  });

  it('leaves Location and ETag where they are', async () => {
    const answer = await call('POST', 'sourcepackage/', { name: 'found' }, minimal);
    const location = answer.headers.get('location') ?? '';
    const found = await api.now.call('GET', location);
    expect(found.json).toMatchObject({ name: 'found', resource_uri: location });
    expect(answer.headers.get('etag')).toBe(found.headers.get('etag'));
  });

  it.each([
    ['return=representation', false],
    ['respond-async', false],
    ['return=minimalist', false],
    ['respond-async, return=minimal', true],
    ['return="minimal"; foo=bar', true],
    ['RETURN=minimal', true],
  ])('among other preferences: %s', async (prefer, isApplied) => {
    const { id } = await newPackage();
    const answer = await call('PATCH', `sourcepackage/${id}/`, {}, { prefer });
    expect(answer.status).toBe(202);
    expect(answer.headers.has('preference-applied')).toBe(isApplied);
    expect(answer.text === '').toBe(isApplied);
  });

  it('does not empty an error', async () => {
    const answer = await call('POST', 'sourcepackage/', {}, minimal);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ sourcepackage: { name: ['This field is required.'] } });
  });
});

describe('application/problem+json', () => {
  const wrong = { owner: 'nobody' };

  it('is for who accepts it: the fields of the old body are its errors', async () => {
    const accept = 'application/problem+json, application/json;q=0.5';
    const headers = { accept, 'x-request-id': 'problem-1' };
    const answer = await call('POST', 'ticket/', wrong, headers);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('vary')).toContain('Accept');
    expect(JSON.parse(answer.text)).toEqual({
      type: 'urn:airline:error:invalid_field',
      title: 'invalid field',
      status: 400,
      detail: expect.stringContaining('owner'),
      instance: 'urn:airline:request:problem-1',
      code: 'invalid_field',
      hint: expect.any(String),
      retryable: false,
      errors: {
        owner: ['Enter a valid email address.'],
        title: ['This field is required.'],
      },
    });
  });

  it('has a body where the old answer has none', async () => {
    const headers = { accept: 'application/problem+json' };
    const missing = await call('GET', 'ticket/987654/', undefined, headers);
    expect(JSON.parse(missing.text)).toMatchObject({ status: 404, code: 'not_found' });
    expect(await call('GET', 'ticket/987654/')).toMatchObject({ status: 404, text: '' });
  });

  it.each([undefined, '*/*', 'application/json', 'application/*', 'text/html', 'nonsense'])(
    'is not for who accepts %s',
    async (accept) => {
      const headers: Record<string, string> = accept === undefined ? {} : { accept };
      const answer = await call('POST', 'ticket/', wrong, headers);
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(Object.keys(answer.json)).toEqual(['ticket']);
    },
  );
});
