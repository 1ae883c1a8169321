import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { foreignEnvironment } from '../../main/config.ts';
import { lastingBundle } from '../support/lasting-bundle.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { call, type Called } from './call.ts';

jest.setTimeout(120_000);

const COMPLETED = 'test/histories/completed.json';

/** Runs the command of this clone: it is in the clone that workflow code is replayed. */
function inClone(args: readonly string[]): Promise<Called> {
  return new Promise((done) => {
    execFile(
      process.execPath,
      ['dist/cli/airline.mjs', ...args],
      { env: { ...foreignEnvironment(), AIRLINE_WORKFLOW_BUNDLE: lastingBundle() } },
      (error, stdout, stderr) => done({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

describe('airline history replay', () => {
  test('ends with 0 where the code of the clone replays a history', async () => {
    const { code, stdout } = await inClone(['history', 'replay', COMPLETED]);
    expect(stdout).toMatch(/^ok +test\/histories\/completed\.json \(\d+ events\)\n/);
    expect(code).toBe(0);
  });

  test('ends with 1 and says where a history diverges', async () => {
    const changed = join(temporaryDirectory(), 'changed.json');
    writeFileSync(changed, readFileSync(COMPLETED, 'utf8').replaceAll('uploadSource', 'send'));
    const { code, stdout } = await inClone(['history', 'replay', changed, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ histories: [{ outcome: 'diverges' }] });
    expect(code).toBe(1);
  });

  test('says what to run instead where the command is in no clone', async () => {
    const { code, stderr } = await call(['history', 'replay', COMPLETED]);
    expect(stderr).toContain(`npm run -s replay -- ${COMPLETED}`);
    expect(code).toBe(2);
  });
});
