import { openLandingBuild } from '../../../models/landings/landing-build.ts';
import { query } from '../../../models/sql/query.ts';
import { addBuild, report } from '../../support/rows.ts';
import { waitsForLock } from '../../support/lock-waits.ts';
import { until } from '../../support/until.ts';
import { createWorld, type Resource } from '../../support/world.ts';
import { useApi, type TestApi } from '../serve.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const URL = 'http://127.0.0.1:9/hook?token=of-the-receiver';

describe('webhooks', () => {
  const api = useApi();
  const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    api.now.call(method, `/api/v1/webhook/${path}`, body, headers);
  const add = async (body: object = {}) => (await call('POST', '', { url: URL, ...body })).json;

  beforeEach(() => api.now.database.Webhook.destroy({ where: {} }));

  it('shows a secret that it makes once', async () => {
    const added = await call('POST', '', { url: URL, description: 'The lander' });
    const { secret, ...webhook } = added.json;
    expect(added.status).toBe(201);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(added.headers.get('cache-control')).toBe('no-store');
    expect(added.headers.get('location')).toBe(webhook.resource_uri);
    expect(webhook).toEqual({
      id: expect.any(Number),
      resource_uri: `/api/v1/webhook/${webhook.id}/`,
      url: URL,
      description: 'The lander',
      ticket_id: null,
      messages: null,
      is_active: true,
      inactive_reason: null,
      failing_since: null,
      created_at: expect.any(String),
      created_by: 'anonymous',
    });
    expect((await call('GET', `${webhook.id}/`)).json).toEqual(webhook);
    expect((await call('GET', '')).json.objects).toEqual([webhook]);
  });

  it('never shows a secret that it is given, right or wrong', async () => {
    const added = await call('POST', '', { url: URL, secret: SECRET });
    const { id } = added.json;
    const answers = [
      added,
      await call('POST', '', { url: URL, secret: `${SECRET}-wrong` }),
      await call('GET', `${id}/`),
      await call('GET', ''),
      await call('PATCH', `${id}/`, { secret: SECRET }),
      await call('POST', `${id}/ping/`),
      await call('GET', `${id}/deliveries/`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 400, 200, 200, 202, 202, 200]);
    expect(added.headers.get('cache-control')).toBeNull();
    for (const { text } of answers) expect(text).not.toContain(SECRET);
    const kept = await api.now.database.Webhook.unscoped().findByPk(id);
    expect(kept?.secret).toBe(SECRET);
  });

  describe('are added once under an Idempotency-Key', () => {
    const addTwice = async (key: string, body: object) => {
      const send = () =>
        api.now.call('POST', '/api/v1/webhook/', { url: URL, ...body }, { 'idempotency-key': key });
      const answers = { first: await send(), again: await send() };
      expect(answers.first.status).toBe(201);
      expect(await api.now.database.Webhook.count()).toBe(1);
      return answers;
    };

    it('with a secret of Airline, which is not told again: 409 names the webhook', async () => {
      const { first, again } = await addTwice('made', {});
      expect(again).toMatchObject({ status: 409, json: { code: 'secret_not_repeated' } });
      expect(again.json.error).toContain(first.json.resource_uri);
      expect(again.text).not.toContain('whsec_');
    });

    it('with a secret of the caller: the answer comes again', async () => {
      const { first, again } = await addTwice('given', { secret: SECRET });
      expect(again).toMatchObject({ status: 201, text: first.text });
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    });
  });

  it.each([
    ['no URL', { url: undefined }, { url: ['This field is required.'] }],
    ['what is no URL', { url: 'http//x' }, { url: [expect.stringContaining('not a URL')] }],
    ['a secret that is short', { secret: 'whsec_c2hvcnQ=' }, { secret: [expect.any(String)] }],
    ['a secret in another form', { secret: 'a'.repeat(40) }, { secret: [expect.any(String)] }],
    ['a message that there is not', { messages: ['DONE'] }, { messages: [expect.any(String)] }],
    ['no messages', { messages: [] }, { messages: [expect.any(String)] }],
    [
      'two faults',
      { ticket_id: 'x', is_active: 'yes' },
      { ticket_id: [expect.any(String)], is_active: ['Enter true or false.'] },
    ],
  ])('refuses %s', async (_name, body, fields) => {
    expect(await call('POST', '', { url: URL, ...body })).toMatchObject({
      status: 400,
      json: { code: 'invalid_field', fields },
    });
  });

  it.each([
    ['another host', 'http://127.0.0.2/hook', 'host_not_allowed'],
    ['credentials', 'http://me:secret@127.0.0.1/hook', 'credentials_in_url'],
  ])('refuses %s in a URL, then and later', async (_name, url, code) => {
    const { id } = await add();
    for (const [method, path] of [
      ['POST', ''],
      ['PATCH', `${id}/`],
    ] as const)
      expect(await call(method, path, { url })).toMatchObject({ status: 400, json: { code } });
  });

  it('refuses the ports of Airline itself, and a ticket that there is not', async () => {
    const own = { url: `${api.now.url}/api/v1/build_source` };
    expect((await call('POST', '', own)).json.code).toBe('host_not_allowed');
    expect((await call('POST', '', { url: URL, ticket_id: 999 })).json.code).toBe(
      'unknown_reference',
    );
  });

  it('are left out of the answer to a caller that wants none of it', async () => {
    const { id } = await add();
    const minimal = { prefer: 'return=minimal' };
    const { id: delivery } = (await call('POST', `${id}/ping/`)).json;
    for (const answer of [
      await call('PATCH', `${id}/`, { description: 'new' }, minimal),
      await call('POST', `${id}/ping/`, undefined, minimal),
      await call('POST', `${id}/deliveries/${delivery}/resend/`, undefined, minimal),
    ]) {
      expect(answer).toMatchObject({ status: 202, text: '' });
      expect(answer.headers.get('preference-applied')).toBe('return=minimal');
    }
    const added = await call('POST', '', { url: URL, secret: SECRET }, minimal);
    expect(added).toMatchObject({ status: 201, text: '' });
    expect(added.headers.get('preference-applied')).toBe('return=minimal');
    expect(added.headers.get('location')).toMatch(/^\/api\/v1\/webhook\/\d+\/$/);
  });

  it('shows a secret that it makes also to a caller that wants none of the answer', async () => {
    const added = await call('POST', '', { url: URL }, { prefer: 'return=minimal' });
    expect(added.json.secret).toMatch(/^whsec_/);
    expect(added.headers.get('preference-applied')).toBeNull();
  });

  it('changes what is given, and switches on what was off', async () => {
    const { id } = await add({ messages: ['COMPLETE', 'COMPLETE'] });
    const off = { isActive: false, inactiveReason: 'It failed.', failingSince: new Date() };
    await api.now.database.Webhook.update(off, { where: { id } });
    expect((await call('PATCH', `${id}/`, { description: 'new' })).json).toMatchObject({
      description: 'new',
      messages: ['COMPLETE'],
      is_active: false,
      inactive_reason: 'It failed.',
    });
    expect(await call('POST', `${id}/ping/`)).toMatchObject({
      status: 409,
      json: { code: 'conflict' },
    });
    expect((await call('PATCH', `${id}/`, { is_active: true, messages: null })).json).toMatchObject(
      { messages: null, is_active: true, inactive_reason: null, failing_since: null },
    );
  });

  it('is changed and deleted only as the caller has read it, where If-Match says so', async () => {
    const { id } = await add();
    const path = `/api/v1/webhook/${id}/`;
    const read = () => api.now.call('GET', path);
    const change = (match: string, method = 'PATCH') =>
      api.now.call(method, path, method === 'PATCH' ? { description: match } : undefined, {
        'if-match': match,
      });
    const etag = (await read()).headers.get('etag') ?? '';
    for (const wrong of ['"other"', 'other', `W/${etag}`, '"1", "2"', ','])
      for (const method of ['PATCH', 'DELETE'])
        expect(await change(wrong, method)).toMatchObject({
          status: 412,
          json: { code: 'precondition_failed' },
        });
    expect((await read()).headers.get('etag')).toBe(etag);

    expect((await change(`"other", ${etag}`)).status).toBe(202);
    // It is another one now.
    for (const method of ['PATCH', 'DELETE']) expect((await change(etag, method)).status).toBe(412);
    expect((await change('*')).json.description).toBe('*');
    const now = (await read()).headers.get('etag') ?? '';
    expect((await change(now, 'DELETE')).status).toBe(204);
    for (const method of ['PATCH', 'DELETE']) expect((await change(now, method)).status).toBe(404);
  });

  it('is changed by one of many at once that have read the same', async () => {
    const { id } = await add();
    const path = `/api/v1/webhook/${id}/`;
    const etag = (await api.now.call('GET', path)).headers.get('etag') ?? '';
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        api.now.call('PATCH', path, { description: `${index}` }, { 'if-match': etag }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412)).toHaveLength(7);
  });

  it('come in the order of their ids, or the latest first where that is asked for', async () => {
    const ids = [(await add()).id, (await add()).id];
    const listed = async (query: string): Promise<number[]> =>
      (await call('GET', query)).json.objects.map(({ id }: { id: number }) => id);
    expect(await listed('')).toEqual(ids);
    expect(await listed('?order_by=id')).toEqual(ids);
    expect(await listed('?order_by=-id&limit=1')).toEqual([ids[1]]);
    const refused = await call('GET', '?order_by=url');
    expect(refused).toMatchObject({
      status: 400,
      json: { code: 'invalid_field', error: 'Invalid order_by: Enter id or -id.' },
    });
  });

  it('lists what is sent, the latest first, and sends it again', async () => {
    const { id } = await add();
    const build = await addBuild(api.now.database);
    await call('POST', `${id}/ping/`);
    const { objects, meta } = (await call('GET', `${id}/deliveries/?limit=1`)).json;
    expect(meta.total_count).toBe(2);
    expect(objects).toMatchObject([{ message_id: `ping:${objects[0].id}`, build: null }]);
    const [first] = (await call('GET', `${id}/deliveries/?offset=1`)).json.objects;
    expect(first).toEqual({
      id: expect.any(Number),
      resource_uri: `/api/v1/webhook/${id}/deliveries/${first.id}/`,
      message_id: `${build.id}:1`,
      build: `/api/v1/build/${build.id}/`,
      landing: null,
      seq: 1,
      state: 'pending',
      requested_at: expect.any(String),
      tries: 0,
      tried_at: null,
      status_code: null,
      duration_ms: null,
      error: null,
      next_try_at: expect.any(String),
    });
    await api.now.database.WebhookDelivery.update(
      { state: 'failed', tries: 20, error: 'It answered 500' },
      { where: { id: first.id } },
    );
    const read = () => call('GET', `${id}/deliveries/${first.id}/`);
    expect((await read()).json).toMatchObject({ state: 'failed', next_try_at: null });
    expect(await call('POST', `${id}/deliveries/${first.id}/resend/`)).toMatchObject({
      status: 202,
      json: { state: 'pending', tries: 0 },
    });
    expect((await read()).json.state).toBe('pending');
  });

  it('leads through more deliveries than are counted, and ends with the last', async () => {
    const { id } = await add();
    await query(
      api.now.database.sequelize,
      'INSERT INTO webhook_delivery (webhook_id) SELECT $1 FROM generate_series(1, 10500)',
      [id],
    );
    const { meta } = (await call('GET', `${id}/deliveries/?limit=1000`)).json;
    expect(meta.total_count).toBeGreaterThan(10_000);
    const last = (await call('GET', `${id}/deliveries/?limit=1000&offset=10000`)).json;
    expect(last.objects).toHaveLength(500);
    expect(last.meta).toMatchObject({ total_count: 10_500, next: null });
  });

  it('tells of events beyond the number of them that an integer counts', async () => {
    const { id } = await add();
    const { sequelize } = api.now.database;
    await query(sequelize, "SELECT setval('webhook_delivery_id_seq', 2147483646)");
    const build = await addBuild(api.now.database);
    await report(api.now.database, build, 'STARTED');
    const { objects } = (await call('GET', `${id}/deliveries/`)).json;
    expect(objects).toMatchObject([
      { id: 2 ** 31, seq: 2 },
      { id: 2 ** 31 - 1, seq: 1 },
    ]);
    expect(await call('GET', `${id}/deliveries/${2 ** 31}/`)).toMatchObject({
      status: 200,
      json: objects[0],
    });
    expect((await call('GET', `${id}/deliveries/${2 ** 53}/`)).status).toBe(404);
  });

  it('forgets a webhook with its deliveries', async () => {
    const { id } = await add();
    await call('POST', `${id}/ping/`);
    expect((await call('DELETE', `${id}/`)).status).toBe(204);
    for (const [method, path] of [
      ['GET', `${id}/`],
      ['PATCH', `${id}/`],
      ['DELETE', `${id}/`],
      ['GET', `${id}/deliveries/`],
      ['GET', `${id}/deliveries/1/`],
      ['POST', `${id}/deliveries/1/resend/`],
      ['POST', `${id}/ping/`],
    ] as const)
      expect((await call(method, path, method === 'PATCH' ? {} : undefined)).status).toBe(404);
    expect(await api.now.database.WebhookDelivery.count()).toBe(0);
  });

  it('holds up no event while it is deleted, however long that takes', async () => {
    const { id } = await add();
    const build = await addBuild(api.now.database);
    const { sequelize, WebhookDelivery } = api.now.database;
    const addLog =
      'INSERT INTO webhook_delivery (webhook_id) SELECT $1::integer FROM generate_series(1, 2500)';
    await query(sequelize, addLog, [id]);
    const { deleted } = await sequelize.transaction(async (transaction) => {
      const lock = transaction.LOCK.UPDATE;
      await WebhookDelivery.findOne({ where: { webhookId: id }, transaction, lock });
      const answer = call('DELETE', `${id}/`);
      await until('it waits', () => waitsForLock(sequelize));
      expect(await WebhookDelivery.count()).toBe(1);
      await report(api.now.database, build, 'STARTED');
      return { deleted: answer };
    });
    expect((await deleted).status).toBe(204);
    expect((await call('GET', `${id}/`)).status).toBe(404);
    expect(await WebhookDelivery.count()).toBe(0);
  });

  it('sends all that waits once it is on again, however much that is, by statements that take no long time', async () => {
    const { id } = await add({ is_active: false });
    const { sequelize } = api.now.database;
    await query(
      sequelize,
      `INSERT INTO webhook_delivery (webhook_id, tries, requested_at, next_try_at, state)
       SELECT $1::integer, 5, now() - interval '1 day', now() + interval '1 hour',
         CASE WHEN number > 10 THEN 'pending' ELSE 'delivered' END
       FROM generate_series(1, 2510) number`,
      [id],
    );
    await sequelize.query(
      `CREATE FUNCTION refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         IF (SELECT count(*) FROM changed) > 1000 THEN RAISE 'this would take long'; END IF;
         RETURN NULL;
       END $$;
       CREATE TRIGGER refuse_many AFTER UPDATE ON webhook_delivery REFERENCING NEW TABLE AS changed
         FOR EACH STATEMENT EXECUTE FUNCTION refuse_many()`,
    );
    try {
      // Again and again: statements that come often are prepared.
      for (const is_active of Array.from({ length: 12 }, (_, index) => index % 2 === 0))
        expect((await call('PATCH', `${id}/`, { is_active })).status).toBe(202);
    } finally {
      await sequelize.query('DROP FUNCTION refuse_many CASCADE');
    }
    const kinds = await query(
      sequelize,
      `SELECT state, tries, next_try_at <= now() AS "isDue",
         requested_at > now() - interval '1 hour' AS "beginsAnew", count(*)::integer AS count
       FROM webhook_delivery GROUP BY 1, 2, 3, 4 ORDER BY state`,
    );
    expect(kinds).toEqual([
      { state: 'delivered', tries: 5, isDue: false, beginsAnew: false, count: 10 },
      { state: 'pending', tries: 0, isDue: true, beginsAnew: true, count: 2_500 },
    ]);
  });

  it('are no more than there may be; without tokens all callers have one name', async () => {
    await addMany(api.now, 99, 'anonymous');
    expect((await call('POST', '', { url: URL })).status).toBe(201);
    expect(await call('POST', '', { url: URL })).toMatchObject({
      status: 409,
      json: {
        code: 'conflict',
        error: 'There are already 100 webhooks, the maximum. Delete one that is not needed.',
      },
    });
  });
});

