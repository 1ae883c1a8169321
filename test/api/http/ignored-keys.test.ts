import { createWorld, stepOf } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);

const TICKET = { owner: 'dev@example.org', title: 'A fix' };
const STRICT = { prefer: 'return=minimal, handling=strict' };
const ignored = async (method: string, path: string, body: unknown) =>
  (await world.call(method, path, body)).headers.get('airline-ignored');

describe('fields that are not known', () => {
  it('are ignored, and named', async () => {
    const { id } = await world.ticket();
    expect(await ignored('POST', 'ticket/', { ...TICKET, blueprints: [], status: '5' })).toBe(
      'blueprints, status',
    );
    expect(await ignored('PATCH', `ticket/${id}/`, { tilte: 'x' })).toBe('tilte');
    expect(await ignored('PATCH', `updateticketstatus/${id}/`, { status: '5', title: 'x' })).toBe(
      'title',
    );
    expect(await ignored('PATCH', 'sourcepackage/', { objects: [{ name: 'a', b: 1 }] })).toBe(
      'objects[0].b',
    );
    expect(await ignored('POST', 'build_source', world.buildRequest({ id }, { arch: 1 }))).toBe(
      'arch',
    );
  });

  it('are ignored whatever their value, such as a reason where no history keeps one', async () => {
    const added = await world.post('sourcepackage/', { name: 'unreasonable', reason: 5 });
    expect(added.status).toBe(201);
    expect(added.headers.get('airline-ignored')).toBe('reason');
    const { id } = await world.ticket();
    const request = world.buildRequest({ id }, { reason: 5 });
    expect(await ignored('POST', 'build_source', request)).toBe('reason');
  });

  it('are named in all parts of a bundle', async () => {
    const upload = { sourcepackage: { name: 'a', x: 1 }, version: '1', y: 2 };
    const subtickets = [{ source_package_upload: upload, artifacts: [], reason: '', z: 3 }];
    expect(await ignored('POST', 'ticket/bundle/', { ...TICKET, subtickets, wish: 4 })).toBe(
      'subtickets[0].source_package_upload.sourcepackage.x, subtickets[0].source_package_upload.y, subtickets[0].reason, subtickets[0].z, wish',
    );
  });

  it('are named in what a reference nests, which is added as it is', async () => {
    const nested = { version: '1', sourcepackage: { name: world.newName(), naem: 1 } };
    expect(await ignored('POST', 'spu/', nested)).toBe('sourcepackage.naem');
    const refused = { version: '1', sourcepackage: { name: 'not-added', naem: 1 } };
    expect(await world.post('spu/', refused, STRICT)).toMatchObject({
      status: 400,
      json: { code: 'unknown_fields', error: 'Not known here: sourcepackage.naem.' },
    });
    expect((await world.get('sourcepackage/?name=not-added')).json.objects).toEqual([]);
    const owner = { name: 'Ada', email: 'ada@example.org', is_taem: true };
    const branch = { unique_name: world.newName(), owner, type: 'regular' };
    const proposal = { branch, submitter: owner, status: 'needs_review' };
    expect(await ignored('POST', 'mergeproposal/', proposal)).toBe(
      'branch.owner.is_taem, submitter.is_taem',
    );
  });

  it('are the fields beside the address of what is nested, too: it is referred to, and not changed', async () => {
    const one = await world.sourcePackage();
    const nested = { version: '1', sourcepackage: { ...one, name: 'quite-another' } };
    expect(await ignored('POST', 'spu/', nested)).toBe('sourcepackage.name');
    expect((await world.get(`sourcepackage/${one.id}/`)).json).toEqual(one);
    const { resource_uri } = one;
    expect(await ignored('POST', 'spu/', { version: '2', sourcepackage: { resource_uri } })).toBe(
      null,
    );
    const upload = await world.upload();
    const path = upload.resource_uri.replace('/api/v1/', '');
    expect(await ignored('PUT', path, { ...upload, sourcepackage: one })).toBe(
      'sourcepackage.name',
    );
  });

  it('are not those that Airline sets: what was read may be sent back', async () => {
    const ticket = await world.ticket();
    const ofUpload = await world.subticket(ticket);
    const ofProposal = await world.subticket(ticket, {
      source_package_upload: null,
      merge_proposal: (await world.mergeProposal()).resource_uri,
    });
    for (const one of [ticket, ofUpload, ofProposal])
      for (const [method, status] of [
        ['PUT', 200],
        ['PATCH', 202],
      ] as const) {
        const path = one.resource_uri.replace('/api/v1/', '');
        const answer = await world.call(method, path, one);
        expect({ path, status: answer.status }).toEqual({ path, status });
        expect(answer.headers.get('airline-ignored')).toBeNull();
      }
    expect(await ignored('POST', 'ticket/', TICKET)).toBeNull();
  });

  it('are also references that an operation does not compare with what is there', async () => {
    const { id, resource_uri: path } = await world.subticket(await world.ticket());
    const other = { ...stepOf(200), ticket: '/api/v1/ticket/999/' };
    const update = `updatesubticketstatus/${id}/`;
    expect(await ignored('PATCH', update, other)).toBe('ticket');
    expect(await world.patch(update, other, STRICT)).toMatchObject({
      status: 400,
      json: { code: 'unknown_fields', error: 'Not known here: ticket.' },
    });
    expect(await world.call('PATCH', path.replace('/api/v1/', ''), other)).toMatchObject({
      status: 400,
      json: { subticket: { ticket: ['This field cannot be changed.'] } },
    });
  });

  it('are named up to a bound, as a header may have them', async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, 1]));
    const names = await ignored('POST', 'ticket/', { ...TICKET, ...many });
    expect(names?.split(', ')).toHaveLength(20);
    const odd = { 'a\r\nb, c': 1, ['é'.repeat(200)]: 1, '\ud800': 1 };
    expect(await ignored('POST', 'ticket/', { ...TICKET, ...odd })).toBe(
      `a%0D%0Ab%2C%20c, ${'%C3%A9'.repeat(100)}, %3F`,
    );
  });

  it('are refused where the caller prefers strict handling, and nothing is done', async () => {
    const { id } = await world.ticket();
    const answer = await world.patch(`ticket/${id}/`, { title: 'Another', wish: 1 }, STRICT);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      error: 'Not known here: wish.',
      code: 'unknown_fields',
      hint: expect.any(String),
    });
    expect((await world.get(`ticket/${id}/`)).json).toMatchObject({ title: 'A fix' });
    expect((await world.patch(`ticket/${id}/`, { title: 'Another' }, STRICT)).status).toBe(202);
  });
});
