import { verifyChanges } from '../../../models/tickets/status-change.ts';
import { createWorld, stepOf } from '../../support/world.ts';
import { useApi, type Answer } from '../serve.ts';

// Some scenarios send hundreds of requests, each of which waits for a processor that other tests have.
jest.setTimeout(600_000);

const api = useApi();
const world = createWorld(api);

const CLIENTS = 20;
const STEPS = [100, 200, 300, 400, 500, 999, 1000] as const;

type Change = { seq: number } & Record<
  'from_step' | 'to_step' | 'from_status' | 'to_status' | 'request_id',
  string
>;

const { get, patch, post } = world;
const statuses = (answers: readonly Answer[]) =>
  [...new Set(answers.map(({ status }) => status))].toSorted((one, other) => one - other);
const revisionOf = (headers: Headers) => Number(/^"(\d+)-/.exec(headers.get('etag') ?? '')?.[1]);

const parts = (count: number) => Array.from({ length: count }, (_, index) => `part-${index}`);
const changesOf = async (path: string): Promise<Change[]> =>
  (await get(`${path}history/`)).json.objects;

/**
 * Runs requests from several clients at once, each with one request at a time. One that has waited too long for a
 * connection to the database, as on a busy machine, is sent again.
 */
async function fromClients(requests: readonly (() => Promise<Answer>)[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  const waiting = [...requests.entries()];
  const client = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [place, send] = next;
      do answers[place] = await send();
      while (answers[place].status === 503);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return answers;
}

/** Each change begins where the one before it ended, the last one where the row stands now. */
async function expectLinked(path: string, changes: readonly Change[]): Promise<void> {
  for (const [index, { from_step, from_status }] of changes.entries()) {
    const before = changes[index - 1] ?? { to_step: '100', to_status: '100' };
    expect([from_step, from_status]).toEqual([before.to_step, before.to_status]);
  }
  const last = changes.at(-1);
  expect((await get(path)).json).toMatchObject({
    current_workflow_step: last?.to_step ?? '100',
    status: last?.to_status ?? '100',
  });
}

async function expectIntactChains(): Promise<void> {
  expect((await verifyChanges(api.now.database.sequelize, 10)).broken).toEqual([]);
}

describe('two hundred PATCHes of one ticket from twenty clients', () => {
  it('lose no row of its history, whose end is where the ticket stands', async () => {
    const { id } = await world.ticket();
    const answers = await fromClients(
      Array.from({ length: 200 }, (_, index) => () => {
        const to = stepOf(STEPS[index % STEPS.length] ?? 100, STEPS[(index * 3) % STEPS.length]);
        return patch(`updateticketstatus/${id}/`, to, { 'x-request-id': `patch-${index}` });
      }),
    );
    expect(statuses(answers)).toEqual([202]);
    const changes = await changesOf(`ticket/${id}/`);
    expect(changes.map(({ seq }) => seq)).toEqual(changes.map((_, index) => index + 1));
    await expectLinked(`ticket/${id}/`, changes);
    // A PATCH has no row only where the ticket stood there already.
    const byRequest = new Map(changes.map((change) => [change.request_id, change]));
    expect(byRequest.size).toBe(changes.length);
    for (const [index, { json, headers }] of answers.entries()) {
      const change = byRequest.get(`patch-${index}`);
      expect([json.current_workflow_step, json.status]).toEqual([
        String(STEPS[index % STEPS.length]),
        String(STEPS[(index * 3) % STEPS.length]),
      ]);
      if (change)
        expect([change.to_step, change.to_status]).toEqual([
          json.current_workflow_step,
          json.status,
        ]);
      else {
        // The answer that has the ETag before this one's left the ticket there.
        const revision = revisionOf(headers) - 1;
        const before = answers.find((answer) => revisionOf(answer.headers) === revision);
        expect(before?.json ?? stepOf(100)).toMatchObject({
          current_workflow_step: json.current_workflow_step,
          status: json.status,
        });
      }
    }
    await expectIntactChains();
  });

  it('count every one of them in the ETag', async () => {
    const { id } = await world.ticket();
    const answers = await fromClients(
      Array.from(
        { length: 200 },
        (_, index) => () => patch(`ticket/${id}/`, { title: `${index}` }),
      ),
    );
    expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(200);
    expect(revisionOf((await get(`ticket/${id}/`)).headers)).toBe(201);
  });
});

describe('fifty subtickets', () => {
  it('that finish at once take their ticket along, with no deadlock', async () => {
    const { id, subtickets } = await world.ticketOf(...parts(50));
    for (const value of [300, 1000]) {
      const answers = await Promise.all(
        subtickets.map((one: { id: number }) =>
          patch(`updatesubticketstatus/${one.id}/`, stepOf(value)),
        ),
      );
      expect(statuses(answers)).toEqual([202]);
      expect((await get(`ticket/${id}/`)).json).toMatchObject(stepOf(value));
    }
    const changes = await changesOf(`ticket/${id}/`);
    expect(changes.map(({ to_step }) => to_step)).toEqual(['300', '1000']);
    // The chain has two changes of each subticket, and each roll-up right behind the last of its step.
    expect(changes.map(({ seq }) => seq)).toEqual([51, 102]);
    await expectIntactChains();
  });

  it('of which one fails at once with the others fail their ticket', async () => {
    const { id, subtickets } = await world.ticketOf(...parts(50));
    const answers = await Promise.all(
      subtickets.map((one: { id: number }, index: number) =>
        patch(`updatesubticketstatus/${one.id}/`, stepOf(index === 30 ? 999 : 500)),
      ),
    );
    expect(statuses(answers)).toEqual([202]);
    expect((await get(`ticket/${id}/`)).json).toMatchObject(stepOf(999));
    await expectIntactChains();
  });

  it('and their ticket, changed at once and in every way, end without a deadlock', async () => {
    const { id, subtickets } = await world.ticketOf(...parts(10));
    const answers = await fromClients(
      Array.from({ length: 200 }, (_, index) => () => {
        const to = stepOf(STEPS[(index + Math.floor(index / 10)) % 5] ?? 100);
        const one = subtickets[index % subtickets.length].id;
        switch (index % 6) {
          case 0:
            return patch(`updateticketstatus/${id}/`, to);
          case 1:
            return patch(`subticket/${one}/`, { assignee: `dev-${index}@example.org` });
          case 2:
            return patch(`ticket/${id}/`, { title: `Title ${index}`, ...to });
          case 3:
            return patch(`updatesubticketstatus/${one}/`, to, {
              'idempotency-key': `mix-${index}`,
            });
          case 4:
            return patch('subticket/', {
              objects: [
                { resource_uri: `/api/v1/subticket/${one}/`, ...to },
                { resource_uri: `/api/v1/subticket/${subtickets[0].id}/`, ...to },
              ],
            });
          default:
            return patch(`updatesubticketstatus/${one}/`, to);
        }
      }),
    );
    expect(statuses(answers)).toEqual([202]);
    await expectLinked(`ticket/${id}/`, await changesOf(`ticket/${id}/`));
    for (const one of subtickets)
      await expectLinked(`subticket/${one.id}/`, await changesOf(`subticket/${one.id}/`));
    await expectIntactChains();
  });
});

describe('lists that change the same rows in another order at once', () => {
  it('are all done: whoever has to give way begins again', async () => {
    const [one, two] = [await world.ticket(), await world.ticket()];
    const objects = (uris: readonly string[], title: string) =>
      uris.map((uri) => ({ resource_uri: uri, title }));
    const uris = [one, two].map(({ id }) => `/api/v1/ticket/${id}/`);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        patch('ticket/', {
          objects: objects(index % 2 === 0 ? uris : uris.toReversed(), `Title ${index}`),
        }),
      ),
    );
    expect(statuses(answers)).toEqual([202]);
    const titles = await Promise.all(
      uris.map(async (uri) => (await api.now.call('GET', uri)).json.title),
    );
    expect(titles[0]).toBe(titles[1]);
  });
});

