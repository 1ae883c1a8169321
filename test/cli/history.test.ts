import { execFile, execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, copyFileSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { foreignEnvironment } from '../../main/config/config.ts';
import { lastingBundle } from '../support/lasting-bundle.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { call, type Called } from './call.ts';

jest.setTimeout(120_000);

const COMPLETED = 'test/histories/completed.json';

/** The command of this clone: it is in the clone that workflow code is replayed. */
const COMMAND = resolve('dist/cli/airline.mjs');
const environment = () => ({
  ...foreignEnvironment(),
  AIRLINE_WORKFLOW_BUNDLE: lastingBundle(),
});

function ofClone(args: readonly string[], directory = '.'): Promise<Called> {
  return new Promise((done) => {
    execFile(
      process.execPath,
      [COMMAND, ...args],
      { env: environment(), cwd: directory },
      (error, stdout, stderr) => done({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
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

describe('airline history replay', () => {
  test('ends with 0 where the code of the clone replays a history', async () => {
    const { code, stdout } = await ofClone(['history', 'replay', COMPLETED]);
    expect(stdout).toMatch(/^ok +test\/histories\/completed\.json \(\d+ events\)\n/);
    expect(code).toBe(0);
  });

  test('ends with 1 and says where a history diverges', async () => {
    const changed = join(temporaryDirectory(), 'changed.json');
    writeFileSync(changed, readFileSync(COMPLETED, 'utf8').replaceAll('uploadSource', 'send'));
    const { code, stdout } = await ofClone(['history', 'replay', changed, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ histories: [{ outcome: 'diverges' }] });
    expect(code).toBe(1);
  });

  test('goes by the clone wherever it is called, and by the files from there', async () => {
    const directory = temporaryDirectory();
    copyFileSync(COMPLETED, join(directory, 'mine.json'));
    writeFileSync(join(directory, 'zod.ts'), "throw new Error('of another project');");
    const paths = { compilerOptions: { paths: { zod: ['./zod.ts'] } } };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(paths));
    const { code, stdout, stderr } = await ofClone(['history', 'replay', 'mine.json'], directory);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^ok +mine\.json /);
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
    const writer = await until('the replay reads', () => openForReader(pipe), 60_000);
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
