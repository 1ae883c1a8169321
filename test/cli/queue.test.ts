import { call, slowTime } from './call.ts';

const FINISHED = '2026-01-01T00:00:00.000Z';

/** A server of builds that report to one queue, as they stand at each poll. */
function queueServer(polls: readonly { attempt: number; finished_at: string | null }[][]) {
  const asked: string[][] = [];
  return {
    /** Of each poll, which builds' events were read. */
    asked,
    fetch: (async (...given) => {
      given[1]?.signal?.throwIfAborted();
      const { pathname, searchParams } = new URL(new Request(...given).url);
      if (pathname === '/api/v1/build/') {
        const now = polls[asked.length] ?? polls.at(-1) ?? [];
        asked.push([]);
        return Response.json({ objects: now.map((one, at) => ({ id: at + 1, ...one })) });
      }
      asked.at(-1)?.push(`${pathname.split('/')[4]} after ${searchParams.get('after')}`);
      return Response.json({ meta: { next: null }, objects: [] });
    }) satisfies typeof fetch,
  };
}

describe('airline queue tail --follow', () => {
  it('reads no more of a build that has ended, until it is retried', async () => {
    const ended = { attempt: 1, finished_at: FINISHED };
    const running = { attempt: 1, finished_at: null };
    const retried = { attempt: 2, finished_at: null };
    const again = { attempt: 2, finished_at: FINISHED };
    const server = queueServer([
      [ended, running],
      [ended, running],
      [ended, ended],
      [ended, ended],
      [retried, ended],
      [again, ended],
      [again, ended],
    ]);
    const interruption = new AbortController();
    const time = slowTime();
    await call(['queue', 'tail', 'lander', '--follow'], {
      fetch: server.fetch,
      ...time,
      interruption: interruption.signal,
      sleep: async (ms) => {
        if (server.asked.length === 7) interruption.abort();
        return time.sleep(ms);
      },
    });
    expect(server.asked).toEqual([
      ['2 after 0', '1 after 0'],
      ['2 after 0'],
      ['2 after 0'],
      [],
      ['1 after 0'],
      ['1 after 0'],
      [],
    ]);
  });
});

describe('airline queue tail, of a landing', () => {
  it('says that the messages of the landing itself are elsewhere', async () => {
    const { code, stderr } = await call(['queue', 'tail', 'my-landings'], queueServer([[]]));
    expect(code).toBe(0);
    expect(stderr).toContain('No build reports to the queue my-landings.');
    expect(stderr).toContain('`airline landing watch`');
    expect((await call(['queue', 'tail', '--help'])).stdout).toContain('`airline landing watch`');
  });
});
