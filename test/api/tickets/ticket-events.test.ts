import type { Transaction } from 'sequelize';
import type { LandingPhase } from '../../../domain/landings/landing-phase.ts';
import { DEFAULT_LANDING_POLICY } from '../../../domain/landings/landing-policy.ts';
import { query } from '../../../models/sql/query.ts';
import { addBuild, addLanding, report } from '../../support/rows.ts';
import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);

type Event = { kind: string; at: string; ticket: string; subject: string; actor: string | null };
const events = async (query = '') =>
  (await api.now.call('GET', `/api/v1/ticketevent/?${query}`)).json as {
    meta: { total_count: number };
    objects: Event[];
  };
const kinds = async (query: string) => (await events(query)).objects.map(({ kind }) => kind);

describe('GET /api/v1/ticketevent/', () => {
  it('has what was done to tickets, the newest first, and finds it by who, what, when and which', async () => {
    const build = await addBuild(api.now.database);
    const { ticketId } = build;
    const other = await world.ticket();
    const link = { ticket: `/api/v1/ticket/${ticketId}/`, kind: 'bug', url: 'https://bugs.test/1' };
    const reference = await api.now.call('POST', '/api/v1/reference/', link);
    await world.patch(`ticket/${ticketId}/`, { current_workflow_step: 200, reason: 'next' });
    await api.now.call('POST', `/api/v1/build/${build.id}/cancel/`);
    await build.reload();

    const { objects, meta } = await events(`ticket=${ticketId}`);
    expect(meta.total_count).toBe(objects.length);
    expect(objects.slice(0, 3)).toMatchObject([
      { kind: 'cancellation', subject: `/api/v1/build/${build.id}/`, actor: 'anonymous' },
      {
        kind: 'step',
        subject: `/api/v1/ticket/${ticketId}/`,
        from_step: '100',
        to_step: '200',
        from_status: '100',
        to_status: '100',
      },
      {
        kind: 'link',
        to_status: null,
        subject: reference.json.resource_uri,
        actor: null,
        detail: 'bug https://bugs.test/1',
      },
    ]);
    expect(objects.map(({ at }) => at)).toEqual(
      objects
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
    expect(await kinds(`ticket=${other.id}`)).toEqual(['ticket']);
    expect(await kinds(`ticket=${ticketId}&actor=anonymous`)).toEqual(['cancellation', 'step']);
    expect(await kinds('actor=nobody')).toEqual([]);
    expect(await kinds(`kind=build&ticket=${ticketId}`)).toEqual(['build']);
    expect(await kinds('kind=artifact&actor=anonymous')).toEqual([]);
    const [, moved] = objects;
    expect(await kinds(`ticket=${ticketId}&since=${moved?.at}`)).toEqual(['cancellation', 'step']);
    expect(await kinds(`ticket=${ticketId}&until=${moved?.at}&limit=1`)).toEqual(['link']);
    expect(await kinds(`ticket=${ticketId}&limit=1&offset=1`)).toEqual(['step']);
  });

  it('has a retry under the name of who asked for it', async () => {
    const build = await addBuild(api.now.database);
    await report(api.now.database, build, 'FAILURE');
    await world.post(`build/${build.id}/retry/`, {});
    expect((await events(`ticket=${build.ticketId}&actor=anonymous`)).objects).toMatchObject([
      { kind: 'build', subject: `/api/v1/build/${build.id}/`, actor: 'anonymous' },
    ]);
  });

  it('has the landings, and what was decided of them', async () => {
    const landing = await addLanding(api.now.database);
    await landing.update({
      decision: { decision: 'approve', by: 'ann', comment: 'well tested' },
      decisionDeliveredAt: new Date(),
      cancelRequestedAt: new Date(),
      cancelRequestedBy: 'bob',
    } as never);
    const subject = `/api/v1/landing/${landing.id}/`;
    const found = (await events(`ticket=${landing.ticketId}`)).objects;
    for (const event of [
      { kind: 'landing', subject },
      { kind: 'decision', subject, actor: 'ann', detail: 'approve', reason: 'well tested' },
      { kind: 'cancellation', subject, actor: 'bob' },
    ])
      expect(found).toContainEqual(expect.objectContaining(event));
  });

  it('has what was asked and decided of a landing before it was tested again, and before it was retried', async () => {
    const { database } = api.now;
    const landing = await addLanding(database);
    const { id, ticketId } = landing;
    let reports = 0;
    const report = (phase: LandingPhase) =>
      database.LandingEvent.record({ landingId: id, attempt: 1, key: `${(reports += 1)}`, phase });
    const write = (how: (transaction: Transaction) => Promise<unknown>) =>
      database.sequelize.transaction(how);
    const decide = async (decision: 'approve' | 'reject', by: string) => {
      await report('approving');
      const decided = { decision, by, comment: `says ${by}` };
      await write((transaction) => database.Landing.decide(id, decided, transaction));
    };
    await decide('approve', 'ann');
    await (await landing.reload()).tellDecision(async () => undefined);
    await report('imaging');
    // Nobody has told the workflow of it: it has found it in its row.
    await decide('reject', 'bea');
    await write((transaction) =>
      database.Landing.requestCancellation(id, 'carl (request 7)', transaction),
    );
    await report('failed');
    const { objects } = await events(`ticket=${ticketId}&actor=bea`);
    expect(objects).toMatchObject([{ kind: 'decision', detail: 'reject' }]);
    const request = { policy: DEFAULT_LANDING_POLICY, requestedBy: 'dora', requestId: 'r' };
    await write((transaction) => database.Landing.retry(id, request, transaction));

    const subject = `/api/v1/landing/${id}/`;
    const found = (await events(`ticket=${ticketId}`)).objects.filter(
      (event) => event.subject === subject,
    );
    expect(found).toHaveLength(5);
    for (const event of [
      {
        kind: 'landing',
        actor: 'tests',
        detail: 'ppa:airline/silo to ~airline/debian/landed bookworm',
      },
      { kind: 'decision', actor: 'ann', detail: 'approve', reason: 'says ann' },
      { kind: 'decision', actor: 'bea', detail: 'reject', reason: 'says bea' },
      { kind: 'cancellation', actor: 'carl' },
      { kind: 'landing', actor: 'dora' },
    ])
      expect(found).toContainEqual(expect.objectContaining(event));
    expect(await kinds(`ticket=${ticketId}&actor=ann`)).toEqual(['decision']);
    expect((await events(`ticket=${ticketId}&actor=bea`)).objects).toMatchObject([
      { at: objects[0]?.at },
    ]);
  });

  it('reaches each event by going on before the last that it has shown, however many have one time', async () => {
    const { id } = await world.ticket();
    const add = (count: number, at: string) =>
      query(
        api.now.database.sequelize,
        `INSERT INTO ticket_reference (ticket_id, kind, url, created_at)
         SELECT $1, 'bug', 'https://bugs.test/', ${at} FROM generate_series(1, $2::integer) n`,
        [id, count],
      );
    await add(600, 'now()');
    // Of these each has a time of its own, in one and the same millisecond.
    await add(900, "'2026-01-01T00:00:00Z'::timestamptz + n * interval '1 microsecond'");
    await add(1200, "'2025-12-31T00:00:00Z'");
    const rounds: number[] = [];
    const seen = new Set<string>();
    for (let until = ''; ;) {
      const pageAt = async (offset: number) =>
        (await events(`kind=link&ticket=${id}&limit=1000&offset=${offset}${until}`)).objects;
      const found = [...(await pageAt(0)), ...(await pageAt(1000))];
      const last = found.at(-1);
      if (last === undefined) break;
      rounds.push(found.length);
      for (const { subject } of found) seen.add(subject);
      until = `&until=${last.at}`;
    }
    expect({ rounds, seen: seen.size }).toEqual({ rounds: [1500, 1200], seen: 2700 });
  });

  it('has what came at one time in one order', async () => {
    const { id } = await world.ticket();
    const person = await world.person();
    // As a bundle makes them, on a new service.
    await query(
      api.now.database.sequelize,
      `WITH o AS (INSERT INTO ticket_owner (id, ticket_id, person_id) VALUES (900001, $1, $2)),
        p AS (INSERT INTO ticket_ppa (id, ticket_id, ppa) VALUES (900001, $1, 'ppa:airline/one'))
      INSERT INTO ticket_reference (id, ticket_id, kind, url) VALUES (900001, $1, 'bug', 'https://bugs.test/1')`,
      [id, person.id],
    );
    expect((await events(`kind=link&ticket=${id}`)).objects.map(({ subject }) => subject)).toEqual(
      ['reference', 'ticketowner', 'ticketppa'].map((of) => `/api/v1/${of}/900001/`),
    );
  });

  it.each(['ticket=x', 'kind=edit', 'since=yesterday', 'until=now', `actor=${'x'.repeat(301)}`])(
    'refuses %s',
    async (query) => {
      expect((await api.now.call('GET', `/api/v1/ticketevent/?${query}`)).status).toBe(400);
    },
  );
});
