import { TESTS } from '../../support/rows.ts';
import { waitsForLock } from '../../support/lock-waits.ts';
import { until } from '../../support/until.ts';
import { createWorld, stepOf } from '../../support/world.ts';
import { useApi, type Answer } from '../serve.ts';

const api = useApi();
const world = createWorld(api);

const { get, patch, post } = world;
const titles = (answer: Answer) => answer.json.objects.map(({ title }: { title: string }) => title);

describe('lists, as Tastypie has them', () => {
  it('give 20 objects with a meta that leads on, and at most 1000', async () => {
    for (let index = 0; index < 5; index++)
      await world.create('sourcepackage', { name: `listed-${index}` });
    const page = await get('sourcepackage/?order_by=-name&limit=2&offset=2');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('application/json');
    const { meta, objects } = page.json;
    expect(meta).toMatchObject({ limit: 2, offset: 2, total_count: expect.any(Number) });
    expect(meta.next).toBe('/api/v1/sourcepackage/?order_by=-name&limit=2&offset=4');
    expect(meta.previous).toBe('/api/v1/sourcepackage/?order_by=-name&limit=2&offset=0');
    expect(objects.map(({ name }: { name: string }) => name)).toEqual(['listed-2', 'listed-1']);
    expect((await get('sourcepackage/')).json.meta).toMatchObject({ limit: 20, previous: null });
    expect((await get('sourcepackage/?limit=0')).json.meta.limit).toBe(1000);
    expect((await get('sourcepackage/?limit=5000')).json.meta.limit).toBe(1000);
  });

  it.each([
    ['limit=-1', "Invalid limit '-1' provided. Please provide a positive integer &gt;= 0."],
    ['limit=many', "Invalid limit 'many' provided. Please provide an integer."],
    ['offset=-3', "Invalid offset '-3' provided. Please provide a positive integer &gt;= 0."],
    ['order_by=resource_uri', "The 'resource_uri' field does not allow ordering."],
    ['id__contains=1', "'contains' is not an allowed filter on the 'id' field."],
    ['name__colour=red', "The 'name' field does not support relations."],
    ['id=one', 'Invalid resource lookup data provided (mismatched type): id.'],
    ['name=%00', 'Invalid resource lookup data provided (mismatched type): name.'],
  ])('refuse %s with 400', async (query, error) => {
    const answer = await get(`sourcepackage/?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ error, code: 'invalid_field', hint: expect.any(String) });
  });

  it('refuse a filter by a field that has none, and ignore one by an unknown name', async () => {
    const refused = await get('ticket/?description=x');
    expect(refused.json.error).toBe("The 'description' field does not allow filtering.");
    expect((await get('ticket/?colour=red')).status).toBe(200);
  });

  it('filter by value, by several values and by reference', async () => {
    const one = await world.create('sourcepackage/', { name: 'filtered-one' });
    await world.create('sourcepackage/', { name: 'filtered-two' });
    await world.create('spu/', { sourcepackage: one.resource_uri, version: '7' });
    const names = async (query: string) =>
      (await get(`sourcepackage/?${query}`)).json.objects.map(({ name }: { name: string }) => name);
    expect(await names('name=filtered-one')).toEqual(['filtered-one']);
    expect(await names('name__in=filtered-one,filtered-two')).toEqual([
      'filtered-one',
      'filtered-two',
    ]);
    const uploads = await get(`spu/?sourcepackage=${one.id}`);
    expect(uploads.json.objects).toMatchObject([{ version: '7', sourcepackage: one.resource_uri }]);
  });

  it('give open tickets only, unless the filter says otherwise', async () => {
    const [open, failed, failedByStatus] = [
      await world.ticket({ title: 'stays open' }),
      await world.ticket({ title: 'fails' }),
      await world.ticket({ title: 'fails by its status' }),
    ];
    await patch(`updateticketstatus/${failed.id}/`, stepOf(999));
    const byStatus = { current_workflow_step: '400', status: '999' };
    await patch(`updateticketstatus/${failedByStatus.id}/`, byStatus);
    for (const list of ['ticket/', 'opentickets/']) {
      const listed = titles(await get(`${list}?limit=0`));
      expect(listed).toContain('stays open');
      expect(listed).not.toContain('fails');
      expect(listed).not.toContain('fails by its status');
    }
    expect(titles(await get('ticketstatus/?limit=0'))).toEqual(
      expect.arrayContaining(['stays open', 'fails', 'fails by its status']),
    );
    expect(titles(await get('ticketstatus/?current_workflow_step=999'))).toEqual(['fails']);
    expect(titles(await get('ticket/?current_workflow_step__in=999,1000'))).toEqual(['fails']);
    expect(titles(await get(`ticket/?id=${failed.id}`))).toEqual(['fails']);
    for (const list of ['ticket/', 'opentickets/', 'fullticket/']) {
      expect(titles(await get(`${list}?failed_at_step=400`))).toEqual(['fails by its status']);
      expect(titles(await get(`${list}?status=999`))).toEqual(['fails', 'fails by its status']);
    }
    const [shown] = (await get(`ticketstatus/?id=${open.id}`)).json.objects;
    expect(shown).toMatchObject({
      current_workflow_step: '100',
      status: '100',
      resource_uri: `/api/v1/ticketstatus/${open.id}/`,
    });
  });
});

describe('addresses', () => {
  it('are served with and without the last slash, never redirected', async () => {
    const ticket = await world.ticket();
    for (const path of [`ticket/${ticket.id}`, `ticket/${ticket.id}/`]) {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual(ticket);
    }
  });

  it('are answered 404 without a body where the row is missing, and with a code where there is no such address', async () => {
    for (const path of ['ticket/999999/', 'ticket/99999999999999/', 'fullticket/999999/'])
      expect(await get(path)).toMatchObject({ status: 404, text: '' });
    expect(await patch('ticket/999999/', { title: 'x' })).toMatchObject({ status: 404, text: '' });
    for (const path of ['nothing/', 'ticket/x/', 'ticket/-1/', 'ticket/%zz/']) {
      const unknown = await get(path);
      expect(unknown.status).toBe(404);
      expect(unknown.json).toMatchObject({ code: 'not_found' });
    }
  });

  it('answer another method with 405 and those that there are', async () => {
    for (const fixed of ['schema', 'bundle'])
      expect((await api.now.call('DELETE', `/api/v1/ticket/${fixed}/`)).status).toBe(405);
    const answer = await api.now.call('DELETE', '/api/v1/ticket/');
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET,HEAD,PATCH,POST');
    expect(answer.text).toBe('GET,HEAD,PATCH,POST');
    expect((await api.now.call('HEAD', '/api/v1/ticket/')).status).toBe(200);
  });
});

describe('writing', () => {
  it('names every wrong field of a new ticket', async () => {
    const answer = await post('ticket/', { owner: 'nobody', description: 7 });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      ticket: {
        owner: ['Enter a valid email address.'],
        title: ['This field is required.'],
      },
    });
  });

  it.each([
    ['a NUL', 'a\u0000b'],
    ['a lone surrogate', 'a\ud800b'],
    ['an object', { a: 1 }],
    ['null', null],
    ['blanks', '  '],
  ])('refuses %s as a title', async (_name, title) => {
    const answer = await post('ticket/', { owner: 'dev@example.org', title });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.json.ticket)).toEqual(['title']);
  });

  it('refuses a reference to what is not there, and one that is not a reference', async () => {
    const spu = { version: '1' };
    expect((await post('spu/', spu)).json.error).toBe(
      "The 'sourcepackage' field has no data and doesn't allow a default or null value.",
    );
    for (const uri of ['/api/v1/sourcepackage/999999/', '/api/v1/ticket/1/', 'hello', 3]) {
      const answer = await post('spu/', { ...spu, sourcepackage: uri });
      expect(answer.status).toBe(400);
      expect(answer.json).toMatchObject({ code: 'unknown_reference' });
    }
  });

  it('refuses a second source package of a name and names the first', async () => {
    const first = await world.create('sourcepackage/', { name: 'only-once' });
    const answer = await post('sourcepackage/', { name: 'only-once' });
    expect(answer.status).toBe(409);
    expect(answer.json).toMatchObject({ code: 'conflict' });
    expect(answer.json.error).toContain(first.resource_uri);
  });

  it('changes what a PATCH names and nothing else', async () => {
    const ticket = await world.ticket({ title: 'before' });
    const answer = await patch(`ticket/${ticket.id}/`, { title: 'after', id: 5, unknown: 1 });
    expect(answer.status).toBe(202);
    expect(answer.json).toMatchObject({
      ...ticket,
      title: 'after',
      updated_at: expect.any(String),
    });
    expect((await patch(`ticket/${ticket.id}/`, {})).json.title).toBe('after');
    expect((await patch(`ticket/${ticket.id}/`, { title: null })).status).toBe(400);
  });

  it('keeps a subticket with its ticket', async () => {
    const [ticket, other] = [await world.ticket(), await world.ticket()];
    const subticket = await world.subticket(ticket);
    const path = `subticket/${subticket.id}/`;
    expect((await patch(path, { ticket: ticket.resource_uri, assignee: 'a@b' })).status).toBe(202);
    const moved = await patch(path, { ticket: other.resource_uri });
    expect(moved.status).toBe(400);
    expect(moved.json).toEqual({ subticket: { ticket: ['This field cannot be changed.'] } });
  });

  it('keeps the upload that a build gives a subticket while a PUT that names the earlier one waits', async () => {
    const { database } = api.now;
    const subticket = await world.subticket(await world.ticket());
    const another = await world.upload();
    const path = `subticket/${subticket.id}/`;
    const before = (await get(path)).json;
    const { asked } = await database.sequelize.transaction(async (transaction) => {
      await database.Ticket.lock(Number(before.ticket.split('/')[4]), transaction);
      const answer = world.put(path, { ...before, assignee: 'ben@example.org' });
      await until('the request waits for the ticket', () => waitsForLock(database.sequelize));
      const changes = { sourcePackageUploadId: another.id };
      await database.Subticket.updateOne(subticket.id, changes, { ...TESTS, transaction });
      return { asked: answer };
    });
    expect((await asked).status).toBe(200);
    expect((await get(path)).json).toMatchObject({
      assignee: 'ben@example.org',
      source_package_upload: another.resource_uri,
    });
  });

  it('takes subtickets only while the ticket is Queued', async () => {
    const ticket = await world.ticket();
    const subticket = await world.subticket(ticket);
    await patch(`updateticketstatus/${ticket.id}/`, stepOf(200));
    const answer = await post('subticket/', {
      ticket: ticket.resource_uri,
      source_package_upload: subticket.source_package_upload,
    });
    expect(answer.status).toBe(409);
    expect(answer.json.error).toContain('Package Building');
  });

  it.each(['ticketartifact', 'subticketartifact'])('knows the types of a %s', async (resource) => {
    const answer = await post(`${resource}/`, { name: 'n', reference: 'r', type: 'PICTURE' });
    expect(answer.status).toBe(400);
    const ticket = await world.ticket();
    const subticket = await world.subticket(ticket);
    const typed = await post(`${resource}/`, {
      name: 'n',
      reference: 'r',
      ticket: ticket.resource_uri,
      subticket: subticket.resource_uri,
      type: 'PICTURE',
    });
    expect(typed.json[resource].type[0]).toMatch(/^Select one of/);
  });
});

describe('step and status', () => {
  it('are set by PATCH, as text or number, in any order', async () => {
    const ticket = await world.ticket();
    const path = `updateticketstatus/${ticket.id}/`;
    expect((await patch(path, stepOf(500))).json).toMatchObject({
      ...stepOf(500),
      resource_uri: `/api/v1/updateticketstatus/${ticket.id}/`,
    });
    const back = await patch(path, { current_workflow_step: 200, status: 200, title: 'ignored' });
    expect(back.status).toBe(202);
    expect(back.json).toMatchObject({ ...stepOf(200), title: 'A fix' });
    expect((await patch(path, { status: '300' })).json).toMatchObject({
      current_workflow_step: '200',
      status: '300',
    });
  });

  it('take any number as the status, for filters and the history, too', async () => {
    const ticket = await world.ticket();
    const subticket = await world.subticket(ticket);
    for (const [path, list] of [
      [`updateticketstatus/${ticket.id}/`, 'ticketstatus'],
      [`updatesubticketstatus/${subticket.id}/`, 'subticket'],
    ] as const) {
      for (const status of ['0', '-7', '999999999', 201]) {
        const answer = await patch(path, { current_workflow_step: '200', status });
        expect({ status, code: answer.status }).toEqual({ status, code: 202 });
        expect(answer.json).toMatchObject({ current_workflow_step: '200', status: String(status) });
      }
      expect((await get(`${list}/?status=201`)).json.meta.total_count).toBe(1);
    }
    const history = (await get(`ticket/${ticket.id}/history/`)).json.objects;
    expect(history.at(-1)).toMatchObject({ from_status: '999999999', to_status: '201' });
  });

  it.each([
    [
      'a value outside the table',
      { current_workflow_step: '150', status: '100' },
      'current_workflow_step',
    ],
    ['no number', { current_workflow_step: '100', status: 'fine' }, 'status'],
    ['a part of a number', { status: 1.5 }, 'status'],
    ['a number of ten digits', { status: '1000000000' }, 'status'],
    ['null', { status: null }, 'status'],
    ['nothing', { title: 'x' }, 'status'],
  ])('are refused: %s', async (_name, body, field) => {
    const ticket = await world.ticket();
    const answer = await patch(`updateticketstatus/${ticket.id}/`, body);
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.json.updateticketstatus)).toContain(field);
    expect((await get(`ticket/${ticket.id}/`)).json).toMatchObject(stepOf(100));
  });

  it('follow the slowest subticket of a ticket, and never go back', async () => {
    const ticket = await world.ticket();
    const [one, two] = [await world.subticket(ticket), await world.subticket(ticket)];
    const position = async () => (await get(`ticket/${ticket.id}/`)).json;
    await patch(`updatesubticketstatus/${one.id}/`, stepOf(300));
    expect(await position()).toMatchObject(stepOf(100));
    await patch(`updatesubticketstatus/${two.id}/`, stepOf(200));
    expect(await position()).toMatchObject(stepOf(200));
    await patch(`updatesubticketstatus/${two.id}/`, stepOf(100));
    expect(await position()).toMatchObject(stepOf(200));
  });

  it('are those of a failure once a subticket has failed', async () => {
    const ticket = await world.ticket();
    const [one] = [await world.subticket(ticket), await world.subticket(ticket)];
    await patch(`subticket/${one.id}/`, { status: 999 });
    expect((await get(`ticket/${ticket.id}/`)).json).toMatchObject(stepOf(999));
  });

  it('are right when all subtickets of a ticket move at once', async () => {
    const ticket = await world.ticket();
    const subtickets = [];
    for (let index = 0; index < 20; index++) subtickets.push(await world.subticket(ticket));
    const answers = await Promise.all(
      subtickets.map(({ id }) => patch(`updatesubticketstatus/${id}/`, stepOf(400))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect((await get(`ticket/${ticket.id}/`)).json).toMatchObject(stepOf(400));
  });
});
