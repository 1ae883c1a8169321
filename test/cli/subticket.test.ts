import { call } from './call.ts';
import { json, useScript } from './script-server.ts';

const SUBTICKET = {
  id: 9,
  ticket: '/api/v1/ticket/7/',
  assignee: 'ben@example.com',
  current_workflow_step: '200',
  replaced_by: null,
  resource_uri: '/api/v1/subticket/9/',
};
/** A caller may say by the status alone that something has failed. */
const FAILED = { ...SUBTICKET, status: '999' };
const GOING_ON = { ...SUBTICKET, status: '200' };
const ticketOf = (subticket: object) =>
  json(200, {
    id: 7,
    subtickets: [
      {
        ...subticket,
        source_package_upload: { sourcepackage: { name: 'hello' }, version: '2.10-3' },
        artifacts: [],
      },
    ],
  });
const MADE = json(201, { ...GOING_ON, id: 10, resource_uri: '/api/v1/subticket/10/' });

const pageOf = (...objects: object[]) =>
  json(200, {
    meta: { limit: 20, offset: 0, total_count: 1, next: null, previous: null },
    objects,
  });

describe('what has failed by its status', () => {
  const server = useScript();
  const AT = '2026-01-01T00:00:00.000Z';
  const TESTED = { current_workflow_step: '400', status: '999', created_at: AT, updated_at: AT };
  const TICKET = { ...TESTED, id: 7, title: 'Say hello', owner: 'ann@example.com', bug_id: '' };
  const PART = { ...SUBTICKET, ...TESTED, source_package_upload: null, merge_proposal: null };
  const FULL = {
    ...TICKET,
    ...Object.fromEntries(
      ['references', 'owners', 'components', 'ppas', 'testsuites', 'artifacts', 'builds'].map(
        (name) => [name, []],
      ),
    ),
    subtickets: [{ ...PART, artifacts: [] }],
  };
  const IN_RED = '\u001B[31m400 Image Testing';
  const run = (line: string) =>
    call(line.split(' '), { env: { ...server.environment, FORCE_COLOR: '1' } });

  it.each([
    ['ticket list', [pageOf(TICKET)], 1],
    ['ticket show 7', [json(200, FULL), pageOf()], 2],
    ['subticket list', [pageOf(PART)], 1],
    ['subticket show 9', [json(200, PART)], 1],
  ])('is shown as failed by %s', async (line, answers, times) => {
    server.play(...answers);
    expect((await run(line)).stdout.split(IN_RED)).toHaveLength(times + 1);
  });

  it('is told of as failed by a history, and by who watches it', async () => {
    const change = {
      seq: 1,
      subticket: null,
      from_step: '300',
      to_step: '400',
      from_status: '300',
      to_status: '999',
      actor: 'lander',
      reason: 'a test failed',
      request_id: 'r',
      created_at: AT,
    };
    server.play(pageOf(change), json(200, TICKET), pageOf(change));
    expect((await run('ticket history 7')).stdout).toContain(`${IN_RED}, failed`);
    expect((await run('ticket watch 7')).stdout).toContain(`${IN_RED}, failed`);
  });

  it('is told from what goes on without colours, too', async () => {
    server.play(pageOf(TICKET, { ...TICKET, status: '400' }));
    const { stdout } = await run('ticket list --columns step --no-color');
    expect(stdout).toBe('STEP\n400 Image Testing, failed\n400 Image Testing\n');
  });

  it.each(['ticket', 'subticket'])('is found by %s list among the failed alone', async (kind) => {
    server.play(pageOf());
    await run(`${kind} list --step failed`);
    await run(`${kind} list --step image-testing`);
    const asked = server.requests.map(({ path }) => new URL(path, 'http://x').searchParams);
    const steps = asked.map((query) =>
      ['current_workflow_step', 'failed_at_step__isnull'].map((name) => query.get(name)),
    );
    expect(steps).toEqual([
      [null, 'false'],
      ['400', 'true'],
    ]);
  });
});

describe('a subticket that has failed by its status', () => {
  const server = useScript();
  const run = (line: string) => call(line.split(' '), { env: server.environment });
  const REPLACE = 'subticket replace 9 --package-version 2.10-4 --quiet';
  const CREATE = 'subticket create --ticket 7 --package hello --package-version 2.10-4 --quiet';

  it('is replaced, as one is that has failed by its step', async () => {
    server.play(json(200, FAILED), ticketOf(FAILED), MADE);
    expect(await run(REPLACE)).toMatchObject({ code: 0, stdout: '10\n' });
    server.play(json(200, GOING_ON), ticketOf(GOING_ON));
    expect(await run(REPLACE)).toMatchObject({ code: 5, stdout: '' });
  });

  it('leaves room for another of its package', async () => {
    server.play(ticketOf(FAILED), MADE);
    expect(await run(CREATE)).toMatchObject({ code: 0, stdout: '10\n' });
    server.play(ticketOf(GOING_ON));
    expect(await run(CREATE)).toMatchObject({ code: 5, stdout: '' });
  });
});

describe('a subticket whose files are refused once it is made', () => {
  const server = useScript();
  const ARTIFACT = json(201, { id: 1 });
  const REFUSED = json(409, {
    status: 409,
    code: 'conflict',
    detail: 'The ticket is busy',
    hint: 'Wait a moment.',
    instance: 'urn:airline:request:1',
  });
  const FILES = ['hello.dsc', 'hello.tar.xz', 'hello.changes'].map(
    (name) => `https://store.example/${name}`,
  );
  const SOURCES = FILES.map((url) => `--source=${url}`);

  it.each([
    ['create', ['--ticket=7', '--package=ed'], [ticketOf(GOING_ON)]],
    ['replace', ['9'], [json(200, FAILED), ticketOf(FAILED)]],
  ])('by %s says that it is there, and what adds the others', async (verb, options, answers) => {
    server.play(...answers, MADE, ARTIFACT, REFUSED);
    const { code, stdout, stderr } = await call(
      ['subticket', verb, ...options, '--package-version=2.10-4', ...SOURCES],
      { env: server.environment },
    );
    expect({ code, stdout, stderr }).toEqual({
      code: 5,
      stdout: '',
      stderr: [
        'airline: Subticket 10 was made, but not all of its files were added: The ticket is busy.',
        `  not added: ${FILES[1] ?? ''}`,
        `  not added: ${FILES[2] ?? ''}`,
        '  → Wait a moment. `airline artifact add URL --subticket 10 --type SPU` adds each of them.',
        '',
      ].join('\n'),
    });
  });

  it('of which one may be there says so', async () => {
    server.play(ticketOf(GOING_ON), MADE, (request) => request.socket.destroy());
    const { code, stderr } = await call(
      ['subticket', 'create', '--ticket=7', '--package=ed', '--package-version=1', ...SOURCES],
      { env: server.environment, sleep: async () => undefined },
    );
    expect(code).toBe(6);
    expect(stderr).toContain(
      `  perhaps not added: ${FILES[0] ?? ''}\n  not added: ${FILES[1] ?? ''}\n`,
    );
  });
});
