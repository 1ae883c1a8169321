import { Op, Sequelize } from 'sequelize';
import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);

const LARGE = 12;
const LARGE_BYTES = 1_000_000;
const LONGEST_DESCRIPTION = 65_536;
/** Eight pages' worth of bytes, and the row that passes the bound. */
const MAX_BYTES = 9 * 2 ** 20 + LARGE_BYTES;

/** A ticket with builds of a megabyte each, the first of which has events of that size. */
async function largeTicket(): Promise<{ ticket: number; builds: number[] }> {
  const ticket = await world.ticket();
  const first = await world.build(ticket);
  const { sequelize } = api.now.database;
  await sequelize.query(
    `INSERT INTO build (ticket_id, source_packages, series, ppa, archive, progress_trigger)
       SELECT ticket_id, source_packages, series, ppa, archive, progress_trigger
       FROM build, generate_series(2, ${LARGE}) WHERE id = ${first.id};
     UPDATE build SET source_packages = jsonb_build_array(repeat('x', ${LARGE_BYTES})), last_seq = ${LARGE}
       WHERE ticket_id = ${ticket.id};
     INSERT INTO progress_event (build_id, seq, key, body)
       SELECT build_id, more, 'repeat-' || more,
         body || jsonb_build_object('seq', more, 'source_packages', jsonb_build_array(repeat('x', ${LARGE_BYTES})))
       FROM progress_event, generate_series(2, ${LARGE}) more WHERE build_id = ${first.id}`,
  );
  const builds = await api.now.database.Build.findAll({
    where: { ticketId: ticket.id },
    attributes: ['id'],
    order: [Sequelize.col('id')],
  });
  return { ticket: ticket.id, builds: builds.map(({ id }) => id) };
}

/** Follows `meta.next` to the end; each page is bounded in bytes. */
async function follow(first: string, key: 'id' | 'seq') {
  const seen: number[] = [];
  let pages = 0;
  for (let next: string | null = first; next !== null; pages += 1) {
    const { status, json, text } = await api.now.call('GET', next);
    expect({ next, status }).toEqual({ next, status: 200 });
    expect(text.length).toBeLessThan(MAX_BYTES);
    seen.push(...json.objects.map((one: { id: number; seq: number }) => one[key]));
    next = json.meta.next;
  }
  return { seen, pages };
}

it('bounds lists, sets, events and full tickets in bytes, and leads through every row', async () => {
  const { ticket, builds } = await largeTicket();
  const list = `/api/v1/build/?ticket=${ticket}&limit=1000`;
  expect(await follow(list, 'id')).toEqual({ seen: builds, pages: 2 });
  expect(await follow(`${list}&cursor=`, 'id')).toEqual({ seen: builds, pages: 2 });
  expect(await follow(`${list}&order_by=-id&cursor=`, 'id')).toEqual({
    seen: builds.toReversed(),
    pages: 2,
  });

  const [first] = builds;
  const numbers = Array.from({ length: LARGE }, (_, index) => index + 1);
  expect(await follow(`/api/v1/build/${first}/events/`, 'seq')).toEqual({
    seen: numbers,
    pages: 2,
  });

  const tooLarge = { status: 400, json: { code: 'answer_too_large' } };
  expect(await world.get(`build/set/${builds.join(';')}/`)).toMatchObject(tooLarge);
  expect(await world.get(`fullticket/${ticket}/`)).toMatchObject(tooLarge);
  const again = Array.from({ length: 900 }, () => first).join(';');
  const { json } = await world.get(`build/set/${again}/`);
  expect(json.objects).toMatchObject([{ id: first }]);
});

/** The ids of 200 tickets with the longest descriptions. They come to more than a page. */
async function longTickets(): Promise<number[]> {
  const { id } = await world.ticket({ description: 'x'.repeat(LONGEST_DESCRIPTION) });
  await api.now.database.sequelize.query(
    `INSERT INTO ticket (owner, title, description)
       SELECT owner, title, description FROM ticket, generate_series(2, 200) WHERE id = ${id}`,
  );
  const tickets = await api.now.database.Ticket.findAll({
    where: { id: { [Op.gte]: id } },
    attributes: ['id'],
    order: ['id'],
  });
  return tickets.map((one) => one.id);
}

