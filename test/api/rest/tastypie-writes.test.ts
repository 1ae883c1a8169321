import { request as send } from 'node:http';
import { createWorld, stepOf, type Resource } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);
const { call, newName } = world;
const count = async (resource: string) =>
  (await call('GET', `${resource}/?limit=1`)).json.meta.total_count as number;
// The specification gives these an address for each ticket or subticket only.

describe('sets, the listing and schemas', () => {
  it('a set gives what there is in the order of the ids, and names what is missing', async () => {
    const [one, two] = [await world.sourcePackage(), await world.sourcePackage()];
    const answer = await call('GET', `sourcepackage/set/${two.id};77777;${one.id};x/`);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ objects: [two, one], not_found: ['77777', 'x'] });
    expect((await call('GET', `sourcepackage/set/${one.id}`)).json).toEqual({ objects: [one] });
    const most = (length: number) => Array.from({ length }, (_, id) => id).join(';');
    expect((await call('GET', `testsuite/set/${most(1_000)}/`)).status).toBe(200);
    expect((await call('GET', `testsuite/set/${most(1_001)}/`)).status).toBe(400);
  });

  it('the listing leads to every list and schema, and holds the schemas when asked', async () => {
    for (const path of ['', '?fullschema=false']) {
      const listing = (await call('GET', path)).json;
      expect(listing.spu).toEqual({
        list_endpoint: '/api/v1/spu/',
        schema: '/api/v1/spu/schema/',
      });
      for (const [name, { list_endpoint: list, schema }] of Object.entries<Record<string, string>>(
        listing,
      )) {
        const statuses = [];
        for (const target of [list, schema])
          statuses.push((await api.now.call('GET', target ?? '')).status);
        expect({ name, statuses }).toEqual({
          name,
          statuses: [200, 200],
        });
      }
    }
    for (const yes of ['true', 'True', '1']) {
      const full = (await call('GET', `?fullschema=${yes}`)).json;
      expect(full.spu.schema).toEqual((await call('GET', 'spu/schema/')).json);
    }
  });

  it('a schema names the methods that the document has', async () => {
    const { paths } = (await api.now.call('GET', '/openapi.json')).json;
    const methodsOf = (path: string) => Object.keys(paths[path] ?? {}).toSorted();
    const { json: full } = await call('GET', '?fullschema=true');
    for (const [name, { list_endpoint: list, schema }] of Object.entries<Resource>(full))
      expect({
        name,
        list: schema.allowed_list_http_methods.toSorted(),
        detail: schema.allowed_detail_http_methods.toSorted(),
      }).toEqual({ name, list: methodsOf(list), detail: methodsOf(`${list}{id}/`) });
  });

  it('a schema describes the fields as Tastypie does', async () => {
    const schema = (await call('GET', 'subticket/schema/')).json;
    expect(schema).toMatchObject({
      default_format: 'application/json',
      default_limit: 20,
      allowed_list_http_methods: expect.arrayContaining(['get', 'post']),
      allowed_detail_http_methods: expect.arrayContaining(['get', 'put', 'patch', 'delete']),
      ordering: expect.arrayContaining(['id', 'status']),
    });
    expect(schema.filtering).toHaveProperty('ticket');
    expect(schema.fields.ticket).toMatchObject({
      type: 'related',
      related_type: 'to_one',
      related_schema: '/api/v1/ticket/schema/',
      nullable: false,
    });
    expect(schema.fields.id).toMatchObject({ type: 'integer', readonly: true });
    expect(schema.fields.assignee).toMatchObject({ type: 'string', blank: true, default: '' });
  });
});

