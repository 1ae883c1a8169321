import { createWorld, stepOf } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);
const get = (path: string) => api.now.call('GET', path);
const SOURCES = '/api/v1/sourcepackage/';
let names = 0;
const add = async (prefix: string): Promise<number> => {
  return (await world.sourcePackage({ name: `${prefix}-${(names += 1)}` })).id;
};
const addSome = async (prefix: string, count: number) => {
  const ids = [];
  for (let index = 0; index < count; index++) ids.push(await add(prefix));
  return ids;
};
const remove = async (id: number) =>
  expect((await api.now.call('DELETE', `${SOURCES}${id}/`)).status).toBe(204);

/** Follows `meta.next` to the end, and does what is asked after each page. */
async function follow(first: string, after: (page: number) => Promise<unknown> = async () => {}) {
  const seen: number[] = [];
  let pages = 0;
  for (let next: string | null = first; next !== null;) {
    const answer = await get(next);
    expect({ next, status: answer.status }).toEqual({ next, status: 200 });
    seen.push(...answer.json.objects.map(({ id }: { id: number }) => id));
    next = answer.json.meta.next;
    await after((pages += 1));
    expect(pages).toBeLessThan(100);
  }
  return { seen, pages };
}

describe('paging by offset', () => {
  it('leads through every row, forwards and backwards', async () => {
    const ids = await addSome('offset', 5);
    const query = 'name__startswith=offset&order_by=-id';
    const forwards = await follow(`${SOURCES}?${query}&limit=2`);
    expect(forwards).toEqual({ seen: ids.toReversed(), pages: 3 });
    const last = (await get(`${SOURCES}?${query}&limit=2&offset=4`)).json;
    expect(last.meta.next).toBeNull();
    const middle = (await get(last.meta.previous)).json;
    const first = (await get(middle.meta.previous)).json;
    expect(first.meta).toMatchObject({ offset: 0, previous: null, total_count: 5 });
  });

  it('gives its neighbours in the Link header, too', async () => {
    await addSome('linked', 5);
    const path = (offset: number) => `${SOURCES}?name__startswith=linked&limit=2&offset=${offset}`;
    const link = async (offset: number) => (await get(path(offset))).headers.get('link');
    expect(await link(0)).toBe(`<${path(2)}>; rel="next"`);
    expect(await link(2)).toBe(`<${path(4)}>; rel="next", <${path(0)}>; rel="prev"`);
    expect(await link(4)).toBe(`<${path(2)}>; rel="prev"`);
    expect((await get(`${SOURCES}?name=none such`)).headers.get('link')).toBeNull();
  });

  it('leaves out the Link header where it would be too large for many programs', async () => {
    await addSome('unlinked', 3);
    const asked = Array.from({ length: 400 }, (_, index) => `unlinked-${index}`);
    const list = `${SOURCES}?name__startswith=unlinked&name__in=${asked.join(',')}&limit=1&offset=1`;
    const { headers, json } = await get(list);
    expect(headers.has('link')).toBe(false);
    expect((await get(json.meta.next)).json.objects).toHaveLength(1);
    expect((await get(json.meta.previous)).json.objects).toHaveLength(1);
  });

  it('leads through more rows than are counted, and ends with the last', async () => {
    await api.now.database.sequelize.query(
      "INSERT INTO source_package (name) SELECT 'many-' || number FROM generate_series(1, 11000) number",
    );
    const query = `${SOURCES}?name__startswith=many-&limit=1000`;
    const { json: first } = await get(query);
    expect(first.meta.total_count).toBeGreaterThan(10_000);

    const { seen, pages } = await follow(query);
    expect([new Set(seen).size, seen.length]).toEqual([11_000, 11_000]);
    expect(pages).toBeLessThanOrEqual(12);
    const last = (await get(`${query}&offset=10500`)).json;
    expect(last.meta).toMatchObject({ total_count: 11_000, next: null });
    expect((await get(`${query}&offset=20000`)).json).toMatchObject({
      objects: [],
      meta: { next: null },
    });
    expect((await follow(`${query}&cursor=`)).seen).toHaveLength(11_000);
  });

  it('gives an empty page with the count past the end', async () => {
    await addSome('past', 2);
    const { meta, objects } = (await get(`${SOURCES}?name__startswith=past&offset=50`)).json;
    expect(objects).toEqual([]);
    expect(meta).toMatchObject({ total_count: 2, next: null });
    expect((await get(`${SOURCES}?offset=2147483647`)).json.objects).toEqual([]);
    expect((await get(`${SOURCES}?offset=99999999999`)).status).toBe(400);
  });

  it('keeps what the query says in its links, however it is written', async () => {
    await addSome('a b&c=ü%', 3);
    const query = new URLSearchParams([
      ['name__startswith', 'a b&c=ü%'],
      ['order_by', '-name'],
      ['order_by', 'id'],
      ['limit', '1'],
    ]);
    expect((await follow(`${SOURCES}?${query.toString()}`)).seen).toHaveLength(3);
  });
});

