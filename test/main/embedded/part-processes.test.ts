import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createRun } from '../../../main/embedded/part-processes.ts';
import { processesWith } from '../../../main/embedded/process-table.ts';
import { STACK_MARKER } from '../../../main/embedded/stale-processes.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const SLEEP = { file: 'sleep', args: ['600'], cwd: '/', environment: { PATH: '/usr/bin:/bin' } };

let stateDir: string;
let interruption: AbortController;
let run: ReturnType<typeof createRun>;

beforeEach(() => {
  stateDir = temporaryDirectory();
  const directories = { stateDir, runDir: join(stateDir, 'run'), logDir: join(stateDir, 'logs') };
  mkdirSync(directories.runDir);
  mkdirSync(directories.logDir);
  interruption = new AbortController();
  run = createRun(directories, 'migrations', interruption.signal);
});
afterEach(() => {
  expect(processesWith(STACK_MARKER, stateDir)).toEqual([]);
  expect(readdirSync(join(stateDir, 'run'))).toEqual([]);
});

it('an interruption while a program is launched ends it', async () => {
  const running = run(SLEEP, 600_000);
  interruption.abort(new Error('Ctrl-C'));
  await expect(running).rejects.toThrow('Ctrl-C');
});

it('a program that takes too long is ended', async () => {
  await expect(run(SLEEP, 50)).rejects.toThrow('migrations took longer than 0.05 s');
});

it('a program that takes too long is ended, whatever is collected meanwhile', async () => {
  const collecting = setInterval(collectGarbage, 100);
  try {
    const endsBySelf = { ...SLEEP, args: ['60'] };
    await expect(run(endsBySelf, 500)).rejects.toThrow('migrations took longer than 0.5 s');
  } finally {
    clearInterval(collecting);
  }
});
