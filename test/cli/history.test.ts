import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { foreignEnvironment } from '../../main/config/config.ts';
import { workflowBundle } from '../support/addresses.ts';
import { runProgram } from '../support/program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { call, jsonLines, type Called } from './call.ts';

jest.setTimeout(600_000);

const JSON_TYPE = { 'content-type': 'application/json' };
const PROBLEM = { 'content-type': 'application/problem+json' };
const COMPLETED = 'test/histories/completed.json';

/** The command of this clone: it is in the clone that workflow code is replayed. */
const COMMAND = resolve('dist/cli/airline.mjs');
const environment = () => ({
  ...foreignEnvironment(),
  AIRLINE_WORKFLOW_BUNDLE: workflowBundle(),
});

function ofClone(args: readonly string[], directory = '.'): Promise<Called> {
  return runProgram([COMMAND, ...args], { env: environment(), cwd: directory });
}

/** A folder of configurations, which has one profile. */
function configWith(profile: string, url: string): string {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'airline'));
  writeFileSync(
    join(directory, 'airline/config.json'),
    JSON.stringify({ profiles: { [profile]: { url } } }),
  );
  return directory;
}

/** Opens a pipe to write to it once a program reads it; undefined until then. */
function openForReader(pipe: string): number | undefined {
  try {
    return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENXIO') return undefined;
    throw error;
  }
}

describe('airline history export', () => {
  const path = '/api/v1/build/7/workflow-history/';
  const first = readFileSync('test/histories/earlier/continued-as-new-1.json', 'utf8');
  const second = readFileSync('test/histories/earlier/continued-as-new-2.json', 'utf8');
  const runs: Record<string, { text: string; link: string }> = {
    [path]: {
      text: second,
      link: `<${path}?attempt=1&run=two>; rel="self", <${path}?attempt=1&run=one>; rel="prev"`,
    },
    [`${path}?attempt=1&run=one`]: {
      text: first,
      link: `<${path}?attempt=1&run=one>; rel="self"`,
    },
    '/api/v1/build/9/workflow-history/': {
      text: first,
      link: `<${path}?attempt=1&run=..%2Fone>; rel="self"`,
    },
  };
  /** An API with a build of two runs, which knows one token, and a build whose run has no name for a file. */
  const api = createServer((request, response) => {
    const found = runs[request.url ?? ''];
    const problem = (detail: string, code: string, status: number) =>
      JSON.stringify({ detail, code, status });
    if (request.headers.authorization !== 'Bearer valid')
      response.writeHead(401, PROBLEM).end(problem('No token.', 'unauthenticated', 401));
    else if (!found)
      response.writeHead(404, PROBLEM).end(problem('There is no build.', 'not_found', 404));
    else response.writeHead(200, { ...JSON_TYPE, link: found.link }).end(found.text);
  });
  let env: Record<string, string>;
  beforeAll(async () => {
    await new Promise<void>((listens) => api.listen(0, '127.0.0.1', listens));
    const { port } = api.address() as AddressInfo;
    env = { AIRLINE_URL: `http://127.0.0.1:${port}`, AIRLINE_TOKEN: 'valid' };
  });
  afterAll(() => {
    api.closeAllConnections();
    api.close();
  });
  const exported = (args: readonly string[], changed: Record<string, string> = {}) =>
    call(['history', 'export', ...args], { env: { ...env, ...changed } });

  test('gives one run, or all of them into a folder', async () => {
    const folder = join(temporaryDirectory(), 'new', 'histories');
    const file = join(temporaryDirectory(), 'one.json');
    const ended = await Promise.all([
      exported(['7']),
      exported(['7', '--run', 'one', '--attempt', '1', '--to', file]),
      exported(['7', '--all', '--to', folder]),
      exported(['7', '--all', '--to', join(folder, 'again'), '--json']),
    ]);
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(ended[0]?.stdout).toBe(second);
    expect(readFileSync(file, 'utf8')).toBe(first);
    const written = (name: string) => readFileSync(join(folder, name), 'utf8');
    expect(written('build-7-attempt-1-run-two.json')).toBe(second);
    expect(written('build-7-attempt-1-run-one.json')).toBe(first);
    expect(ended[2]?.stdout.split('\n')).toEqual([
      `${folder}/build-7-attempt-1-run-two.json: 24 events of build 7`,
      `${folder}/build-7-attempt-1-run-one.json: 52 events of build 7`,
      '',
    ]);
    expect(jsonLines(ended[3]?.stdout ?? '')).toEqual([
      { file: `${folder}/again/build-7-attempt-1-run-two.json`, events: 24 },
      { file: `${folder}/again/build-7-attempt-1-run-one.json`, events: 52 },
    ]);
  });

  test('says why there is none, and writes no file', async () => {
    const folder = join(temporaryDirectory(), 'histories');
    const all = ['--all', '--to', folder];
    const [noToken, noBuild, noApi, noName] = await Promise.all([
      exported(['7', ...all], { AIRLINE_TOKEN: 'old' }),
      exported(['8', ...all]),
      exported(['7', ...all], { AIRLINE_URL: 'http://127.0.0.1:1' }),
      exported(['9', ...all]),
    ]);
    expect([noToken, noBuild, noApi, noName].map(({ code }) => code)).toEqual([4, 3, 6, 6]);
    expect(noToken.stderr).toContain('No token.');
    expect(noBuild.stderr).toContain('There is no build.');
    expect(noApi.stderr).toContain('does not answer');
    expect(noName.stderr).toContain('does not name its attempt and its run');
    expect(existsSync(folder)).toBe(false);
  });

  test('refuses --all without a folder, or for one run', async () => {
    const folder = join(temporaryDirectory(), 'histories');
    const wrong = await Promise.all([
      exported(['7', '--all']),
      exported(['7', '--all', '--to', folder, '--attempt', '1']),
      exported(['7', '--all', '--to', folder, '--run', 'one']),
    ]);
    expect(wrong.map(({ code }) => code)).toEqual([2, 2, 2]);
    for (const { stderr } of wrong) expect(stderr).toContain('--all needs --to');
    expect(existsSync(folder)).toBe(false);
  });

  test('says so where the folder cannot be made', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    const { code, stderr } = await exported(['7', '--all', '--to', join(file, 'folder')]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('cannot be made'),
    });
  });
});