describe('paging by cursor', () => {
  it.each(['', '&order_by=id', '&order_by=-id'])(
    'visits every row exactly once%s, while others come and go',
    async (order) => {
      const prefix = `cursor${order.length}`;
      const ids = await addSome(prefix, 11);
      const isDown = order.endsWith('-id');
      const expected = isDown ? ids.toReversed() : ids;
      const query = `name__startswith=${prefix}-${order}&limit=3&cursor=`;
      const added: number[] = [];
      const { seen } = await follow(`${SOURCES}?${query}`, async (page) => {
        if (page > 3) return;
        // One that the caller has seen goes: by offset, another would now be skipped.
        await remove(expected[(page - 1) * 3] ?? 0);
        added.push(await add(prefix));
      });
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => ids.includes(id))).toEqual(expected);
      // New ones stand at the end of the ids: who goes downwards has passed them.
      expect(seen.filter((id) => !ids.includes(id))).toEqual(isDown ? [] : added);
    },
  );

  it('does not go on from a row that has gone meanwhile', async () => {
    const ids = await addSome('gone', 4);
    const first = (await get(`${SOURCES}?name__startswith=gone-&limit=2&cursor=`)).json;
    await remove(ids[1] ?? 0);
    await remove(ids[2] ?? 0);
    const second = (await get(first.meta.next)).json;
    expect(second.objects).toMatchObject([{ id: ids[3] }]);
    expect(second.meta.next).toBeNull();
  });

  it('has a count, no page before, and an end even where the last page is full', async () => {
    await addSome('full', 4);
    const first = await get(`${SOURCES}?name__startswith=full-&limit=2&cursor=`);
    expect(first.json.meta).toMatchObject({ total_count: 4, previous: null, limit: 2 });
    expect(first.headers.get('link')).toBe(`<${first.json.meta.next}>; rel="next"`);
    expect((await follow(`${SOURCES}?name__startswith=full-&limit=2&cursor=`)).seen).toHaveLength(
      4,
    );
  });

  it.each([
    ['cursor=nonsense', 'The cursor is not one that this list gave.'],
    ['cursor=aWQ6LTE', 'The cursor is not one that this list gave.'],
    ['cursor=aWQ6OTk5OTk5OTk5OTk', 'The cursor is not one that this list gave.'],
    [
      'cursor=&order_by=name',
      'Pages by cursor are in the order of the id: leave order_by out, or give id or -id.',
    ],
    [
      'cursor=&order_by=id&order_by=name',
      'Pages by cursor are in the order of the id: leave order_by out, or give id or -id.',
    ],
  ])('refuses %s', async (query, error) => {
    const answer = await get(`${SOURCES}?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ error, code: 'invalid_field' });
  });

  it('goes through tickets that are open, as their lists do', async () => {
    const ids = [];
    for (let index = 0; index < 4; index++) ids.push((await world.ticket()).id);
    await world.patch(`updateticketstatus/${ids[1]}/`, stepOf(999));
    for (const list of ['ticket', 'opentickets'])
      expect((await follow(`/api/v1/${list}/?limit=1&cursor=`)).seen).toEqual([
        ids[0],
        ids[2],
        ids[3],
      ]);
  });
});

describe('a list that has one order', () => {
  it.each([
    'build/1/events/',
    'landing/1/events/',
    'ticket/1/history/',
    'subticket/1/history/',
    'ticketevent/',
    'token/',
    'webhook/1/deliveries/',
  ])('refuses another, rather than give what was not asked for: %s', async (path) => {
    for (const order of ['order_by=id', 'order_by=-seq', 'order_by=']) {
      const answer = await get(`/api/v1/${path}?${order}`);
      expect(answer.status).toBe(400);
      expect(answer.json).toMatchObject({
        code: 'invalid_field',
        error: 'This list has one order: leave order_by out.',
      });
    }
  });

  it.each([
    'build/1/events/',
    'landing/1/events/',
    'ticket/1/history/',
    'subticket/1/history/',
    'packagestatistics/',
    'ticketevent/',
    'token/',
    'webhook/',
    'webhook/1/deliveries/',
  ])('refuses a cursor, which would begin anew at each page: %s', async (path) => {
    const answer = await get(`/api/v1/${path}?cursor=`);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      code: 'invalid_field',
      error: 'This list has no cursor: leave it out.',
    });
  });
});
