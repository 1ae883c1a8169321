import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { call } from './call.ts';
import { json, useScript, type Answer } from './script-server.ts';

const problem = (status: number, code: string, more: object = {}) =>
  json(status, {
    status,
    code,
    detail: `This is ${code}`,
    hint: 'Do it otherwise.',
    instance: 'urn:airline:request:1-2',
    retryable: false,
    ...more,
  });
const cut: Answer = (request) => request.socket.destroy();
const noPause = async () => undefined;
const ticket = { id: 7, current_workflow_step: '100', title: 'x' };

describe('what the API refuses', () => {
  const server = useScript();

  it.each([
    [401, 'unauthenticated', 4],
    [403, 'forbidden', 4],
    [421, 'host_header_refused', 4],
    [404, 'not_found', 3],
    [409, 'conflict', 5],
    [412, 'precondition_failed', 5],
    [400, 'invalid_field', 2],
    [413, 'too_large', 2],
    [422, 'idempotency_key_reused', 2],
    [500, 'internal', 6],
  ])('%i %s ends with %i', async (status, code, exit) => {
    server.play(problem(status, code));
    const called = await call(['build', 'cancel', '3'], { env: server.environment });
    expect(called).toMatchObject({ code: exit, stdout: '' });
    expect(called.stderr).toContain(`This is ${code}.`);
  });

  it('names every field that is wrong', async () => {
    server.play(
      problem(400, 'invalid_field', {
        detail: 'owner: Enter a valid email address.',
        errors: { owner: ['Enter a valid email address.'], title: ['This field is required.'] },
      }),
    );
    const { stderr } = await call(['ticket', 'create', '--owner', 'x', '--title', ''], {
      env: server.environment,
    });
    expect(stderr).toContain('  owner: Enter a valid email address.\n');
    expect(stderr).toContain('  title: This field is required.\n');
  });

  it.each([
    ['of no profile', undefined, '`'],
    ['of the profile in use', '/base', ' --profile work`'],
    ['beside the profile in use', '/other', ' --profile NAME`'],
  ])('says how to sign in at a server %s', async (_, path, ending) => {
    const url = server.environment.AIRLINE_URL;
    const homeDirectory = temporaryDirectory();
    mkdirSync(join(homeDirectory, '.config/airline'), { recursive: true });
    if (path !== undefined)
      writeFileSync(
        join(homeDirectory, '.config/airline/config.json'),
        JSON.stringify({ current_profile: 'work', profiles: { work: { url: url + path } } }),
      );
    server.play(problem(401, 'unauthenticated'));
    const { stderr } = await call(['ticket', 'list', '--url', `${url}/base/`], { homeDirectory });
    expect(stderr).toContain(`\`airline login --url ${url}/base${ending}`);
  });
});

describe('what another address of the server refuses', () => {
  const server = useScript();
  const other = useScript();

  it.each([
    [401, 'unauthenticated'],
    [403, 'forbidden'],
  ])('%i %s says that no token was sent there', async (status, code) => {
    const here = server.environment.AIRLINE_URL;
    const there = other.environment.AIRLINE_URL;
    server.play(json(200, { id: 5, logs: [`${there}/store/hello_1_amd64.build.log`] }));
    other.play(problem(status, code));
    const called = await call(['build', 'logs', '5'], {
      env: { ...server.environment, AIRLINE_TOKEN: 'airline_mine' },
    });
    expect(called).toMatchObject({ code: 4, stdout: '' });
    expect(called.stderr).not.toMatch(/The (token|one) of AIRLINE_TOKEN was sent/);
    expect(called.stderr).toContain(
      `No token was sent to ${there}: yours is for ${here}. Log in with --url ${there}.`,
    );
    const anonymous = await call(['build', 'logs', '5'], { env: server.environment });
    expect(anonymous.stderr).toContain(`No token was sent to ${there}. Log in with`);
  });

  it.each([[[]], [['--json']]])(
    'a log that its store has no more: not found, with %j',
    async (more) => {
      const log = `${other.environment.AIRLINE_URL}/store/hello_1_amd64.build.log`;
      server.play(json(200, { id: 5, logs: [log] }));
      other.play((_, response) => response.writeHead(404).end('no'));
      const { code, stderr } = await call(['build', 'logs', '5', ...more], {
        env: server.environment,
      });
      expect({ code, stderr }).toEqual({
        code: 3,
        stderr: expect.stringContaining(`${log} answers with HTTP 404.`),
      });
    },
  );
});