describe('schemas', () => {
  it('have the fields that an answer has', async () => {
    const ticket = await world.ticket();
    const subticket = await world.subticket(ticket);
    const fullticket = (await call('GET', `fullticket/${ticket.id}/`)).json;
    for (const [name, one] of Object.entries({ ticket, subticket, fullticket })) {
      const { fields } = (await call('GET', `${name}/schema/`)).json;
      expect(Object.keys(fields).toSorted()).toEqual(Object.keys(one).toSorted());
    }
    const { fields } = (await call('GET', 'subticket/schema/')).json;
    for (const field of ['replaced_by', 'failure_reason'])
      expect(fields[field]).toMatchObject({ type: 'string', readonly: true, nullable: true });
  });

  it('say what a full ticket nests, and where that is described', async () => {
    const { fields } = (await call('GET', 'fullticket/schema/')).json;
    expect(fields.artifacts).toMatchObject({
      type: 'related',
      related_type: 'to_many',
      related_schema: '/api/v1/ticketartifact/schema/',
      readonly: true,
      nullable: false,
    });
    expect(fields.components).toMatchObject({ type: 'json', readonly: true });
  });

  it('say which fields are unique, and which a new row may do without', async () => {
    const fieldOf = async (resource: string, field: string) =>
      (await call('GET', `${resource}/schema/`)).json.fields[field];
    expect(await fieldOf('sourcepackage', 'name')).toMatchObject({ unique: true, blank: false });
    expect(await fieldOf('binarypackage', 'name')).toMatchObject({ unique: true });
    expect(await fieldOf('sourcepackage', 'id')).toMatchObject({ unique: true });
    expect(await fieldOf('person', 'name')).toMatchObject({ unique: false });
    for (const field of ['current_workflow_step', 'status'])
      expect(await fieldOf('ticket', field)).toMatchObject({ blank: true, nullable: false });
  });
});

