import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);
const { call, newName } = world;
const bundle = (body: unknown, headers?: Record<string, string>) =>
  call('POST', 'ticket/bundle/', body, headers);
const TABLES = [
  'ticket',
  'subticket',
  'spu',
  'sourcepackage',
  'ticketartifact',
  'subticketartifact',
];
/** How many rows each table has, with tickets that are not open. */
const counts = async () => {
  const found: Record<string, number> = {};
  for (const table of TABLES) {
    const all = table === 'ticket' ? '&id__gt=0' : '';
    found[table] = (await call('GET', `${table}/?limit=1${all}`)).json.meta.total_count;
  }
  return found;
};
const TICKET = { owner: 'dev@example.org', title: 'A fix' };
const ARTIFACT = { name: 'a.deb', reference: 'https://files.example/a.deb' };
const part = (name: string, more: object = {}) => ({
  source_package_upload: { sourcepackage: { name }, version: '1.0' },
  ...more,
});

describe('POST ticket/bundle/', () => {
  it('takes a null in place of each of its lists as none', async () => {
    const lists = { references: null, owners: null, ppas: null, testsuites: null, artifacts: null };
    expect(await bundle({ ...TICKET, ...lists, subtickets: null })).toMatchObject({
      status: 201,
      json: { artifacts: [], subtickets: [] },
    });
    const nested = await bundle({ ...TICKET, subtickets: [part(newName(), { artifacts: null })] });
    expect(nested).toMatchObject({ status: 201, json: { subtickets: [{ artifacts: [] }] } });
  });

  it('adds a ticket with all that belongs to it, and answers with the full ticket', async () => {
    const [known, fresh] = [newName(), newName()];
    const source = await world.sourcePackage({ name: known });
    const upload = await world.upload({ sourcepackage: source.resource_uri, version: '9' });
    const before = await counts();
    const answer = await bundle({
      ...TICKET,
      bug_id: 77,
      artifacts: [{ ...ARTIFACT, type: 'IMAGE' }],
      subtickets: [
        part(known, {
          assignee: 'qa@example.org',
          artifacts: [
            { ...ARTIFACT, type: 'SPU' },
            { ...ARTIFACT, type: 'LOGS' },
          ],
        }),
        part(fresh),
        { source_package_upload: upload.resource_uri },
      ],
    });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
    const id = answer.json.id;
    expect(answer.headers.get('location')).toBe(`/api/v1/ticket/${id}/`);
    expect((await call('GET', `fullticket/${id}/`)).json).toEqual(answer.json);
    expect(answer.json).toMatchObject({
      ...TICKET,
      bug_id: '77',
      current_workflow_step: '100',
      artifacts: [{ ...ARTIFACT, type: 'IMAGE', ticket: `/api/v1/ticket/${id}/` }],
      subtickets: [
        {
          assignee: 'qa@example.org',
          ticket: `/api/v1/ticket/${id}/`,
          current_workflow_step: '100',
          source_package_upload: { version: '1.0', sourcepackage: source },
          artifacts: [
            { ...ARTIFACT, type: 'SPU' },
            { ...ARTIFACT, type: 'LOGS' },
          ],
        },
        { assignee: '', source_package_upload: { sourcepackage: { name: fresh } }, artifacts: [] },
        { source_package_upload: { ...upload, sourcepackage: source } },
      ],
      builds: [],
    });
    expect(await counts()).toEqual({
      ticket: (before['ticket'] ?? 0) + 1,
      subticket: (before['subticket'] ?? 0) + 3,
      spu: (before['spu'] ?? 0) + 2,
      sourcepackage: (before['sourcepackage'] ?? 0) + 1,
      ticketartifact: (before['ticketartifact'] ?? 0) + 1,
      subticketartifact: (before['subticketartifact'] ?? 0) + 2,
    });
    const uploads = await call('GET', `spu/?sourcepackage__name=${known}`);
    expect(uploads.json.objects).toMatchObject([{ version: '9' }, { version: '1.0' }]);
  });

  it('adds a ticket that has nothing yet', async () => {
    const answer = await bundle(TICKET);
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({ ...TICKET, artifacts: [], subtickets: [], builds: [] });
  });

  it('adds fifty subtickets', async () => {
    const answer = await bundle({
      ...TICKET,
      subtickets: Array.from({ length: 50 }, () => part(newName(), { artifacts: [] })),
    });
    expect(answer.status).toBe(201);
    expect(answer.json.subtickets).toHaveLength(50);
  });

  it.each<[string, number, object, string]>([
    [
      'the last artifact',
      400,
      {
        artifacts: [{ ...ARTIFACT, type: 'IMAGE' }],
        subtickets: [
          part('undone-1'),
          part('undone-2', { artifacts: [{ ...ARTIFACT, type: 'PICTURE' }] }),
        ],
      },
      'subtickets[1].artifacts[0].type',
    ],
    [
      "the ticket's own artifact",
      400,
      { artifacts: [{ type: 'IMAGE', name: 'n' }], subtickets: [part('undone-1')] },
      'artifacts[0].reference',
    ],
    [
      'a subticket',
      400,
      { subtickets: [part('undone-1'), part('undone-2', { assignee: 'nobody' })] },
      'subtickets[1].assignee',
    ],
    [
      'a nested upload',
      400,
      { subtickets: [{ source_package_upload: { sourcepackage: { name: 'undone-1' } } }] },
      'subtickets[0].source_package_upload.version',
    ],
    [
      'a nested source package',
      400,
      {
        subtickets: [{ source_package_upload: { sourcepackage: { name: '' }, version: '1' } }],
      },
      'subtickets[0].source_package_upload.sourcepackage.name',
    ],
    [
      'the name of a nested source package',
      400,
      {
        subtickets: [
          part('undone-1'),
          { source_package_upload: { sourcepackage: { name: { toString: 1 } }, version: '1' } },
        ],
      },
      'subtickets[1].source_package_upload.sourcepackage.name',
    ],
    ['the ticket', 400, { title: '', subtickets: [part('undone-1')] }, 'title'],
    ['the form', 400, { subtickets: [part('undone-1'), 7] }, 'subtickets[1]'],
    [
      'the form of the artifacts',
      400,
      { subtickets: [part('undone-1', { artifacts: 7 })] },
      'subtickets[0].artifacts',
    ],
  ])('adds nothing where %s is wrong, and says where', async (_name, status, wrong, place) => {
    const before = await counts();
    const answer = await bundle({ ...TICKET, ...wrong });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
    expect(Object.keys(answer.json.ticket)).toEqual([place]);
    expect(await counts()).toEqual(before);
  });

  it('asks for a list, or for an object in it, where there is none', async () => {
    const wrong = { artifacts: 7, subtickets: [7, { artifacts: [null] }] };
    expect(await bundle({ ...TICKET, ...wrong })).toMatchObject({
      status: 400,
      json: {
        ticket: {
          artifacts: ['Enter a list of at most 1000 objects.'],
          'subtickets[0]': ['Enter an object.'],
          'subtickets[1].artifacts[0]': ['Enter an object.'],
        },
      },
    });
  });

  it.each([
    [
      'is gone',
      { subtickets: [part('undone-1'), { source_package_upload: '/api/v1/spu/999999/' }] },
      'subtickets[1]: ',
    ],
    ['is missing', { subtickets: [part('undone-1'), {}] }, 'subtickets[1]: '],
  ])('adds nothing where a reference %s, and says where', async (_name, wrong, place) => {
    const before = await counts();
    const answer = await bundle({ ...TICKET, ...wrong });
    expect(answer.status).toBe(400);
    expect(answer.json.error).toContain(place);
    expect(await counts()).toEqual(before);
  });

  it('says of many places only the first, however many are wrong', async () => {
    const artifacts = Array.from({ length: 1_000 }, () => 0);
    const wrong = { ...TICKET, subtickets: Array.from({ length: 40 }, () => ({ artifacts })) };
    for (const accept of ['application/json', 'application/problem+json']) {
      const answer = await bundle(wrong, { accept });
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('subtickets[0].artifacts[0]');
      expect(answer.text.length).toBeLessThan(10_000);
    }
  });

  it('with an Idempotency-Key makes one ticket, and gives the same bytes again', async () => {
    const body = { ...TICKET, subtickets: [part(newName())] };
    const key = { 'idempotency-key': '"bundle-1"' };
    const first = await bundle(body, key);
    expect(first.status).toBe(201);
    const before = await counts();
    const again = await bundle(body, key);
    expect(again).toMatchObject({ status: 201, text: first.text });
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect(await counts()).toEqual(before);
    const other = await bundle({ ...body, title: 'Another' }, key);
    expect(other.status).toBe(422);
    expect(await counts()).toEqual(before);
  });

  it('with an Idempotency-Key that was refused can be put right', async () => {
    const key = { 'idempotency-key': '"bundle-2"' };
    const before = await counts();
    expect((await bundle({ ...TICKET, subtickets: [part('undone-1'), {}] }, key)).status).toBe(400);
    expect(await counts()).toEqual(before);
    expect((await bundle(TICKET, key)).status).toBe(201);
  });

  it('sent many times at once with the same new source packages adds each of them once', async () => {
    for (let round = 0; round < 5; round++) {
      const shared = [newName(), newName(), newName()];
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) => {
          // In another order, too: none may wait for one that waits for it.
          const order = index % 2 ? shared : shared.toReversed();
          return bundle({ ...TICKET, subtickets: order.map((name) => part(name)) });
        }),
      );
      for (const answer of answers)
        expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
      const found = await call('GET', `sourcepackage/?name__in=${shared.join(',')}`);
      expect(found.json.meta.total_count).toBe(3);
      const uploads = await call('GET', `spu/?sourcepackage__name=${shared[0]}`);
      expect(uploads.json.meta.total_count).toBe(8);
    }
  });

  it.each(['resource_uri', 'id'])(
    'adds and reads nothing beside the %s of an upload',
    async (key) => {
      const named = { [key]: (await world.upload())[key] };
      for (const name of ['beside-an-address', '']) {
        const upload = { ...named, sourcepackage: { name } };
        const answer = await bundle({ ...TICKET, subtickets: [{ source_package_upload: upload }] });
        expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
        expect(answer.headers.get('airline-ignored')).toBe(
          'subtickets[0].source_package_upload.sourcepackage',
        );
      }
      const { json } = await call('GET', 'sourcepackage/?name=beside-an-address');
      expect(json.meta.total_count).toBe(0);
    },
  );

  it('gives a ticket that takes more subtickets only while it is Queued', async () => {
    const { id, subtickets } = (await bundle({ ...TICKET, subtickets: [part(newName())] })).json;
    const [first] = subtickets;
    const upload = (await call('GET', `subticket/${first.id}/`)).json.source_package_upload;
    const more = { ticket: `/api/v1/ticket/${id}/`, source_package_upload: upload };
    expect((await call('POST', 'subticket/', more)).status).toBe(201);
    const step = { current_workflow_step: '200', status: '200' };
    expect((await call('PATCH', `updateticketstatus/${id}/`, step)).status).toBe(202);
    expect((await call('POST', 'subticket/', more)).status).toBe(409);
  });

  it('answers without a body where the caller prefers that', async () => {
    const answer = await bundle(TICKET, { prefer: 'return=minimal' });
    expect(answer).toMatchObject({ status: 201, text: '' });
    expect(answer.headers.get('preference-applied')).toBe('return=minimal');
    const location = answer.headers.get('location') ?? '';
    expect((await api.now.call('GET', location)).json).toMatchObject(TICKET);
  });

  it('refuses more parts than a thousand', async () => {
    const answer = await bundle({
      ...TICKET,
      artifacts: Array.from({ length: 1_001 }, () => ({})),
    });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.json.ticket)).toEqual(['artifacts']);
  });
});
