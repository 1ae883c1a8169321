import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { call } from './call.ts';

type Seen = { path: string; host: string | undefined; authorization: string | undefined };

const SELF = { name: 'ann', scopes: ['read'], expires_at: null, resource_uri: '/api/v1/token/1/' };

/** A server that lets everybody in and keeps who came. */
function useServer() {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const { host, authorization } = request.headers;
    seen.push({ path: request.url ?? '', host, authorization });
    response.setHeader('content-type', 'application/json');
    response.end(
      request.url?.endsWith('/api/v1/token/self/')
        ? JSON.stringify(SELF)
        : '{"meta": {"total_count": 0, "offset": 0}, "objects": []}',
    );
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => seen.splice(0));
  return {
    seen,
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    get localhost() {
      return `http://localhost:${(server.address() as AddressInfo).port}`;
    },
  };
}

const list = ['ticket', 'list'];

const nothingSent = () => {
  throw new Error('nothing may be sent');
};

/** A home whose configuration is this text. */
function homeWith(config: string): string {
  const homeDirectory = temporaryDirectory();
  mkdirSync(join(homeDirectory, '.config/airline'), { recursive: true });
  writeFileSync(join(homeDirectory, '.config/airline/config.json'), config);
  return homeDirectory;
}

const profileOf = (homeDirectory: string) => {
  const path = join(homeDirectory, '.config/airline/tokens.json');
  return (JSON.parse(readFileSync(path, 'utf8')) as Record<string, object>)['default'];
};

