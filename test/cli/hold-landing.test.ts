import { call, slowTime } from './call.ts';
import { json, useScript } from './script-server.ts';

const OVERRIDE = {
  id: 4,
  source: 'mksh',
  test: null as string | null,
  architecture: null as string | null,
  reason: 'wrong',
  overridden_by: 'ann',
  valid_until: '2026-01-15T00:00:00.000Z',
};
const RUNS = json(200, {
  meta: { total_count: 1, offset: 0, limit: 1_000, next: null, previous: null },
  objects: [{ id: 31 }],
});
const NO_RUNS = json(200, {
  meta: { total_count: 0, offset: 0, limit: 1_000, next: null, previous: null },
  objects: [],
});
const isAt = (phase: string) => json(200, { id: 7, attempt: 2, phase });
const refused = (status: number, code: string) =>
  json(status, { code, detail: 'No.', status, hint: 'A hint.', instance: 'urn:airline:request:1' });

const server = useScript();

/** Runs a command. @returns what came of it, and what it has posted */
async function run(line: string) {
  const posted: unknown[] = [];
  const called = await call(line.split(' '), {
    env: server.environment,
    ...slowTime(),
    fetch: async (...given) => {
      const request = new Request(...given);
      const body = request.method === 'POST' ? await request.clone().text() : '';
      if (body !== '') posted.push(JSON.parse(body) as unknown);
      return fetch(request);
    },
  });
  return { ...called, posted };
}
const paths = () => server.requests.map(({ path }) => path);

describe('airline landing pause and resume', () => {
  it.each([
    ['pause', 'Landing 7 is paused: what runs goes on, and nothing new begins.\n'],
    ['resume', 'Landing 7 goes on.\n'],
  ])('%s says what becomes of the landing', async (name, said) => {
    server.play(json(202, { id: 7, phase: 'testing' }));
    expect(await run(`landing ${name} 7`)).toMatchObject({ code: 0, stdout: said });
    expect(paths()).toEqual([`/api/v1/landing/7/${name}/`]);
    expect(JSON.parse((await run(`landing ${name} 7 --json`)).stdout)).toMatchObject({ id: 7 });
  });

  it.each(['pause', 'resume'])('%s ends with 5 where it is too late', async (name) => {
    server.play(refused(409, 'conflict'));
    expect(await run(`landing ${name} 7`)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('A hint.'),
    });
  });
});

describe('airline landing override', () => {
  const CALL = 'landing override 7 --source mksh --reason wrong';

  it('overrides all tests of a source for 14 days, and says how the landing goes on', async () => {
    server.play(isAt('failed'), RUNS, json(201, OVERRIDE));
    const { code, stdout, posted } = await run(CALL);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        'All tests of mksh do not count until 2026-01-15T00:00:00.000Z. `airline landing retry 7` goes on with what is built.\n',
    });
    expect(paths()).toEqual([
      '/api/v1/landing/7/',
      '/api/v1/testrun/?landing_id=7&attempt=2&source=mksh&order_by=id&limit=1000&offset=0',
      '/api/v1/testoverride/',
    ]);
    expect(posted).toEqual([
      { source: 'mksh', reason: 'wrong', valid_until: '2026-01-15T00:00:00.000Z' },
    ]);
  });

  it.each([
    ['7d', '2026-01-08T00:00:00.000Z'],
    ['2026-02-01T01:00:00+01:00', '2026-02-01T00:00:00.000Z'],
  ])('overrides one test on one architecture until %s', async (until, time) => {
    const of = { test: 'regress', architecture: 'arm64', valid_until: time };
    server.play(isAt('approving'), RUNS, json(201, { ...OVERRIDE, ...of }));
    const line = `${CALL} --test regress --architecture arm64 --until ${until}`;
    const { stdout, posted } = await run(line);
    expect(stdout).toBe(
      `regress of mksh does not count on arm64 until ${time}. Landings that wait are judged again.\n`,
    );
    expect(posted).toEqual([{ source: 'mksh', reason: 'wrong', ...of }]);
  });

  it('prints the override with --json, and its id with --quiet', async () => {
    server.play(isAt('approving'), RUNS, json(201, OVERRIDE));
    expect(JSON.parse((await run(`${CALL} --json`)).stdout)).toEqual(OVERRIDE);
    server.play(isAt('approving'), RUNS, json(201, OVERRIDE));
    expect((await run(`${CALL} --quiet`)).stdout).toBe('4\n');
  });

  it('refuses a source that the landing does not test', async () => {
    server.play(isAt('failed'), NO_RUNS);
    const { code, stderr, posted } = await run(`${CALL} --architecture arm64`);
    expect({ code, posted }).toEqual({ code: 3, posted: [] });
    expect(stderr).toContain('Landing 7 has no tests of mksh on arm64.');
    expect(stderr).toContain('airline landing tests 7');
  });

  it.each([
    ['no source', 'landing override 7 --reason wrong', "Required option '--source"],
    ['no reason', 'landing override 7 --source mksh', "Required option '--reason"],
    ['a day without a zone', `${CALL} --until 2026-04-16`, 'Give a time with its zone'],
    ['a time that is none', `${CALL} --until 2026-13-16T00:00:00Z`, 'Give a time with its zone'],
  ])('refuses %s before it asks anybody', async (_, line, said) => {
    server.play(NO_RUNS);
    const { code, stderr } = await run(line);
    expect({ code, asked: server.requests.length }).toEqual({ code: 2, asked: 0 });
    expect(stderr).toContain(said);
  });

  it('ends with 4 without the scope', async () => {
    server.play(isAt('failed'), RUNS, refused(403, 'forbidden'));
    expect((await run(CALL)).code).toBe(4);
  });
});
