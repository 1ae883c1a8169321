import { call, jsonLines, slowTime } from './call.ts';
import { json, useScript, type Answer } from './script-server.ts';

const problem = (status: number, code: string, detail: string) =>
  json(status, { code, detail, status, hint: 'What to do.', instance: 'urn:airline:request:1' });
const CANCELLED = json(202, { id: 13, phase: 'building' });

describe('a command for several builds, one of which refuses', () => {
  const server = useScript();
  const cancel = (...more: string[]) =>
    call(['build', 'cancel', '12', '13', ...more], { env: server.environment });
  beforeEach(() => server.play(problem(409, 'conflict', 'It has ended.'), CANCELLED));

  it('says which, why and what to do, and goes on', async () => {
    const { code, stdout, stderr } = await cancel();
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: 'airline: Build 12: It has ended.\n  → What to do.\n',
    });
    expect(stdout).toContain('Build 13 is being cancelled.');
  });

  it('is not silent with --quiet', async () => {
    expect((await cancel('--quiet')).stderr).toContain('Build 12: It has ended.');
  });

  it('is one JSON object for each with --json', async () => {
    const { stdout, stderr } = await cancel('--json');
    expect(jsonLines(stderr)).toEqual([
      {
        error: {
          code: 'conflict',
          exit: 5,
          message: 'Build 12: It has ended.',
          hint: 'What to do.',
          details: [],
        },
      },
    ]);
    expect(jsonLines(stdout)).toMatchObject([{ id: 13 }]);
  });
});

describe('a command that waits for several builds', () => {
  const server = useScript();
  const AT = '2026-01-01T00:00:00.000Z';
  const hangs: Answer = () => undefined;
  const ended: Answer = (_, response) => response.writeHead(204).end();
  const failure = { class: 'build_failed', retryable: false, message: 'no', hint: 'look' };

  /** What comes of the builds' POST, and of the streams and the number of their events, by id; all else is answered. */
  const play = (builds: Partial<Record<'follow' | 'ask' | 'count', Record<number, Answer>>>) =>
    server.play((request, response) => {
      const path = request.url ?? '';
      const id = Number(/\/build\/(\d+)/.exec(path)?.[1]);
      const row = { id, attempt: 2, failure: id === 13 ? failure : null, builds: [], logs: [] };
      const answer =
        request.method === 'POST'
          ? (builds.ask?.[id] ?? json(202, row))
          : path.endsWith('/events/')
            ? (builds.follow?.[id] ?? ended)
            : path.includes('/events/?') && builds.count?.[id]
              ? builds.count[id]
              : json(200, { ...row, finished_at: AT, meta: { total_count: 0 }, objects: [] });
      answer(request, response);
    });
  const asked = () =>
    server.requests.flatMap(({ method, path }) => (method === 'POST' ? [path.split('/')[4]] : []));
  const run = (line: string, world: Parameters<typeof call>[1] = {}) =>
    call(`build ${line}`.split(' '), { env: server.environment, ...slowTime(), ...world });

  it.each(['cancel', 'retry'])(
    '%s asks for all before it waits, and at Ctrl-C names those that it waits for',
    async (verb) => {
      const interruption = new AbortController();
      play({ follow: { 12: () => interruption.abort() } });
      const { code, stderr } = await run(`${verb} 12 13 14 --wait`, {
        interruption: interruption.signal,
      });
      expect({ code, asked: asked() }).toEqual({ code: 130, asked: ['12', '13', '14'] });
      expect(stderr).toContain('`airline build watch 12` comes back to it');
      expect(stderr).toContain('The same is true of each of these that has not ended: 13, 14.');
    },
  );

  it('names them where the server goes, too', async () => {
    const away: Answer = (request) => request.socket.destroy();
    play({ follow: { 12: away } });
    const { code, stderr } = await run('cancel 12 13 --wait');
    expect({ code, asked: asked() }).toEqual({ code: 6, asked: ['12', '13'] });
    expect(stderr).toContain('The same is true of each of these that has not ended: 13.');
  });

  it('has one time for all of them', async () => {
    const time = slowTime();
    const endsLate: Answer = (request, response) => {
      time.pass(60_000);
      ended(request, response);
    };
    play({ follow: { 12: endsLate, 13: hangs, 14: hangs } });
    const { code, stderr } = await run('retry 12 13 14 --wait --timeout 1m', time);
    expect(code).toBe(7);
    expect(stderr).toBe(
      'airline: Not finished within 1 min.\n' +
        '  → Build 13 goes on. `airline build watch 13` comes back to it, `airline build cancel 13` ends it. ' +
        'The same is true of each of these that has not ended: 14.\n',
    );
  });

  it('says which build it shows, and ends with the code of the first that did not go well', async () => {
    play({});
    const { code, stdout } = await run('retry 12 13 14 --wait');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^Build 12 is retried: attempt 2\.\nBuild 13 .+\nBuild 14 .+\n\nBuild 12\n\n✓ Build 12 is complete\./,
    );
    expect(stdout).toContain('\n\nBuild 13\n\n✗ Build 13 failed');
    expect(stdout).toContain('\n\nBuild 14\n\n✓ Build 14 is complete.');
  });

  it('waits for those that were not refused', async () => {
    play({ ask: { 12: problem(409, 'conflict', 'It has ended.') } });
    const { code, stdout, stderr } = await run('retry 12 14 --wait');
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: 'airline: Build 12: It has ended.\n  → What to do.\n',
    });
    expect(stdout).toContain('✓ Build 14 is complete.');
  });

  it('says which were not asked where it is interrupted before', async () => {
    const interruption = new AbortController();
    play({ ask: { 13: () => interruption.abort() } });
    const { code, stderr } = await run('cancel 12 13 14 15', { interruption: interruption.signal });
    expect({ code, asked: asked() }).toEqual({ code: 130, asked: ['12', '13'] });
    expect(stderr).toContain('It is not known whether build 13 was asked. Not asked: 14, 15.');
  });

  it('names those that were asked, too, where it is interrupted before it waits', async () => {
    const interruption = new AbortController();
    play({ ask: { 13: () => interruption.abort() } });
    const { stderr } = await run('retry 12 13 14 --wait', { interruption: interruption.signal });
    expect(stderr).toContain(
      'It is not known whether build 13 was asked. Not asked: 14. Not waited for: 12.',
    );
  });

  it('knows that it has not asked a build whose events it could not count', async () => {
    const away: Answer = (request) => request.socket.destroy();
    play({ count: { 12: away } });
    const { code, stderr } = await run('retry 12 13 --wait');
    expect({ code, asked: asked() }).toEqual({ code: 6, asked: [] });
    expect(stderr).toContain('Not asked: 12, 13.');
    expect(stderr).not.toContain('It is not known');
  });
});
