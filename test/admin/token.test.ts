import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { foreignEnvironment } from '../../main/config/config.ts';
import { waitUntil } from '../../main/embedded/wait-until.ts';
import { CommanderError } from 'commander';
import { tokenCommand, type NewToken } from '../../admin/token/command-line.ts';
import { useDatabase } from '../models/use-database.ts';
import { freePorts } from '../support/stack/free-ports.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { programArguments, runConsecutively, runProgram } from '../support/program.ts';

const TOKEN = 'admin/token.ts';
const API = await programArguments('main/api.ts');

const database = useDatabase();

jest.setTimeout(600_000);

const DAY_MS = 86_400_000;

type Call = readonly [args: readonly string[], variables?: Record<string, string>];

const environment = (variables: Record<string, string> = {}) => ({
  ...foreignEnvironment(),
  AIRLINE_DATABASE_URL: database.url,
  ...variables,
});

/** Runs `npm run -s token --` with arguments, as its script does. */
async function token(...[args, variables]: Call) {
  return runProgram([...(await programArguments(TOKEN)), ...args], { env: environment(variables) });
}

/** The same for several calls, one after the other. */
function tokens(...calls: Call[]) {
  return runConsecutively(
    calls.map(([args, variables]) => ({ program: TOKEN, args, env: environment(variables) })),
  );
}

/** A token that is there already. */
async function issued(name: string): Promise<string> {
  const lifetimes = { defaultMs: DAY_MS, maxMs: DAY_MS };
  const asked = { name, scopes: ['read'] } as const;
  const { AccessToken } = database.now;
  return (await AccessToken.issue(asked, lifetimes, { actor: 'root at the command line' })).text;
}
const create = (name: string, variables: Record<string, string> = {}, ...args: string[]) =>
  [['create', '--name', name, '--scope', 'read', ...args], variables] as const;

describe('npm run token', () => {
  it('makes a token: its text alone on standard output, the rest beside it', async () => {
    const { code, stdout, stderr } = await token(
      ...create('lander', {}, '--scope', 'ticket:write'),
    );
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^airline_[\w-]{43}\n$/),
    });
    expect(stderr).toMatch(/^lander may read, ticket:write until \d{4}-.*Z\./);
    expect(stderr).not.toContain(stdout.trim());
    const { AccessToken } = database.now;
    expect(await AccessToken.findValid(stdout.trim())).toMatchObject({
      name: 'lander',
      scopes: ['read', 'ticket:write'],
    });
    expect((await AccessToken.named('lander'))?.createdBy).toMatch(/^\S+ at the command line$/);
  });

  it('makes one for some days, and answers in JSON', async () => {
    const { code, stdout } = await token(
      ...create('guest', {}, '--days', '0.5', '--ppa', '~team/*', '--json'),
    );
    const made = JSON.parse(stdout);
    expect({ code, made }).toMatchObject({
      code: 0,
      made: {
        resource_uri: `/api/v1/token/${made.id}/`,
        name: 'guest',
        scopes: ['read'],
        ppas: ['~team/*'],
        revoked_by: null,
        token: expect.stringMatching(/^airline_/),
      },
    });
    expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(DAY_MS / 2);
  });

  it('says why it cannot, and ends with 1', async () => {
    await issued('taken');
    const answers = await tokens(
      create('taken'),
      create('long', {}, '--days', '9999'),
      create('nowhere', { AIRLINE_DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' }),
      create('nothing', { AIRLINE_DATABASE_URL: new URL('/postgres', database.url).href }),
    );
    expect(answers.map(({ code }) => code)).toEqual([1, 1, 1, 1]);
    expect(answers.map(({ stderr }) => stderr)).toEqual([
      'There is a token "taken" that is not revoked. Create one of another name with the scope admin, and then: airline token revoke taken\n',
      expect.stringMatching(/^Enter a time up to \S+\.\n$/),
      expect.stringMatching(/^The database does not answer \(.*\)\. .*\n$/),
      expect.stringMatching(/^The database has no tables for tokens.*\n$/),
    ]);
  });

  it('explains itself where the call is wrong, and ends with 2; and when it is asked, with 0', async () => {
    const [wrong, asked] = await tokens([['burn']], [['create', '--help']]);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong?.stderr).toMatch(/unknown command 'burn'\n\nUsage: npm run -s token -- /);
    expect(asked).toMatchObject({ code: 0, stderr: '' });
    expect(asked?.stdout).toMatch(/^Usage: npm run -s token -- create /);
    expect(asked?.stdout).toContain('Ends with 0');
  });
});

