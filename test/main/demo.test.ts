import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { foreignEnvironment } from '../../main/config/config.ts';
import { programArguments } from '../support/program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const DEMO = await programArguments('main/demo.ts');

it('a .dsc that is not there stops the demonstration before anything starts', async () => {
  const directory = temporaryDirectory();
  const stateDir = join(directory, 'state');
  const path = join(directory, 'nothing_1.0.dsc');
  const { code, stderr } = await new Promise<{ code: number; stderr: string }>((done) => {
    execFile(
      process.execPath,
      [...DEMO, '--package', path],
      // A stack with this port would not start.
      { env: { ...foreignEnvironment(), AIRLINE_STATE_DIR: stateDir, AIRLINE_API_PORT: 'http' } },
      (error, _, text) => done({ code: Number(error?.code ?? 0), stderr: text }),
    );
  });
  expect(stderr).toBe(`There is no file ${path}.\n`);
  expect(code).toBe(1);
  expect(existsSync(stateDir)).toBe(false);
});