/** Adds webhooks to the database. */
async function addMany({ database }: TestApi, count: number, createdBy: string): Promise<void> {
  const one = { url: URL, secret: SECRET, description: '', ticketId: null, messages: null };
  const createdAt = new Date();
  await database.Webhook.bulkCreate(
    Array.from({ length: count }, () => ({ ...one, isActive: true, createdAt, createdBy })),
  );
}

describe('webhooks, where tokens are needed', () => {
  const api = useApi({ authentication: 'token' });
  const caller = async (name: string) => {
    const { text } = await api.now.database.AccessToken.issue(
      { name, scopes: ['build:write'] },
      { defaultMs: 3_600_000, maxMs: 3_600_000 },
      { actor: 'a test' },
    );
    const headers = { authorization: `Bearer ${text}` };
    return () => api.now.call('POST', '/api/v1/webhook/', { url: URL }, headers);
  };

  it('are half of one token at most, which leaves room for others', async () => {
    const [addByOne, addByOther] = [await caller('one'), await caller('other')];
    await addMany(api.now, 49, 'one');
    expect((await addByOne()).status).toBe(201);
    expect(await addByOne()).toMatchObject({
      status: 409,
      json: {
        code: 'conflict',
        error:
          'There are already 50 webhooks that one has added, the maximum. Delete one of these that is not needed.',
      },
    });
    expect((await addByOther()).status).toBe(201);
  });
});