it('its first token opens an API that asks for tokens, on any address and under any name', async () => {
  const { stdout } = await token(['create', '--name', 'first', '--scope', 'admin']);
  const { api: port } = await freePorts();
  const api = spawn(process.execPath, [...API], {
    env: {
      ...foreignEnvironment(),
      AIRLINE_AUTH: 'token',
      AIRLINE_API_HOST: '0.0.0.0',
      AIRLINE_PUBLIC_URL: 'https://airline.example.com',
      AIRLINE_API_PORT: String(port),
      AIRLINE_DATABASE_URL: database.url,
      // Nobody listens there: the API does without.
      AIRLINE_AMQP_URL: 'amqp://guest:guest@127.0.0.1:1',
      AIRLINE_TEMPORAL_ADDRESS: '127.0.0.1:1',
      AIRLINE_STATE_DIR: temporaryDirectory(),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(api, 'close');
  let log = '';
  api.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
  try {
    await waitUntil('an API that listens', () => log.includes('the API listens'), {
      timeoutMs: 300_000,
    });
    const get = (path: string, headers: Record<string, string>) => statusOf(port, path, headers);
    const authorization = `ApiKey first:${stdout.trim()}`;
    const host = 'airline.example';
    expect(await get('/api/v1/ticket/', { host, authorization })).toBe(200);
    expect(await get('/api/v1/ticket/', { host })).toBe(401);
    expect(await get('/healthz', { host })).toBe(200);
  } finally {
    api.kill('SIGTERM');
    await ended;
  }
  expect(log).toContain('/api/v1/ticket/');
  expect(log).not.toContain(stdout.trim());
});

/** The status of a GET with the Host header that is given; fetch sends its own. */
function statusOf(port: number, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers, agent: false })
      .once('response', (response) => resolve(response.resume().statusCode ?? 0))
      .once('error', reject)
      .end();
  });
}

it('without AIRLINE_DATABASE_URL it is about the database of npm start; where that has made none, it says so', async () => {
  const state = temporaryDirectory();
  mkdirSync(join(state, 'postgresql'));
  const { hostname, port, password } = new URL(database.url);
  expect(hostname).toBe('127.0.0.1');
  writeFileSync(join(state, 'postgresql.password'), decodeURIComponent(password));
  const nowhere = join(temporaryDirectory(), 'state');
  const [answer, without] = await tokens(
    create('first', {
      AIRLINE_DATABASE_URL: '',
      AIRLINE_DATABASE_PORT: port,
      AIRLINE_STATE_DIR: state,
    }),
    create('first', { AIRLINE_DATABASE_URL: '', AIRLINE_STATE_DIR: nowhere }),
  );
  // The cluster of the tests has a database of the name that `npm start` gives it, and nothing in it.
  expect(answer).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no tables for tokens/),
  });
  expect(without).toMatchObject({ code: 1, stdout: '' });
  expect(without?.stderr).toMatch(/^There is no database: AIRLINE_DATABASE_URL is not set/);
});

describe('a command line', () => {
  let asked: NewToken | undefined;
  const parse = async (args: readonly string[]) => {
    asked = undefined;
    const command = tokenCommand(async (token) => {
      asked = token;
    });
    for (const one of [command, ...command.commands])
      one.configureOutput({ writeErr: () => {}, writeOut: () => {} });
    await command.parseAsync(args, { from: 'user' });
  };

  it.each([
    [[]],
    [['burn']],
    [['create', '--name', 'x']],
    [['create', '--scope', 'read']],
    [['create', '--name', 'a b', '--scope', 'read']],
    [['create', '--name', 'x', '--scope', 'everything']],
    [['create', '--name', 'x', '--scope', 'read', '--days', '0']],
    [['create', '--name', 'x', '--scope', 'read', '--days', 'many']],
    [['create', 'x', '--scope', 'read']],
    [['create', 'x', '--name', 'x', '--scope', 'read']],
    [['create', '--name', 'x', '--scope', 'read', '--all']],
    [['create', '--name', 'x', '--scope', 'read', '--ppa', 'team/own']],
    [['create', '--name', 'x', '--scope', 'read', '--queue-prefix', 'a b']],
  ])('that is wrong is refused: %j', async (args) => {
    await expect(parse(args)).rejects.toThrow(CommanderError);
    expect(asked).toBeUndefined();
  });

  it('gives the scopes in their own order and each once', async () => {
    const given = ['--scope', 'admin', '--scope', 'read', '--scope', 'admin'];
    await parse(['create', '--name', 'x', ...given]);
    expect(asked).toEqual({
      name: 'x',
      scopes: ['read', 'admin'],
      targets: { ppas: [], queuePrefixes: [] },
      days: undefined,
      json: false,
    });
  });
});
