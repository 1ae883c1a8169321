import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scope } from '../../domain/access/access.ts';
import { useApi } from '../api/serve.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { call } from './call.ts';

const LIFETIMES = { defaultMs: 3_600_000, maxMs: 86_400_000 };

describe('a server that asks who calls', () => {
  const api = useApi({ authentication: 'token' });
  const issue = async (name: string, scopes: Scope[]) =>
    (
      await api.now.database.AccessToken.issue(
        { name, scopes, expiresAt: undefined },
        LIFETIMES,
        { actor: 'test' },
        new Date(),
      )
    ).text;
  const as = (token: string | undefined, ...args: string[]) =>
    call(args, {
      env: { AIRLINE_URL: api.now.url, ...(token ? { AIRLINE_TOKEN: token } : {}) },
    });

  it('is told a token, else the call ends with 4 and says how to get on', async () => {
    expect(await as(undefined, 'ticket', 'list')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`airline login --url ${api.now.url}`),
    });
    expect(await as('airline_wrong', 'ticket', 'list')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('The token of AIRLINE_TOKEN was sent'),
    });
  });

  it('lets a token do what its scopes say, else the call ends with 4', async () => {
    const reader = await issue('reader', ['read']);
    expect((await as(reader, 'ticket', 'list')).code).toBe(0);
    expect(
      await as(reader, 'ticket', 'create', '--owner', 'ann@example.com', '--title', 'x'),
    ).toMatchObject({ code: 4, stderr: expect.stringContaining('ticket:write') });
  });

  it('takes what login keeps, and nothing after logout', async () => {
    const homeDirectory = temporaryDirectory();
    const token = await issue('ann', ['read', 'ticket:write']);
    const world = { homeDirectory };
    const login = await call(['login', '--url', api.now.url], { ...world, stdin: `${token}\n` });
    expect(login).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('as ann, who may read, ticket:write; expires in'),
    });
    expect((await call(['ticket', 'list'], world)).code).toBe(0);
    await call(['logout'], world);
    expect((await call(['ticket', 'list'], world)).code).toBe(4);
  });

  it('takes what login reads of --token-file', async () => {
    const homeDirectory = temporaryDirectory();
    const file = join(temporaryDirectory(), 'token');
    writeFileSync(file, `${await issue('of-file', ['read'])}\n`, { mode: 0o600 });
    const login = ['login', '--url', api.now.url, '--token-file', file];
    expect(await call(login, { homeDirectory })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('as of-file, who may read'),
    });
    expect((await call(['ticket', 'list'], { homeDirectory })).code).toBe(0);
  });

  it('keeps no token that it does not take', async () => {
    const homeDirectory = temporaryDirectory();
    const login = ['login', '--url', api.now.url];
    expect((await call(login, { homeDirectory, stdin: 'airline_wrong' })).code).toBe(4);
    expect((await call(['logout'], { homeDirectory })).stdout).toContain('has no token');
  });

  it('makes, lists and revokes tokens for an administrator', async () => {
    const admin = await issue('root', ['admin', 'read']);
    const made = await as(
      admin,
      'token',
      'create',
      '--name',
      'lander',
      '--scope',
      'read,build:write',
      '--days',
      '1',
    );
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^airline_\S+\n$/),
      stderr: expect.stringContaining('lander may read, build:write until'),
    });
    const lander = made.stdout.trim();
    expect((await as(lander, 'build', 'list')).code).toBe(0);
    expect((await as(admin, 'token', 'create', '--name', 'lander', '--scope', 'read')).code).toBe(
      5,
    );
    expect((await as(admin, 'token', 'list')).stdout).toMatch(/lander +read,build:write/);
    expect((await as(admin, 'token', 'revoke', 'lander')).code).toBe(0);
    expect((await as(lander, 'build', 'list')).code).toBe(4);
    expect((await as(admin, 'token', 'revoke', 'lander')).code).toBe(3);
    expect((await as(admin, 'token', 'list')).stdout).not.toContain('lander');
    expect((await as(admin, 'token', 'list', '--all')).stdout).toMatch(/lander .* revoked/);
  });

  it('takes digits for the name of a token, and for its id with --id', async () => {
    const admin = await issue('keeper', ['admin']);
    await issue('kept', ['read']);
    const listed = async () =>
      (
        JSON.parse((await as(admin, 'token', 'list', '--json')).stdout) as {
          objects: { id: number; name: string }[];
        }
      ).objects;
    const kept = (await listed()).find(({ name }) => name === 'kept')?.id;
    await issue(`${kept}`, ['read']);
    expect((await as(admin, 'token', 'revoke', `${kept}`)).code).toBe(0);
    expect(await listed()).toContainEqual(expect.objectContaining({ name: 'kept' }));
    expect(await as(admin, 'token', 'revoke', `${kept}`)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`--id ${kept}`),
    });
    expect((await as(admin, 'token', 'revoke', '--id', `${kept}`)).code).toBe(0);
    expect(await listed()).not.toContainEqual(expect.objectContaining({ name: 'kept' }));
  });

  it('counts and pages the tokens that are not revoked', async () => {
    const admin = await issue('pager', ['admin']);
    for (const name of ['one', 'two', 'three', 'four']) await issue(name, ['read']);
    for (const name of ['one', 'three']) await as(admin, 'token', 'revoke', name);
    const { meta, objects } = JSON.parse((await as(admin, 'token', 'list', '--json')).stdout) as {
      meta: { total_count: number };
      objects: { name: string }[];
    };
    expect(objects.map(({ name }) => name).slice(-3)).toEqual(['pager', 'two', 'four']);
    expect(meta.total_count).toBe(objects.length);
    const offset = objects.length - 2;
    const page = await as(admin, 'token', 'list', '--limit', '1', '--offset', `${offset}`);
    expect(page.stdout).toMatch(/two/);
    expect(page.stderr).toBe(
      `${offset + 1} to ${offset + 1} of ${objects.length}; --limit and --offset show others.\n`,
    );
  });
});