describe('whom a command talks to', () => {
  const server = useServer();

  /** A home with these profiles, each with a token of its own; nothing is seen of the logins. */
  async function withProfiles(servers: Readonly<Record<string, string>>): Promise<string> {
    const homeDirectory = temporaryDirectory();
    for (const [profile, url] of Object.entries(servers))
      await call(['login', '--url', url, '--profile', profile], {
        homeDirectory,
        stdin: `token-of-${profile}`,
      });
    server.seen.splice(0);
    return homeDirectory;
  }

  it('is what the flag says, before the environment', async () => {
    const { code } = await call([...list, '--url', server.url], {
      env: { AIRLINE_URL: 'http://127.0.0.1:1', AIRLINE_TOKEN: 'secret' },
    });
    expect(code).toBe(0);
    expect(server.seen[0]?.authorization).toBe('Bearer secret');
  });

  it('is what the environment says, before the profile', async () => {
    const homeDirectory = temporaryDirectory();
    await call(['login', '--url', server.localhost], { homeDirectory, stdin: 'kept\n' });
    server.seen.splice(0);
    await call(list, { homeDirectory, env: { AIRLINE_URL: server.url } });
    expect(server.seen).toEqual([
      expect.objectContaining({
        authorization: undefined,
        path: expect.stringContaining('/ticket/'),
      }),
    ]);
  });

  it('is what the last login kept', async () => {
    const homeDirectory = temporaryDirectory();
    const login = await call(['login', '--url', server.url], { homeDirectory, stdin: 'kept\n' });
    expect(login).toMatchObject({ code: 0, stdout: expect.stringContaining('as ann') });
    server.seen.splice(0);
    expect((await call(list, { homeDirectory })).code).toBe(0);
    expect(server.seen[0]?.authorization).toBe('Bearer kept');
  });

  it('is one of several profiles, by the flag or AIRLINE_PROFILE', async () => {
    const homeDirectory = await withProfiles({ home: server.url, work: server.url });
    await call([...list, '--profile', 'home'], { homeDirectory });
    await call(list, { homeDirectory, env: { AIRLINE_PROFILE: 'home' } });
    await call(list, { homeDirectory });
    expect(server.seen.map(({ authorization }) => authorization)).toEqual([
      'Bearer token-of-home',
      'Bearer token-of-home',
      'Bearer token-of-work',
    ]);
  });

  it('is the server and the token of the profile of --profile, whatever the environment says', async () => {
    const homeDirectory = await withProfiles({ home: server.url, work: server.localhost });
    for (const env of [
      { AIRLINE_URL: server.localhost },
      { AIRLINE_TOKEN: 'token-of-work' },
      { AIRLINE_URL: server.localhost, AIRLINE_TOKEN: 'token-of-work', AIRLINE_PROFILE: 'work' },
    ])
      expect((await call([...list, '--profile', 'home'], { homeDirectory, env })).code).toBe(0);
    const { host } = new URL(server.url);
    expect(server.seen.map((one) => [one.host, one.authorization])).toEqual(
      Array.from({ length: 3 }, () => [host, 'Bearer token-of-home']),
    );
  });

  it('is the server of --url with the profile of --profile, whose token goes to its own server', async () => {
    const homeDirectory = await withProfiles({ home: server.url });
    const env = { AIRLINE_URL: 'http://127.0.0.1:1', AIRLINE_TOKEN: 'secret' };
    for (const url of [server.url, server.localhost])
      await call([...list, '--profile', 'home', '--url', url], { homeDirectory, env });
    expect(server.seen.map(({ authorization }) => authorization)).toEqual([
      'Bearer token-of-home',
      undefined,
    ]);
  });

  it('is no server of the environment for a profile that is not there', async () => {
    const env = { AIRLINE_URL: server.url, AIRLINE_TOKEN: 'secret' };
    const { code, stderr } = await call([...list, '--profile', 'nowhere'], {
      env,
      fetch: nothingSent,
    });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('There is no profile nowhere.'),
    });
  });

  it('is the server of the profile that a login names, else of the environment for a new one', async () => {
    const homeDirectory = await withProfiles({ home: server.url });
    for (const [profile, url] of [
      ['home', 'http://127.0.0.1:1'],
      ['new', server.localhost],
    ] as const)
      await call(['login', '--profile', profile], {
        homeDirectory,
        env: { AIRLINE_URL: url },
        stdin: `again-${profile}`,
        sleep: async () => undefined,
      });
    const kept = readFileSync(join(homeDirectory, '.config/airline/tokens.json'), 'utf8');
    expect(JSON.parse(kept)).toEqual({
      home: { url: `${server.url}/`, token: 'again-home' },
      new: { url: `${server.localhost}/`, token: 'again-new' },
    });
  });

  it.each([
    [[], 'or set AIRLINE_TOKEN for one call.'],
    [
      ['--profile', 'home'],
      'or give one call a token by --token-file: AIRLINE_TOKEN does not count with --profile.',
    ],
  ])('asks for a token: with %j, the hint is "%s"', async (flags, way) => {
    const homeDirectory = await withProfiles({ home: server.url });
    await call(['logout'], { homeDirectory });
    const env = flags.length === 0 ? {} : { AIRLINE_TOKEN: 'secret' };
    const { stderr } = await call([...list, ...flags], {
      homeDirectory,
      env,
      fetch: async () =>
        Response.json(
          { code: 'unauthenticated', detail: 'No token.', hint: '', status: 401 },
          { status: 401 },
        ),
    });
    expect(stderr).toContain(
      `Sign in with \`airline login --url ${server.url} --profile home\`, ${way}\n`,
    );
  });

  it('is not changed by a login to another server that names no profile', async () => {
    const homeDirectory = temporaryDirectory();
    await call(['login', '--url', server.url], { homeDirectory, stdin: 'kept' });
    const other = { ...profileOf(homeDirectory) };
    for (const env of [{}, { AIRLINE_PROFILE: 'default' }]) {
      const { code, stderr } = await call(['login', '--url', `${server.url}/staging`, '--json'], {
        homeDirectory,
        env,
        stdin: 'other',
      });
      expect(code).toBe(2);
      expect(JSON.parse(stderr)).toMatchObject({
        error: {
          code: 'profile_of_other_server',
          message: `The current profile, default, is for ${server.url}, not for ${server.url}/staging.`,
          hint: expect.stringContaining(`airline login --url ${server.url}/staging --profile NAME`),
        },
      });
    }
    expect(profileOf(homeDirectory)).toEqual(other);
  });

  it('is another server for a profile that a login names', async () => {
    const homeDirectory = temporaryDirectory();
    await call(['login', '--url', server.localhost], { homeDirectory, stdin: 'kept' });
    const login = ['login', '--url', server.url, '--profile', 'default'];
    expect((await call(login, { homeDirectory, stdin: 'other' })).code).toBe(0);
    expect(profileOf(homeDirectory)).toEqual({ url: `${server.url}/`, token: 'other' });
  });

  it.each([
    ['//', '/api/v1/ticket/'],
    ['/airline//', '/airline/api/v1/ticket/'],
    ['//airline', '//airline/api/v1/ticket/'],
  ])('is no host of another name where its address ends in %s', async (end, path) => {
    const { code } = await call([...list, '--url', server.url + end], {
      sleep: async () => undefined,
    });
    expect(code).toBe(0);
    expect(server.seen.map((one) => one.path.replace(/\?.*/, ''))).toEqual([path]);
  });

  it('is the same with slashes at its end, so that a new token is kept', async () => {
    const homeDirectory = temporaryDirectory();
    for (const [slash, token] of [
      ['//', 'older'],
      ['', 'old'],
      ['/', 'new'],
    ])
      await call(['login', '--url', `${server.url}/airline${slash}`], {
        homeDirectory,
        stdin: token ?? '',
      });
    expect(profileOf(homeDirectory)).toEqual({ url: `${server.url}/airline/`, token: 'new' });
  });

  it('is no profile that is not there', async () => {
    const { code, stderr } = await call([...list, '--profile', 'nowhere']);
    expect(code).toBe(2);
    expect(stderr).toContain('There is no profile nowhere.');
  });

  it('is nobody where the last login has no profile any more', async () => {
    const homeDirectory = homeWith('{"current_profile": "gone", "profiles": {}}');
    const { code, stderr } = await call(list, { homeDirectory, fetch: nothingSent });
    expect(code).toBe(2);
    expect(stderr).toContain('There is no profile gone.');
    const named = await call([...list, '--url', server.url], { homeDirectory });
    expect(named.code).toBe(0);
  });

  it.each([
    '{"current_profile": "work", "profiles": {"work": "https://airline.example"}}',
    '{"current_profile": "home", "profiles": {"home": {"url": "http://h"}, "work": null}}',
  ])('is nobody where a profile has no server: %s', async (config) => {
    const homeDirectory = homeWith(config);
    const { code, stderr } = await call(list, { homeDirectory, fetch: nothingSent });
    expect(code).toBe(2);
    expect(stderr).toContain('config.json names no server for the profile work.');
  });

  it('is what a call gives whole, though the configuration cannot be read', async () => {
    const homeDirectory = homeWith('');
    const config = join(homeDirectory, '.config/airline/config.json');
    rmSync(config);
    mkdirSync(config);
    const given = { AIRLINE_URL: server.url, AIRLINE_TOKEN: 'given' };
    expect((await call(list, { homeDirectory, env: given })).code).toBe(0);
    expect(server.seen[0]?.authorization).toBe('Bearer given');
    for (const env of [{ AIRLINE_URL: given.AIRLINE_URL }, { AIRLINE_TOKEN: 'given' }])
      expect(await call(list, { homeDirectory, env, fetch: nothingSent })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('config.json cannot be read: '),
      });
  });

  it.each([undefined, ''])('is what a call gives without a home: %p', async (homeDirectory) => {
    const env = { AIRLINE_URL: server.url };
    expect((await call(list, { homeDirectory, env })).code).toBe(0);
    const login = await call(['login'], { homeDirectory, env, stdin: 'kept\n' });
    expect(login).toMatchObject({
      code: 2,
      stderr:
        'airline: There is no folder to keep a profile in.\n  → Set HOME or XDG_CONFIG_HOME to a folder of your own.\n',
    });
  });

  it.each(['ftp://x', 'nowhere', 'http://ann:secret@x'])('is not %s', async (url) => {
    expect(await call([...list, '--url', url])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not the address of an Airline server'),
    });
  });
});