describe('a full ticket', () => {
  it('is whole, however its parts come and go while it is read', async () => {
    const { id, resource_uri: ticket } = await world.ticket();
    let isChanging = true;
    let reads = 0;
    const reading = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (isChanging) {
          const answer = await get(`fullticket/${id}/`);
          expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
          for (const { source_package_upload: upload } of answer.json.subtickets)
            expect(upload.sourcepackage.name).toMatch(/^passing-/);
          reads += 1;
        }
      }),
    );
    try {
      for (let round = 0; round < 40; round++) {
        const sourcepackage = { name: `passing-${round}` };
        const subticket = await post('subticket/', {
          ticket,
          source_package_upload: { sourcepackage, version: '1' },
        });
        expect(subticket.status).toBe(201);
        const { resource_uri: uri, source_package_upload: upload } = subticket.json;
        const source = (await api.now.call('GET', upload)).json.sourcepackage;
        for (const part of [uri, upload, source])
          expect((await api.now.call('DELETE', part)).status).toBe(204);
      }
    } finally {
      isChanging = false;
      await reading;
    }
    expect(reads).toBeGreaterThan(40);
  });
});

describe('If-Match', () => {
  it('lets exactly one of twenty clients with the same ETag win', async () => {
    const { id } = await world.ticketOf('hello');
    for (const path of [`ticket/${id}/`, `updateticketstatus/${id}/`]) {
      const etag = (await get(`ticket/${id}/`)).headers.get('etag') ?? '';
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          patch(path, { status: STEPS[1 + (index % 5)] }, { 'if-match': etag }),
        ),
      );
      expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
      expect(statuses(answers)).toEqual([202, 412]);
    }
  });
});