describe('a build request that names a webhook', () => {
  const api = useApi();
  const world = createWorld(api);
  const add = (fields: object = {}) => world.create('webhook/', { url: URL, ...fields });
  const noQueue = { progress_trigger: null };

  it('needs no queue: its webhook is told, at each attempt, and no event waits for the broker', async () => {
    const { Build, ProgressEvent, WebhookDelivery } = api.now.database;
    const webhook = await add();
    const made = await world.build(await world.ticket(), { ...noQueue, webhook_id: webhook.id });
    expect(made).toMatchObject({ progress_trigger: null, webhook_id: webhook.id });
    await report(api.now.database, made, 'FAILURE');
    expect((await world.post(`build/${made.id}/retry/`, {})).status).toBe(202);

    const events = (await world.get(`build/${made.id}/events/`)).json.objects;
    expect(events).toMatchObject([
      { seq: 1, attempt: 1, state: 'WAITING', progress_trigger: null },
      { seq: 2, attempt: 1, state: 'FAILED', progress_trigger: null },
      { seq: 3, attempt: 2, state: 'WAITING', progress_trigger: null },
    ]);
    expect(await ProgressEvent.unpublished()).toBe(0);
    const told = await WebhookDelivery.findAll({ order: ['id'], where: { webhookId: webhook.id } });
    expect(told.map(({ buildId, seq }) => [buildId, seq])).toEqual([
      [made.id, 1],
      [made.id, 2],
      [made.id, 3],
    ]);
    const row = await Build.findByPk(made.id, { rejectOnEmpty: true });
    expect(row.toRequest().progressTrigger).toBeNull();
  });

  it('may name a queue, too; the webhook may then go', async () => {
    const webhook = await add();
    const made = await world.build(await world.ticket(), { webhook_id: String(webhook.id) });
    expect(made).toMatchObject({ progress_trigger: 'lander-1', webhook_id: webhook.id });
    expect((await api.now.call('DELETE', webhook.resource_uri)).status).toBe(204);
    expect((await world.get(`build/${made.id}/`)).json.webhook_id).toBe(webhook.id);
  });

  it('is refused where the webhook would not be told', async () => {
    const ticket = await world.ticket();
    const other = await world.ticket();
    const ask = async (webhook_id: unknown) =>
      world.post('build_source', world.buildRequest(ticket, { ...noQueue, webhook_id }));
    const off = await add({ is_active: false });
    const elsewhere = await add({ ticket_id: other.id });
    for (const [id, status, code, message] of [
      [999, 400, 'unknown_reference', 'There is no webhook 999.'],
      ['x', 400, 'invalid_field', 'Enter the id of a webhook.'],
      [off.id, 409, 'conflict', `Webhook ${off.id} is switched off.`],
      [elsewhere.id, 409, 'conflict', `Webhook ${elsewhere.id} is only for ticket ${other.id}.`],
    ])
      expect(await ask(id)).toMatchObject({
        status,
        json: { code, fields: { webhook_id: [message] } },
      });
  });

  it('may be of a landing: its events and its builds need no queue then', async () => {
    const { id: webhook_id } = await add();
    const place = { series: 'bookworm', target: 'ppa:airline/landed', ppa: 'ppa:airline/silo' };
    const land = async (fields: object) => {
      const ticket = await world.landable(world.newName());
      return world.post(`ticket/${ticket.id}/land/`, { ...place, ...fields });
    };
    const { json: landing } = await land({ webhook_id });
    expect(landing).toMatchObject({ webhook_id, progress_trigger: null });
    const { LandingEvent } = api.now.database;
    const of = { landingId: landing.id, attempt: 1 };
    await LandingEvent.record({ ...of, key: 'begun', phase: 'building' });
    const source = landing.parts[0].source;
    const { sequelize } = api.now.database;
    const build = await openLandingBuild(sequelize, api.now.database, { ...of, source });
    expect(build).toMatchObject({ webhookId: webhook_id, progressTrigger: null });
    const { objects } = (await world.get(`webhook/${webhook_id}/deliveries/`)).json;
    expect(objects.map((one: Resource) => [one.message_id, one.landing])).toEqual([
      [`${build.id}:1`, null],
      [`landing:${landing.id}:1`, landing.resource_uri],
    ]);
    expect((await land({ webhook_id: 999 })).json).toMatchObject({
      code: 'unknown_reference',
      fields: { webhook_id: ['There is no webhook 999.'] },
    });
  });

  it('is refused where it is of a merge proposal, in the same words', async () => {
    const subticket = await world.create('subticket/', {
      ticket: (await world.ticket()).resource_uri,
      merge_proposal: (await world.mergeProposal()).resource_uri,
    });
    const ask = (fields: object) =>
      world.post(`subticket/${subticket.id}/build_proposal/`, {
        series: 'noble',
        ppa: 'ppa:airline/demo',
        ...fields,
      });
    expect((await ask({})).json.fields).toEqual({ progress_trigger: ['This field is required.'] });
    expect((await ask({ webhook_id: 999 })).json.code).toBe('unknown_reference');
    const { id: webhook_id } = await add();
    expect(await ask({ webhook_id })).toMatchObject({
      status: 202,
      json: { progress_trigger: null, webhook_id },
    });
  });
});
