import { useApi, type Answer } from './serve.ts';

const api = useApi();

const get = (path: string) => api.now.call('GET', path);
const add = async (name: string): Promise<number> => {
  const answer = await api.now.call('POST', '/api/v1/sourcepackage/', { name });
  expect(answer.status).toBe(201);
  return answer.json.id;
};
const remove = async (id: number) => {
  expect((await api.now.call('DELETE', `/api/v1/sourcepackage/${id}/`)).status).toBe(204);
};
const idsOf = (answer: Answer): number[] => answer.json.objects.map(({ id }: { id: number }) => id);

/** Follows a list to its end. @returns the ids of each page, and what `between` did was done after each */
async function walk(path: string, between: () => Promise<void> = async () => {}) {
  const pages: number[][] = [];
  for (let next: string | null = path; next !== null;) {
    const answer: Answer = await get(next);
    expect({ next, status: answer.status }).toEqual({ next, status: 200 });
    pages.push(idsOf(answer));
    next = answer.json.meta.next;
    expect(pages.length).toBeLessThan(100);
    await between();
  }
  return pages;
}

const all: number[] = [];
beforeAll(async () => {
  for (let index = 0; index < 30; index++) all.push(await add(`paged-${index}`));
});

describe('a cursor', () => {
  it('takes a caller through every row, in pages of one size', async () => {
    const pages = await walk('/api/v1/sourcepackage/?cursor=&limit=7');
    expect(pages.flat()).toEqual(all);
    expect(pages.map(({ length }) => length)).toEqual([7, 7, 7, 7, 2]);
  });

  it('ends where the last page is full', async () => {
    expect((await walk('/api/v1/sourcepackage/?cursor=&limit=10')).flat()).toEqual(all);
  });

  it('goes downwards, and keeps the filters', async () => {
    const path = '/api/v1/sourcepackage/?cursor=&limit=4&order_by=-id&name__startswith=paged-1';
    const expected = all.filter((_, index) => index === 1 || (index >= 10 && index < 20));
    expect((await walk(path)).flat()).toEqual(expected.toReversed());
  });

  it.each([
    ['id', ''],
    ['-id', '&order_by=-id'],
  ])('visits every row once by %s while others come and go', async (_order, order) => {
    const passing: number[] = [];
    let made = 0;
    const pages = await walk(`/api/v1/sourcepackage/?cursor=&limit=5${order}`, async () => {
      // Rows before and behind the cursor go, new ones come; an offset would skip and repeat some.
      for (const id of passing.splice(0, 2)) await remove(id);
      // Upwards the walk would never end if rows came as fast as it goes.
      if (made < 12)
        for (let index = 0; index < 3; index++, made++)
          passing.push(await add(`passing${order}-${made}`));
    });
    const visited = pages.flat();
    expect(new Set(visited).size).toBe(visited.length);
    expect(all.filter((id) => !visited.includes(id))).toEqual([]);
    expect(made).toBe(12);
    for (const id of passing) await remove(id);
  });

  it('says how many there are in all, and leads on by the Link header, too', async () => {
    const first = await get('/api/v1/sourcepackage/?limit=7&cursor=');
    expect(first.json.meta).toEqual({
      limit: 7,
      offset: 0,
      next: expect.stringMatching(/^\/api\/v1\/sourcepackage\/\?limit=7&cursor=[\w-]+$/),
      previous: null,
      total_count: all.length,
    });
    expect(first.headers.get('link')).toBe(`<${first.json.meta.next}>; rel="next"`);
    expect((await get(first.json.meta.next)).json.meta.total_count).toBe(all.length);
  });

  it.each([
    ['cursor=nonsense', 'The cursor is none that this list gave.'],
    ['cursor=aWQ6LTE', 'The cursor is none that this list gave.'],
    ['cursor=aWQ6OTk5OTk5OTk5OTk5', 'The cursor is none that this list gave.'],
    ['cursor=&order_by=name', 'A cursor goes by the id: leave order_by out, or give id or -id.'],
    [
      'cursor=&order_by=id&order_by=name',
      'A cursor goes by the id: leave order_by out, or give id or -id.',
    ],
  ])('is refused: %s', async (query, error) => {
    const answer = await get(`/api/v1/sourcepackage/?${query}`);
    expect(answer).toMatchObject({ status: 400, json: { error, code: 'invalid_field' } });
  });
});

describe('an offset', () => {
  it('takes a caller through every row, forth and back', async () => {
    const pages = await walk('/api/v1/sourcepackage/?limit=7');
    expect(pages.flat()).toEqual(all);
    const last = await get('/api/v1/sourcepackage/?limit=7&offset=28');
    expect(last.json.meta).toMatchObject({
      next: null,
      previous: expect.stringMatching(/offset=21$/),
    });
    expect(last.headers.get('link')).toBe(`<${last.json.meta.previous}>; rel="prev"`);
    const middle = await get('/api/v1/sourcepackage/?limit=7&offset=7');
    expect(middle.headers.get('link')).toBe(
      `<${middle.json.meta.next}>; rel="next", <${middle.json.meta.previous}>; rel="prev"`,
    );
  });

  it('has no previous page where it is less than the limit, as in Tastypie', async () => {
    const { meta } = (await get('/api/v1/sourcepackage/?limit=7&offset=3')).json;
    expect(meta).toMatchObject({ offset: 3, previous: null });
    expect(meta.next).toBe('/api/v1/sourcepackage/?limit=7&offset=10');
  });

  it('beyond the end gives no objects and the right count', async () => {
    const answer = await get('/api/v1/sourcepackage/?offset=500');
    expect(answer.json).toMatchObject({
      meta: { next: null, total_count: all.length },
      objects: [],
    });
  });

  it('keeps every parameter of the query, those with several values and signs included', async () => {
    const query =
      'name__in=paged-1&name__in=paged-2,paged-3&order_by=-name&order_by=id&x=a%26b%20%C3%A9';
    const { meta } = (await get(`/api/v1/sourcepackage/?${query}&limit=1&offset=1`)).json;
    const parameters = (link: string) => [...new URL(link, api.now.url).searchParams.entries()];
    const kept = [
      ['name__in', 'paged-1'],
      ['name__in', 'paged-2,paged-3'],
      ['order_by', '-name'],
      ['order_by', 'id'],
      ['x', 'a&b é'],
    ];
    expect(parameters(meta.next)).toEqual([...kept, ['limit', '1'], ['offset', '2']]);
    expect(parameters(meta.previous)).toEqual([...kept, ['limit', '1'], ['offset', '0']]);
  });
});