describe('a server that falters', () => {
  const server = useScript();

  it('is asked again, under the same Idempotency-Key', async () => {
    server.play(cut, problem(503, 'overloaded'), json(201, ticket));
    const called = await call(['ticket', 'create', '--owner', 'a@b.c', '--title', 'x'], {
      env: server.environment,
      sleep: noPause,
    });
    expect(called).toMatchObject({ code: 0, stdout: expect.stringContaining('Ticket 7') });
    expect(called.stderr).toContain('trying again');
    expect(new Set(server.requests.map(({ key }) => key)).size).toBe(1);
    expect(server.requests[0]?.key).toMatch(/^"[0-9a-f-]{36}"$/);
  });

  it('is not asked for ever', async () => {
    server.play(cut);
    const called = await call(['ticket', 'list'], {
      env: server.environment,
      sleep: noPause,
    });
    expect(called).toMatchObject({ code: 6, stderr: expect.stringContaining('does not answer') });
    expect(server.requests.length).toBe(4);
  });

  it.each([
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate'],
  ])('with a certificate of its own: is told by %s, and how to trust it', async (code, message) => {
    const { stderr } = await call(['ticket', 'list', '--url', 'https://airline.example'], {
      fetch: async () => {
        throw new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
      },
      sleep: noPause,
    });
    expect(stderr).toContain(
      `airline: https://airline.example does not answer (${message}).\n  → Node trusts no authority that signed its certificate. If the authority is your own, set NODE_EXTRA_CA_CERTS to a file with its certificate.\n`,
    );
  });

  it('makes one token at most', async () => {
    server.play(cut);
    await call(['token', 'create', '--name', 'a', '--scope', 'read'], {
      env: server.environment,
      sleep: noPause,
    });
    expect(server.requests.length).toBe(1);
  });

  it('says how long to wait', async () => {
    const pauses: number[] = [];
    server.play(
      json(429, {}, { 'retry-after': '2' }),
      json(429, {}, { 'retry-after': '3600' }),
      json(200, { meta: { total_count: 0, offset: 0 }, objects: [] }),
    );
    await call(['ticket', 'list'], {
      env: server.environment,
      sleep: async (ms) => {
        pauses.push(ms);
      },
    });
    expect(pauses).toEqual([2_000, 10_000]);
  });
});

describe('a server that is not Airline', () => {
  const server = useScript();

  it.each<[string, Answer, number]>([
    [
      'a page',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      6,
    ],
    [
      'a redirect',
      (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      6,
    ],
    ['nothing there', (_, response) => response.writeHead(404).end('no'), 6],
  ])('%s: is told apart', async (_, answer, exit) => {
    server.play(answer);
    const { code, stderr } = await call(['ticket', 'list'], { env: server.environment });
    expect(code).toBe(exit);
    expect(stderr).toContain('does not answer as Airline does');
  });

  it.each([
    [
      'https://airline.example/base/api/v1/ticket/?limit=20',
      'HTTP 308 to https://airline.example/base/api/v1/ticket/',
      'If Airline is there, its address is https://airline.example/base: give it by --url, AIRLINE_URL or the profile.',
    ],
    [
      'https://login.example/in?next=/api/',
      'HTTP 308 to https://login.example/in',
      'Check --url, AIRLINE_URL or the profile: ',
    ],
    ['/api/v1/', /HTTP 308 to http:\/\/127\.0\.0\.1:\d+\/api\/v1\//, 'Check --url, '],
    ['http://', 'HTTP 308, no content type', 'Check --url, AIRLINE_URL or the profile: '],
  ])('but sends on to %s: says so', async (location, said, hint) => {
    server.play((_, response) => response.writeHead(308, { location }).end());
    const { code, stderr } = await call(['ticket', 'list'], { env: server.environment });
    expect(code).toBe(6);
    expect(stderr).toMatch(said);
    expect(stderr).toContain(`  → ${hint}`);
  });

  describe('cannot colour or clear a terminal', () => {
    const title = '\u001b[2J\u009b31mhid\u202eden\r\u061c\u2028\ud83d';
    const hostile = { ...ticket, title, updated_at: new Date(0).toISOString() };
    // oxlint-disable-next-line no-control-regex
    const active = /[\u001b\u009b\u202e\r\u061c\u2028\ufffd]/;
    const show = (answer: unknown, ...args: string[]) => {
      server.play(json(200, answer));
      return call(args, {
        env: { ...server.environment, NO_COLOR: '1' },
        isTerminal: true,
        columns: 120,
      });
    };
    const page = { meta: { total_count: 1, offset: 0 }, objects: [hostile] };

    it('by a list, or by what a change shows', async () => {
      for (const { stdout } of [
        await show(page, 'ticket', 'list'),
        await show(hostile, 'ticket', 'edit', '7', '--bug', '1'),
      ]) {
        expect(stdout).not.toMatch(active);
        expect(stdout).toContain('␛[2J<U+009B>31mhid<U+202E>den');
        expect(stdout).toContain('<U+061C><U+2028><U+D83D>');
      }
    });

    it('by JSON, which stays the same', async () => {
      const { stdout } = await show(page, 'ticket', 'list', '--json');
      expect(stdout).not.toMatch(active);
      expect(JSON.parse(stdout)).toMatchObject({ objects: [{ title }] });
    });

    it('by an error as JSON, or by what a script needs', async () => {
      const { stdout } = await show({ email: `a${title}\nb` }, 'person', 'show', '3', '--quiet');
      expect(stdout).not.toMatch(active);
      expect(stdout).toMatch(/^a␛\[2J.*\nb\n$/);
      server.play(problem(409, 'conflict', { detail: title }));
      const { stderr } = await call(['ticket', 'list', '--json'], { env: server.environment });
      expect(stderr).not.toMatch(active);
      expect(JSON.parse(stderr)).toMatchObject({
        error: { message: expect.stringMatching(/hid/) },
      });
    });
  });
});