it('counts what the database keeps compressed as it is shown', async () => {
  const ids = await longTickets();
  const [id] = ids as [number];
  const { id: build } = await world.build({ id });
  await api.now.database.sequelize.query(
    `INSERT INTO progress_event (build_id, seq, key, body)
       SELECT build_id, more, 'repeat-' || more,
         body || jsonb_build_object('seq', more, 'source_packages', jsonb_build_array(repeat('x', ${LONGEST_DESCRIPTION})))
       FROM progress_event, generate_series(2, 200) more WHERE build_id = ${build};
     UPDATE build SET last_seq = 200 WHERE id = ${build}`,
  );
  expect(await follow(`/api/v1/ticket/?id__gte=${id}&limit=1000`, 'id')).toEqual({
    seen: ids,
    pages: 2,
  });
  expect(await world.get(`ticket/set/${ids.join(';')}/`)).toMatchObject({
    status: 400,
    json: { code: 'answer_too_large' },
  });
  expect(await follow(`/api/v1/build/${build}/events/?limit=1000`, 'seq')).toMatchObject({
    pages: 2,
  });
});

it('changes nothing by a PATCH of a list whose answer would be too large', async () => {
  const ids = await longTickets();
  const patch = (headers?: Record<string, string>) =>
    world.call(
      'PATCH',
      'ticket/',
      { objects: ids.map((id) => ({ resource_uri: `/api/v1/ticket/${id}/`, bug_id: 'LP: 1' })) },
      { 'idempotency-key': world.newName(), ...headers },
    );
  const countChanged = () => api.now.database.Ticket.count({ where: { id: ids, bugId: 'LP: 1' } });

  expect(await patch()).toMatchObject({ status: 400, json: { code: 'answer_too_large' } });
  expect(await countChanged()).toBe(0);

  expect(await patch({ prefer: 'return=minimal' })).toMatchObject({ status: 202, text: '' });
  expect(await countChanged()).toBe(ids.length);
});

it('adds a bundle whose answer would be too large only where none is asked for', async () => {
  const suite = await world.create('testsuite/', { description: 'x'.repeat(LONGEST_DESCRIPTION) });
  const testsuites = Array.from({ length: 200 }, () => ({ testsuite: suite.resource_uri }));
  const bundle = (title: string, headers?: Record<string, string>) =>
    world.post('ticket/bundle/', { owner: 'dev@example.org', title, testsuites }, headers);
  const countOf = (title: string) => api.now.database.Ticket.count({ where: { title } });

  const tooLarge = { status: 400, json: { code: 'answer_too_large' } };
  expect(await bundle('With an answer')).toMatchObject(tooLarge);
  expect(await countOf('With an answer')).toBe(0);

  const added = await bundle('Without one', { prefer: 'return=minimal' });
  expect(added).toMatchObject({ status: 201, text: '' });
  const location = (added.headers.get('location') ?? '').replace('/api/v1/', '');
  expect((await world.get(location)).json).toMatchObject({ title: 'Without one' });
});

it('counts in a full ticket what it nests as often as it nests it', async () => {
  const ticket = await world.ticket();
  const suite = await world.create('testsuite/', { description: 'x'.repeat(LONGEST_DESCRIPTION) });
  const link = { ticket: ticket.resource_uri, testsuite: suite.resource_uri };
  await world.create('tickettestsuite/', link);
  const full = () => world.get(`fullticket/${ticket.id}/`);
  expect((await full()).json.testsuites).toMatchObject([{ testsuite: { id: suite.id } }]);
  await api.now.database.sequelize.query(
    `INSERT INTO ticket_test_suite (ticket_id, test_suite_id)
       SELECT ${ticket.id}, ${suite.id} FROM generate_series(2, 200)`,
  );
  expect(await full()).toMatchObject({ status: 400, json: { code: 'answer_too_large' } });
});

it('bounds the texts that callers send, and the document says so', async () => {
  const refused = (field: string) => ({
    status: 400,
    json: { ticket: { [field]: [expect.any(String)] } },
  });
  const ticket = { owner: 'dev@example.org', title: 'A fix' };
  expect(
    await world.post('ticket/', { ...ticket, description: 'x'.repeat(LONGEST_DESCRIPTION) }),
  ).toMatchObject({ status: 201 });
  expect(
    await world.post('ticket/', { ...ticket, description: 'x'.repeat(LONGEST_DESCRIPTION + 1) }),
  ).toMatchObject(refused('description'));
  expect(await world.post('ticket/', { ...ticket, title: 'x'.repeat(255) })).toMatchObject({
    status: 201,
  });
  expect(await world.post('ticket/', { ...ticket, title: 'x'.repeat(256) })).toMatchObject(
    refused('title'),
  );
  expect(await world.post('ticket/', { ...ticket, bug_id: 'x'.repeat(4_097) })).toMatchObject(
    refused('bug_id'),
  );
});