describe('methods', () => {
  it('X-HTTP-Method-Override makes a POST another method, and nothing else', async () => {
    const source = await world.sourcePackage();
    const path = `sourcepackage/${source.id}/`;
    // The answer's shape is that of the other method: this helper checks it against the one that was sent.
    const override = async (method: string, sent: string, body?: unknown) => {
      const response = await fetch(`${api.now.url}/api/v1/${path}`, {
        method: sent,
        headers: { 'x-http-method-override': method, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, text: await response.text() };
    };
    expect(await override('DELETE', 'GET')).toMatchObject({ status: 200 });
    expect(await override('PATCH', 'POST', { name: newName() })).toMatchObject({ status: 202 });
    expect(await override('put', 'POST', { name: newName() })).toMatchObject({ status: 200 });
    expect(await override('GET', 'POST', {})).toMatchObject({ status: 405 });
    expect(await override('DELETE', 'POST')).toEqual({ status: 204, text: '' });
    expect((await call('GET', path)).status).toBe(404);
  });

  it('are the same with and without the last slash', async () => {
    for (const slash of ['', '/']) {
      const name = newName();
      const answer = await call('POST', `sourcepackage${slash}`, { name });
      expect(answer.status).toBe(201);
      const path = `sourcepackage/${answer.json.id}${slash}`;
      expect(answer.headers.get('location')).toBe(answer.json.resource_uri);
      expect((await call('PUT', path, { name: newName() })).status).toBe(200);
      expect((await call('PATCH', path, { name: newName() })).status).toBe(202);
      expect((await call('PATCH', `sourcepackage${slash}`, { objects: [] })).status).toBe(202);
      expect((await call('HEAD', path)).status).toBe(200);
      for (const read of [path, `sourcepackage${slash}`, `sourcepackage/schema${slash}`])
        expect((await call('GET', read)).status).toBe(200);
      expect((await call('GET', `sourcepackage/set/${answer.json.id}${slash}`)).status).toBe(200);
      expect((await call('DELETE', path)).status).toBe(204);
    }
  });

  it('HEAD answers as GET without a body; OPTIONS and a wrong method tell which there are', async () => {
    const source = await world.sourcePackage();
    const path = `sourcepackage/${source.id}/`;
    const [read, head] = [await call('GET', path), await call('HEAD', path)];
    expect(head).toMatchObject({ status: 200, text: '' });
    for (const header of ['etag', 'content-type', 'content-length'])
      expect(head.headers.get(header)).toBe(read.headers.get(header));
    expect((await call('HEAD', 'sourcepackage/999999/')).status).toBe(404);
    const methods = { detail: 'DELETE,GET,HEAD,PATCH,PUT', list: 'GET,HEAD,PATCH,POST' };
    const raw = async (method: string, at: string) => {
      const response = await fetch(`${api.now.url}/api/v1/${at}`, { method });
      return [response.status, response.headers.get('allow'), await response.text()];
    };
    expect(await raw('OPTIONS', path)).toEqual([200, methods.detail, methods.detail]);
    expect(await raw('OPTIONS', 'sourcepackage/')).toEqual([200, methods.list, methods.list]);
    expect(await raw('POST', path)).toEqual([405, methods.detail, methods.detail]);
    for (const method of ['PUT', 'DELETE'])
      expect(await raw(method, 'sourcepackage/')).toEqual([405, methods.list, methods.list]);
    expect(await raw('POST', 'build/1/')).toEqual([405, 'GET,HEAD', 'GET,HEAD']);
  });
});

describe('PUT', () => {
  it('changes what it names of a row, and leaves the rest as it is', async () => {
    const ticket = await world.ticket({ title: 'before', description: 'kept', bug_id: '7' });
    const answer = await call('PUT', `ticket/${ticket.id}/`, { title: 'after' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('location')).toBeNull();
    expect(answer.json).toEqual({ ...ticket, title: 'after', updated_at: answer.json.updated_at });
    expect((await call('GET', `ticket/${ticket.id}/`)).json).toEqual(answer.json);
  });

  it('adds a row under its id, which later POSTs step over', async () => {
    const { id } = await world.sourcePackage();
    for (const ahead of [2, 3, 5]) {
      const answer = await call('PUT', `sourcepackage/${id + ahead}/`, { name: newName(), id: 1 });
      expect(answer.status).toBe(201);
      expect(answer.json.id).toBe(id + ahead);
      expect(answer.headers.get('location')).toBe(`/api/v1/sourcepackage/${id + ahead}/`);
    }
    const next = [
      (await world.sourcePackage()).id,
      (await world.sourcePackage()).id,
      (await world.sourcePackage()).id,
    ];
    expect(next).toEqual([id + 1, id + 4, id + 6]);
  });

  it('adds a row as it says, step and status included: again it changes nothing', async () => {
    const ticket = { owner: 'dev@example.org', title: 'Moved here', ...stepOf(1000) };
    const put = () => call('PUT', 'ticket/900/', ticket, { prefer: 'handling=strict' });
    const added = await put();
    expect(added).toMatchObject({ status: 201, json: ticket });
    expect(await put()).toMatchObject({
      status: 200,
      json: { ...added.json, updated_at: expect.any(String) },
    });
    const moves = (await call('GET', 'ticket/900/history/')).json.objects;
    expect(moves).toMatchObject([{ from_step: '100', to_step: '1000' }]);
    const wrong = await call('PUT', 'ticket/901/', { ...ticket, status: 'x' });
    expect(wrong).toMatchObject({
      status: 400,
      json: { ticket: { status: [expect.any(String)] } },
    });
    expect((await call('GET', 'ticket/901/')).status).toBe(404);
  });

  it('needs for a new row what a POST needs', async () => {
    const answer = await call('PUT', 'sourcepackage/888888/', {});
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ sourcepackage: { name: ['This field is required.'] } });
    const { name, resource_uri: uri } = await world.sourcePackage();
    const clash = await call('PUT', 'sourcepackage/888888/', { name });
    expect(clash.status).toBe(409);
    expect(clash.json.error).toContain(uri);
    expect((await call('GET', 'sourcepackage/888888/')).status).toBe(404);
    expect((await call('PUT', 'sourcepackage/0/', { name: newName() })).status).toBe(404);
    expect((await call('PUT', 'sourcepackage/99999999999/', { name: newName() })).status).toBe(404);
  });

  it('adds one row when it comes many times at once', async () => {
    const name = newName();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call('PUT', 'sourcepackage/777001/', { name })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    for (const status of statuses) expect([200, 201, 409]).toContain(status);
    expect((await call('GET', `sourcepackage/?name=${name}`)).json.meta.total_count).toBe(1);
  });
});

describe('PATCH of a list', () => {
  it('adds, changes and deletes in one go', async () => {
    const [changed, deleted] = [await world.sourcePackage(), await world.sourcePackage()];
    const [first, second] = [newName(), newName()];
    const answer = await call('PATCH', 'sourcepackage/', {
      objects: [{ name: first }, { resource_uri: changed.resource_uri, name: second }],
      deleted_objects: [deleted.resource_uri],
    });
    expect(answer.status).toBe(202);
    expect(answer.json.objects).toMatchObject([
      { name: first },
      { ...changed, name: second, updated_at: expect.any(String) },
    ]);
    expect((await call('GET', `sourcepackage/${deleted.id}/`)).status).toBe(404);
    expect((await call('GET', answer.json.objects[0].resource_uri.slice(8))).status).toBe(200);
  });

  it('takes a null for no address and for nothing to delete', async () => {
    const name = newName();
    const body = { objects: [{ resource_uri: null, name }], deleted_objects: null };
    const answer = await call('PATCH', 'sourcepackage/', body);
    expect(answer).toMatchObject({ status: 202, json: { objects: [{ name }] } });
  });

  it('adds with all the fields that a PUT takes, and ignores none of them', async () => {
    const ticket = { owner: 'dev@example.org', title: 'Of a list', ...stepOf(200) };
    const strict = { prefer: 'handling=strict' };
    const added = await call('PATCH', 'ticket/', { objects: [ticket] }, strict);
    expect(added).toMatchObject({ status: 202, json: { objects: [ticket] } });
    const upload = { sourcepackage: { name: newName() }, version: '1' };
    const unknown = { objects: [upload, { ...upload, wish: 1 }] };
    expect((await call('PATCH', 'spu/', { objects: [upload] }, strict)).status).toBe(202);
    expect((await call('PATCH', 'spu/', unknown, strict)).json.error).toBe(
      'Not known here: objects[1].wish.',
    );
  });

  type PatchedList = { objects: Record<string, unknown>[]; deleted_objects?: string[] };
  it.each<[string, number, unknown, PatchedList]>([
    [
      'a wrong last object',
      400,
      { sourcepackage: { 'objects[2].name': ['This field is required.'] } },
      { objects: [{ name: '' }] },
    ],
    [
      'a last object that is gone',
      400,
      { error: expect.stringMatching(/^objects\[2\]: .*999999/), code: 'unknown_reference' },
      { objects: [{ resource_uri: '/api/v1/sourcepackage/999999/', name: 'x' }] },
    ],
    [
      'a last object of another resource',
      400,
      { error: expect.stringMatching(/^objects\[2\]: .*ticket\/1/), code: 'unknown_reference' },
      { objects: [{ resource_uri: '/api/v1/ticket/1/', name: 'x' }] },
    ],
    [
      'a deletion of what is gone',
      400,
      {
        error: expect.stringMatching(/^deleted_objects\[1\]: .*999999/),
        code: 'unknown_reference',
      },
      { objects: [], deleted_objects: ['/api/v1/sourcepackage/999999/'] },
    ],
    [
      'a deletion of what is not a URI',
      400,
      { error: expect.stringMatching(/^deleted_objects\[1\]: .*hello/), code: 'unknown_reference' },
      { objects: [], deleted_objects: ['hello'] },
    ],
  ])('changes nothing with %s, and names it', async (_name, status, json, wrong) => {
    const [changed, deleted] = [await world.sourcePackage(), await world.sourcePackage()];
    const before = await count('sourcepackage');
    const answer = await call('PATCH', 'sourcepackage/', {
      objects: [
        { name: newName() },
        { resource_uri: changed.resource_uri, name: newName() },
        ...wrong.objects,
      ],
      deleted_objects: [deleted.resource_uri, ...(wrong.deleted_objects ?? [])],
    });
    expect(answer).toMatchObject({ status, json });
    expect(await count('sourcepackage')).toBe(before);
    expect((await call('GET', `sourcepackage/set/${changed.id};${deleted.id}/`)).json).toEqual({
      objects: [changed, deleted],
    });
  });

  it('names the deletion of what others refer to', async () => {
    const [free, source] = [await world.sourcePackage(), await world.sourcePackage()];
    await world.upload({ sourcepackage: source.resource_uri });
    const body = { objects: [], deleted_objects: [free.resource_uri, source.resource_uri] };
    expect(await call('PATCH', 'sourcepackage/', body)).toMatchObject({
      status: 409,
      json: { error: expect.stringMatching(/^deleted_objects\[1\]: /), code: 'referenced' },
    });
    expect((await call('GET', `sourcepackage/${free.id}/`)).status).toBe(200);
  });

  it.each([
    ['objects', { objects: Array.from({ length: 1_001 }, () => ({})) }],
    ['deleted_objects', { objects: [], deleted_objects: Array.from({ length: 1_001 }, () => 'x') }],
  ])('of more than a thousand %s is told how many are taken', async (name, body) => {
    const answer = await call('PATCH', 'sourcepackage/', body);
    expect(answer.status).toBe(400);
    expect(answer.json.sourcepackage[name]).toEqual([expect.stringContaining('at most 1000')]);
  });

  it.each([
    [{}, 'objects', 'This field is required.'],
    [{ objects: null }, 'objects', 'This field is required.'],
    [{ deleted_objects: ['/api/v1/sourcepackage/5/'] }, 'objects', 'This field is required.'],
    [{ objects: {} }, 'objects', 'Enter a list of at most 1000 objects.'],
    [{ objects: [3] }, 'objects[0]', 'Enter an object.'],
    [{ objects: [null] }, 'objects[0]', 'Enter an object.'],
    [{ objects: [{ resource_uri: 7 }] }, 'objects[0].resource_uri', 'Enter a URI.'],
    [{ objects: [], deleted_objects: 7 }, 'deleted_objects', 'Enter a list of at most 1000 URIs.'],
    [{ objects: [], deleted_objects: [7] }, 'deleted_objects[0]', 'Enter a URI.'],
  ])('of the form %j is 400, and says what %s has to be', async (body, place, message) => {
    const answer = await call('PATCH', 'sourcepackage/', body);
    expect(answer).toMatchObject({ status: 400, json: { sourcepackage: { [place]: [message] } } });
    expect(Object.keys(answer.json.sourcepackage)).toEqual([place]);
  });
});

describe('DELETE', () => {
  it('is answered 204 without a body, and 404 the next time', async () => {
    const { id } = await world.sourcePackage();
    expect(await call('DELETE', `sourcepackage/${id}/`)).toMatchObject({ status: 204, text: '' });
    expect(await call('DELETE', `sourcepackage/${id}/`)).toMatchObject({ status: 404, text: '' });
  });

  it('is refused with 409 for what others refer to, until they are gone', async () => {
    const source = await world.sourcePackage();
    const spu = await world.upload({ sourcepackage: source.resource_uri });
    const refused = await call('DELETE', `sourcepackage/${source.id}/`);
    expect(refused.status).toBe(409);
    expect(refused.json).toMatchObject({ code: 'referenced' });
    expect((await call('DELETE', `spu/${spu.id}/`)).status).toBe(204);
    expect((await call('DELETE', `sourcepackage/${source.id}/`)).status).toBe(204);
  });

  it('may have a body, which is ignored', async () => {
    const { id } = await world.sourcePackage();
    expect((await call('DELETE', `sourcepackage/${id}/`, { name: 'x' })).status).toBe(204);
  });
});

describe('a reference in a body', () => {
  const upload = (sourcepackage: unknown, version: unknown = '1') =>
    call('POST', 'spu/', { sourcepackage, version });

  it('is a URI, an absolute URL, or the object itself by its URI, its id or its unique name', async () => {
    const source = await world.sourcePackage();
    for (const given of [
      source.resource_uri,
      source.resource_uri.replace(/\/$/, ''),
      `${api.now.url}${source.resource_uri}`,
      `https://airline.example${source.resource_uri}`,
      source,
      { resource_uri: source.resource_uri },
      { name: source.name },
      { id: source.id },
      { id: String(source.id) },
      { id: source.id, name: (await world.sourcePackage()).name },
      { id: null, resource_uri: '', name: source.name },
    ]) {
      const answer = await upload(given);
      expect({ given, status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
      expect(answer.json.sourcepackage).toBe(source.resource_uri);
    }
    const { id, resource_uri: uri } = (await upload(source.resource_uri)).json;
    expect(uri).toBe(`/api/v1/spu/${id}/`);
    const ticket = await world.ticket();
    const subticket = await world.subticket(ticket, {
      source_package_upload: `/api/v1/sourcepackageupload/${id}/`,
    });
    expect(subticket.source_package_upload).toBe(uri);
  });

  it('finds a ticket by its id, whatever else the object has of it', async () => {
    const { id, owner, title, resource_uri: uri } = await world.ticket();
    const before = await count('ticket');
    const artifact = { name: 'a log', type: 'LOGS', reference: 'https://files.example/a.log' };
    const answer = await call('POST', 'ticketartifact/', {
      ...artifact,
      ticket: { id, owner, title },
    });
    expect(answer).toMatchObject({ status: 201, json: { ticket: uri } });
    expect(answer.headers.get('airline-ignored')).toBe('ticket.owner, ticket.title');
    expect(await count('ticket')).toBe(before);
  });

  it('that never changes may be repeated by its id, but not be another one', async () => {
    const ticket = await world.ticket();
    const { id } = await world.subticket(ticket);
    const put = (of: number) => call('PUT', `subticket/${id}/`, { ticket: { id: of } });
    expect(await put(ticket.id)).toMatchObject({ status: 200 });
    expect(await put((await world.ticket()).id)).toMatchObject({
      status: 400,
      json: { subticket: { ticket: ['This field cannot be changed.'] } },
    });
  });

  it('adds the object where there is none of its name', async () => {
    const name = newName();
    const answer = await upload({ name });
    expect(answer.status).toBe(201);
    const [source] = (await call('GET', `sourcepackage/?name=${name}`)).json.objects;
    expect(answer.json.sourcepackage).toBe(source.resource_uri);
    const other = await world.sourcePackage();
    const moved = await call('PATCH', `spu/${answer.json.id}/`, { sourcepackage: other });
    expect(moved.json.sourcepackage).toBe(other.resource_uri);
  });

  it.each([
    ['the outer object', { sourcepackage: { name: 'undone' } }],
    ['the nested one', { sourcepackage: { name: 'x'.repeat(256) }, version: '1' }],
    [
      'the reference in it',
      { sourcepackage: { resource_uri: '/api/v1/sourcepackage/999999/' }, version: '1' },
    ],
    ['the id in it', { sourcepackage: { id: 999_999, name: 'undone' }, version: '1' }],
    ['an id in it that is no number', { sourcepackage: { id: 'x', name: 'undone' }, version: '1' }],
    ['an id in it that is no whole one', { sourcepackage: { id: 1.5, name: 'u' }, version: '1' }],
  ])('adds nothing where %s is refused', async (_name, body) => {
    const before = [await count('sourcepackage'), await count('spu')];
    expect((await call('POST', 'spu/', body)).status).toBe(400);
    expect([await count('sourcepackage'), await count('spu')]).toEqual(before);
  });

  it('adds nothing where the database refuses the outer object after the nested one is in', async () => {
    const taken = newName();
    await world.create('binarypackage/', { name: taken, sourcepackage: { name: newName() } });
    const before = await count('sourcepackage');
    const answer = await call('POST', 'binarypackage/', {
      name: taken,
      sourcepackage: { name: newName() },
    });
    expect(answer.status).toBe(409);
    expect(await count('sourcepackage')).toBe(before);
  });

  it('says where in the body the error is', async () => {
    const answer = await upload({ name: '' });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ spu: { 'sourcepackage.name': ['This field is required.'] } });
  });
});

describe('values', () => {
  it('are taken laxly: numbers and booleans are texts', async () => {
    const source = await world.sourcePackage();
    const ticket = await world.ticket({ title: true, bug_id: 1234 });
    expect(ticket).toMatchObject({ title: 'true', bug_id: '1234' });
    const binary = { name: newName(), sourcepackage: source.resource_uri, seeded: 'True' };
    expect(await world.create('binarypackage/', binary)).toMatchObject({
      seeded: true,
      version: '',
    });
  });

  it('are taken strictly where they are versions: 2.0 and 2 are one number', async () => {
    const { resource_uri: sourcepackage } = await world.sourcePackage();
    const name = newName();
    for (const [list, fields] of Object.entries({
      spu: { sourcepackage },
      binarypackage: { sourcepackage, name },
    })) {
      for (const version of [2.0, true, 1.1])
        expect(await world.post(`${list}/`, { ...fields, version })).toMatchObject({
          status: 400,
          json: { [list]: { version: ['Enter a string.'] } },
        });
      expect(await world.create(`${list}/`, { ...fields, version: '2.0' })).toMatchObject({
        version: '2.0',
      });
    }
  });

  it('are those of a new row where they are null, but no change makes them so', async () => {
    const ticket = await world.ticket({ description: null, bug_id: null });
    expect(ticket).toMatchObject({ description: '', bug_id: '' });
    expect(await world.person({ is_team: null })).toMatchObject({ is_team: false });
    const required = await call('POST', 'ticket/', { owner: 'dev@example.org', title: null });
    expect(required).toMatchObject({
      status: 400,
      json: { ticket: { title: ['This field is required.'] } },
    });
    const change = await call('PATCH', `ticket/${ticket.id}/`, { description: null });
    expect(change).toMatchObject({
      status: 400,
      json: { ticket: { description: ['This field is required.'] } },
    });
  });

  it('are those of a new row where they are null in a PUT or a PATCH of a list, too', async () => {
    const nothing = { current_workflow_step: null, status: null };
    const given = { owner: 'dev@example.org', title: 'A fix', ...nothing };
    const put = await call('PUT', 'ticket/777000/', given);
    expect(put).toMatchObject({ status: 201, json: stepOf(100) });
    const listed = await call('PATCH', 'ticket/', { objects: [given] });
    expect(listed).toMatchObject({ status: 202, json: { objects: [stepOf(100)] } });
    const change = await call('PUT', 'ticket/777000/', given);
    expect(change.status).toBe(400);
  });

  it('are ignored for unknown keys, ids and what the server sets', async () => {
    const name = newName();
    const before = new Date(2001, 1).toISOString();
    const source = await world.create('sourcepackage/', {
      name,
      id: 5,
      resource_uri: '/api/v1/sourcepackage/5/',
      created_at: before,
      colour: { deep: ['red'] },
      __proto__: { name: 'x' },
      constructor: 1,
    });
    expect(source.id).not.toBe(5);
    expect(source.created_at).not.toBe(before);
    expect(Object.keys(source).toSorted()).toEqual(
      ['created_at', 'id', 'name', 'resource_uri', 'updated_at'].toSorted(),
    );
    const path = `sourcepackage/${source.id}/`;
    const answer = await call('PATCH', path, { id: 5, updated_at: before, colour: 1 });
    expect(answer).toMatchObject({ status: 202, json: source });
  });
});

it('a request that asks with Expect: 100-continue is answered', async () => {
  const { port } = new URL(api.now.url);
  const body = JSON.stringify({ name: newName() });
  const status = await new Promise((resolve, reject) => {
    const request = send(
      {
        port,
        method: 'POST',
        path: '/api/v1/sourcepackage/',
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          expect: '100-continue',
        },
      },
      (response) => resolve(response.resume().statusCode),
    );
    request.on('continue', () => request.end(body)).on('error', reject);
  });
  expect(status).toBe(201);
});