describe('tokens', () => {
  const server = useServer();
  const letIn = async () => Response.json(SELF);

  it('are kept in a file that only the owner reads, XDG_CONFIG_HOME followed', async () => {
    const directory = temporaryDirectory();
    await call(['login', '--url', server.url], {
      env: { XDG_CONFIG_HOME: directory },
      stdin: 'kept',
    });
    const path = join(directory, 'airline', 'tokens.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      default: { url: `${server.url}/`, token: 'kept' },
    });
  });

  it('are refused from a file that others can read', async () => {
    const homeDirectory = temporaryDirectory();
    await call(['login', '--url', server.url], { homeDirectory, stdin: 'kept' });
    chmodSync(join(homeDirectory, '.config/airline/tokens.json'), 0o640);
    const { code, stderr } = await call(list, { homeDirectory });
    expect(code).toBe(4);
    expect(stderr).toContain('can be read or written by others (mode 0640)');
    expect(stderr).toContain('chmod 600');
  });

  it('come from a file that the call names, which must be closed, too', async () => {
    const file = join(temporaryDirectory(), 'token');
    writeFileSync(file, 'from-file\n', { mode: 0o600 });
    await call([...list, '--url', server.url, '--token-file', file]);
    expect(server.seen[0]?.authorization).toBe('Bearer from-file');
    chmodSync(file, 0o644);
    expect((await call([...list, '--url', server.url, '--token-file', file])).code).toBe(4);
  });

  it('come from AIRLINE_TOKEN with a line end behind it, as from a file', async () => {
    await call(list, { env: { AIRLINE_URL: server.url, AIRLINE_TOKEN: 'secret\n' } });
    expect(server.seen[0]?.authorization).toBe('Bearer secret');
    const { code, stderr } = await call(list, {
      env: { AIRLINE_URL: server.url, AIRLINE_TOKEN: ' \n' },
    });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('AIRLINE_TOKEN has no token in it.'),
    });
  });

  it('are forgotten at logout', async () => {
    const homeDirectory = temporaryDirectory();
    await call(['login', '--url', server.url], { homeDirectory, stdin: 'kept' });
    expect((await call(['logout'], { homeDirectory })).stdout).toContain('is deleted here');
    server.seen.splice(0);
    await call(list, { homeDirectory });
    expect(server.seen[0]?.authorization).toBeUndefined();
    expect((await call(['logout'], { homeDirectory })).stdout).toContain('has no token');
  });

  it.each(['http://127.0.0.1.evil.example', 'http://airline.example'])(
    'are said to be readable on the way to %s',
    async (url) => {
      const login = await call(['login', '--url', url], { fetch: letIn, stdin: 'kept' });
      expect(login).toMatchObject({
        code: 0,
        stderr: expect.stringContaining(`to ${new URL(url).host} without encryption`),
      });
    },
  );

  it.each(['https://airline.example', 'http://127.0.0.1:8080', 'http://[::1]', 'http://localhost'])(
    'are not said to be readable on the way to %s',
    async (url) => {
      const login = await call(['login', '--url', url], { fetch: letIn, stdin: 'kept' });
      expect(login).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it('are not kept where there is none to keep', async () => {
    expect(await call(['login', '--url', server.url], { stdin: '\n' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no token on standard input'),
    });
  });

  it('are not kept where no file can be written, which is said', async () => {
    const homeDirectory = temporaryDirectory();
    writeFileSync(join(homeDirectory, '.config'), '');
    const login = await call(['login', '--url', server.url], { homeDirectory, stdin: 'kept\n' });
    expect(login).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('.config/airline cannot be written: '),
    });
  });

  it('a configuration that is no JSON is named', async () => {
    expect(await call(list, { homeDirectory: homeWith('{') })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('config.json is not one JSON object'),
    });
  });
});