describe('airline history replay', () => {
  test.each([0, 1, 2])(
    'ends with %d where the replay does, which prints JSON where it is to',
    async (ends) => {
      const given: unknown[] = [];
      const { code } = await call(['history', 'replay', COMPLETED, '--json'], {
        cloneDirectory: resolve('.') + '/',
        runProgram: async (_, args) => {
          given.push(args.slice(2));
          return ends;
        },
      });
      const replay = [resolve('admin/replay.ts'), '--json', COMPLETED];
      expect({ code, given }).toEqual({ code: ends, given: [replay] });
    },
  );

  test('goes by the clone wherever it is called, and by the files from there', async () => {
    const directory = temporaryDirectory();
    copyFileSync(COMPLETED, join(directory, 'mine.json'));
    writeFileSync(join(directory, 'zod.ts'), "throw new Error('of another project');");
    const paths = { compilerOptions: { paths: { zod: ['./zod.ts'] } } };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(paths));
    const { code, stdout, stderr } = await ofClone(['history', 'replay', 'mine.json'], directory);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^ok +mine\.json \(\d+ events\)\n/);
  });

  test('ends with 130 at Ctrl-C, and nothing of it goes on', async () => {
    const pipe = join(temporaryDirectory(), 'history.json');
    execFileSync('mkfifo', [pipe]);
    const command = spawn(process.execPath, [COMMAND, 'history', 'replay', pipe], {
      env: environment(),
      detached: true,
      stdio: 'ignore',
    });
    const ended = new Promise((done) => command.once('close', done));
    const writer = await until('the replay reads', () => openForReader(pipe), 300_000);
    // Ctrl-C is for all programs of a terminal.
    process.kill(-(command.pid ?? NaN), 'SIGINT');
    expect(await ended).toBe(130);
    await until('nothing reads any more', () => openForReader(pipe) === undefined);
    closeSync(writer);
  });

  test('ends with 130 where a signal ends the replay alone', async () => {
    const { code } = await call(['history', 'replay', COMPLETED], {
      cloneDirectory: resolve('.') + '/',
      runProgram: async () => 130,
    });
    expect(code).toBe(130);
  });

  test('gives a replay no other token than the one of its server', async () => {
    const sent: unknown[] = [];
    const { code } = await call(['history', 'replay', '7', '--profile', 'home'], {
      cloneDirectory: resolve('.') + '/',
      env: { XDG_CONFIG_HOME: configWith('home', 'http://127.0.0.1:1'), AIRLINE_TOKEN: 'other' },
      runProgram: async (_, __, more) => {
        sent.push({ url: more?.['AIRLINE_PUBLIC_URL'], token: more?.['AIRLINE_TOKEN'] });
        return 0;
      },
    });
    expect({ code, sent }).toEqual({ code: 0, sent: [{ url: 'http://127.0.0.1:1', token: '' }] });
  });

  test('says what to do where the clone has no packages', async () => {
    const { code, stderr } = await call(['history', 'replay', COMPLETED], {
      cloneDirectory: `${temporaryDirectory()}/`,
    });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('npm ci') });
  });

  test('says what to run instead where the command is in no clone', async () => {
    const { code, stderr } = await call(['history', 'replay', COMPLETED]);
    expect(stderr).toContain(`npm run -s replay -- ${COMPLETED}`);
    expect(code).toBe(2);
  });
});
