import { call } from './call.ts';

const change = (seq: number, subticket: string | null, step: string) => ({
  seq,
  ticket: '/api/v1/ticket/7/',
  subticket,
  from_step: '100',
  to_step: step,
  actor: 'ann',
  reason: '',
  created_at: '2026-01-01T00:00:00.000Z',
});

/** A server that gives a history by pages of two changes. */
function historyServer(changes: readonly ReturnType<typeof change>[]) {
  const asked: string[] = [];
  return {
    asked,
    fetch: (async (...given) => {
      const { pathname, search, searchParams } = new URL(new Request(...given).url);
      asked.push(pathname + search);
      const left = changes.filter(({ seq }) => seq > Number(searchParams.get('after') ?? 0));
      return Response.json({
        meta: {
          limit: 2,
          offset: 0,
          total_count: left.length,
          next: left.length > 2 ? 'more' : null,
          previous: null,
        },
        objects: left.slice(0, 2),
      });
    }) satisfies typeof fetch,
  };
}

describe.each([
  ['ticket', '7'],
  ['subticket', '9'],
])('airline %s history', (kind, id) => {
  const CHANGES = [1, 2, 3, 4, 5].map((seq) => change(seq, null, seq < 5 ? '200' : '1000'));

  it('prints every change, however many pages they are', async () => {
    const server = historyServer(CHANGES);
    const { code, stdout } = await call([kind, 'history', id, '--json'], server);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      meta: { limit: 5, offset: 0, total_count: 5, next: null, previous: null },
      objects: CHANGES,
    });
    expect(server.asked).toHaveLength(3);
  });

  it('gives a page that is the only one as it came', async () => {
    const { stdout } = await call([kind, 'history', id, '--json'], historyServer([]));
    expect(JSON.parse(stdout)).toMatchObject({ meta: { limit: 2, total_count: 0 }, objects: [] });
  });
});

test('airline ticket history --quiet prints the steps of the ticket, not of its subtickets', async () => {
  const server = historyServer([
    change(1, null, '200'),
    change(2, '/api/v1/subticket/9/', '400'),
    change(3, null, '300'),
    change(4, '/api/v1/subticket/9/', '1000'),
  ]);
  expect((await call(['ticket', 'history', '7', '--quiet'], server)).stdout).toBe('200\n300\n');
  expect((await call(['ticket', 'history', '7'], server)).stdout).toContain('subticket 9');
});
