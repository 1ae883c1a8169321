import { call, slowTime } from './call.ts';
import { json, useScript, type Answer } from './script-server.ts';

const LANDING = json(200, { id: 7, attempt: 2 });
const RUN = {
  id: 31,
  landing_id: 7,
  source: 'hello',
  version: '2.10-4',
  architecture: 'amd64',
  reason: 'changed',
  why: 'is changed',
  try: 1,
  state: 'finished',
  results: [{ name: 'smoke', status: 'PASS', detail: '' }],
  fault: null,
  tester: 'builder-1',
  log_url: null as string | null,
};
const FAILED = {
  ...RUN,
  id: 32,
  source: 'mksh',
  version: '59c-28',
  reason: 'depends',
  why: 'depends on hello',
  results: [...RUN.results, { name: 'regress', status: 'FAIL', detail: 'timed out' }],
};
const UNAVAILABLE = {
  ...RUN,
  id: 33,
  source: 'greeter',
  state: 'unavailable',
  results: [],
  fault: '404  Not Found',
};
const LOG: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
  response.end('autopkgtest: regress FAIL\u001b[2J\n');
};

const server = useScript();
const run = (line: string) => call(line.split(' '), { env: server.environment, ...slowTime() });
const page = (objects: readonly object[], next: string | null = null) =>
  json(200, { meta: { total_count: 3, offset: 0, limit: 1_000, next, previous: null }, objects });
const withLog = (one: object) => ({
  ...one,
  log_url: `${server.environment.AIRLINE_URL}/files/tests/32/mksh.test.log`,
});

describe('airline landing tests', () => {
  it('lists what is tested in the latest attempt, page by page', async () => {
    server.play(LANDING, page([RUN, FAILED], 'more'), page([UNAVAILABLE]));
    const { code, stdout } = await run('landing tests 7');
    expect(code).toBe(0);
    expect(stdout).toBe(`\
SOURCE   VERSION  ARCHITECTURE  STATE        TESTS           WHY
hello    2.10-4   amd64         finished     1 pass          is changed
mksh     59c-28   amd64         finished     1 pass, 1 fail  depends on hello
greeter  2.10-4   amd64         unavailable  404  Not Found  is changed
`);
    const list = '/api/v1/testrun/?landing_id=7&attempt=2&order_by=id&limit=1000';
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/api/v1/landing/7/',
      `${list}&offset=0`,
      `${list}&offset=2`,
    ]);
  });

  it('lists what failed, or has no results, alone', async () => {
    server.play(page([RUN, FAILED, UNAVAILABLE]));
    const { stdout } = await run('landing tests 7 --attempt 1 --failed --quiet');
    expect(stdout).toBe('32\n33\n');
    expect(server.requests[0]?.path).toContain('attempt=1');
    server.play(page([RUN]));
    const { stdout: none } = await run('landing tests 7 --attempt 1 --failed');
    expect(none).toBe('No test has failed.\n');
  });

  it('calls none failed that was cancelled, as where its image was made anew', async () => {
    const cancelled = { ...RUN, id: 30, state: 'cancelled', results: [] };
    server.play(page([cancelled, RUN]));
    const { stdout } = await run('landing tests 7 --attempt 1 --failed');
    expect(stdout).toBe('No test has failed.\n');
  });

  it('gives programs the runs, and says where there are none', async () => {
    server.play(LANDING, page([RUN]));
    expect(JSON.parse((await run('landing tests 7 --json')).stdout)).toEqual([RUN]);
    server.play(LANDING, page([]));
    expect((await run('landing tests 7')).stdout).toBe('Landing 7 has no tests in this attempt.\n');
  });
});

describe('airline landing log', () => {
  it('prints the log of the latest run of a source', async () => {
    server.play(LANDING, page([{ ...FAILED, id: 30 }, withLog(FAILED)]), LOG);
    const { code, stdout } = await run('landing log 7 mksh');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'autopkgtest: regress FAIL\u001b[2J\n' });
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/api/v1/landing/7/',
      '/api/v1/testrun/?landing_id=7&attempt=2&source=mksh&order_by=id&limit=1000&offset=0',
      '/files/tests/32/mksh.test.log',
    ]);
  });

  it('prints that of an earlier attempt where it is asked for', async () => {
    server.play(page([withLog(FAILED)]), LOG);
    expect((await run('landing log 7 mksh --attempt 1')).code).toBe(0);
    expect(server.requests[0]?.path).toBe(
      '/api/v1/testrun/?landing_id=7&attempt=1&source=mksh&order_by=id&limit=1000&offset=0',
    );
  });

  it('gives programs the text and its address', async () => {
    const one = withLog(FAILED);
    server.play(LANDING, page([one]), LOG);
    const { stdout } = await run('landing log 7 mksh --architecture amd64 --json');
    expect(JSON.parse(stdout)).toEqual({
      url: one.log_url,
      text: 'autopkgtest: regress FAIL\u001b[2J\n',
    });
  });

  it('asks which of several architectures is meant', async () => {
    server.play(LANDING, page([withLog(FAILED), withLog({ ...FAILED, architecture: 'arm64' })]));
    const { code, stderr } = await run('landing log 7 mksh');
    expect(code).toBe(2);
    expect(stderr).toContain('The tests of mksh ran on amd64, arm64.');
  });

  it('says why there is no log', async () => {
    server.play(LANDING, page([UNAVAILABLE]));
    const { code, stderr } = await run('landing log 7 greeter');
    expect(code).toBe(3);
    expect(stderr).toContain('Attempt 2 of landing 7 has no log of tests of greeter.');
    expect(stderr).toContain('404  Not Found');
    server.play(LANDING, page([]));
    expect((await run('landing log 7 nano')).stderr).toContain(
      '`airline landing tests 7 --attempt 2` lists what is tested.',
    );
  });
});

describe('airline landing log, of a landing that is retried', () => {
  const latest = { ...FAILED, id: 40, results: [], log_url: null };
  const play = (attempt2: object) => {
    const runs = [
      { attempt: 1, ...withLog(FAILED) },
      { attempt: 2, ...latest, ...attempt2 },
    ];
    const answer: Answer = (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      if (pathname.startsWith('/files/')) return LOG(request, response);
      if (pathname === '/api/v1/landing/7/') return LANDING(request, response);
      const asked = Number(searchParams.get('attempt'));
      const found = runs.filter(({ attempt }) => asked === 0 || attempt === asked);
      return page(found)(request, response);
    };
    server.play(answer);
  };

  it.each([
    ['waits for a tester', { state: 'queued' }, '`airline landing tests 7 --attempt 2`'],
    ['could not run', { state: 'unavailable', fault: '404 Not Found' }, '404 Not Found'],
  ])('is not that of an earlier attempt, where the test %s', async (_, attempt2, hint) => {
    play(attempt2);
    const { code, stdout, stderr } = await run('landing log 7 mksh');
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('Attempt 2 of landing 7 has no log of tests of mksh.');
    expect(stderr).toContain(hint);
  });
});