describe('logins at the same time', () => {
  const server = useServer();
  const configuration = (homeDirectory: string) => join(homeDirectory, '.config/airline');
  const tokensIn = (homeDirectory: string) =>
    JSON.parse(readFileSync(join(configuration(homeDirectory), 'tokens.json'), 'utf8')) as object;

  it('keep all their profiles and tokens', async () => {
    const homeDirectory = temporaryDirectory();
    const names = Array.from({ length: 8 }, (_, at) => `p${at}`);
    const logins = await Promise.all(
      names.map((name) =>
        call(['login', '--url', server.url, '--profile', name], { homeDirectory, stdin: name }),
      ),
    );
    expect(logins.map(({ code }) => code)).toEqual(names.map(() => 0));
    const listed = await call(['profile', 'list', '--json'], { homeDirectory });
    const { profiles } = JSON.parse(listed.stdout) as { profiles: { name: string }[] };
    expect(profiles.map(({ name }) => name).toSorted()).toEqual(names);
    expect(tokensIn(homeDirectory)).toEqual(
      Object.fromEntries(names.map((name) => [name, { url: `${server.url}/`, token: name }])),
    );
    expect(readdirSync(configuration(homeDirectory)).toSorted()).toEqual([
      'config.json',
      'tokens.json',
    ]);
  });

  it('leave the profile that another one has made for another server meanwhile', async () => {
    const homeDirectory = homeWith('{}');
    const file = join(configuration(homeDirectory), 'config.json');
    const config =
      '{"current_profile": "default", "profiles": {"default": {"url": "http://other/"}}}';
    const { code, stderr } = await call(['login', '--url', server.url], {
      homeDirectory,
      stdin: 'token',
      fetch: (input, init) => {
        writeFileSync(file, config);
        return fetch(input, init);
      },
    });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('The current profile, default, is for http://other, not for'),
    });
    expect(readFileSync(file, 'utf8')).toBe(config);
    expect(readdirSync(configuration(homeDirectory))).toEqual(['config.json']);
  });

  it('lose nothing by a logout, which waits for them', async () => {
    const homeDirectory = homeWith(
      '{"current_profile": "a", "profiles": {"a": {"url": "http://h"}}}',
    );
    const [lock, tokens] = ['lock', 'tokens.json'].map((name) =>
      join(configuration(homeDirectory), name),
    ) as [string, string];
    const [old, renewed] = ['old', 'new'].map((token) => ({ url: 'http://h', token }));
    writeFileSync(lock, '');
    writeFileSync(tokens, JSON.stringify({ a: old, b: old }), { mode: 0o600 });
    const { code } = await call(['logout'], {
      homeDirectory,
      sleep: async () => {
        writeFileSync(tokens, JSON.stringify({ a: old, b: renewed }));
        rmSync(lock);
      },
    });
    expect(code).toBe(0);
    expect(tokensIn(homeDirectory)).toEqual({ b: renewed });
  });

  it('do not wait for one that has died', async () => {
    const homeDirectory = homeWith('{}');
    const lock = join(configuration(homeDirectory), 'lock');
    writeFileSync(lock, '');
    const before = new Date(Date.now() - 60_000);
    utimesSync(lock, before, before);
    const login = await call(['login', '--url', server.url], { homeDirectory, stdin: 'kept' });
    expect(login.code).toBe(0);
    expect(profileOf(homeDirectory)).toMatchObject({ token: 'kept' });
  });
});
