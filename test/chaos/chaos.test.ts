import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { foreignEnvironment } from '../../main/config.ts';
import { stackAddresses, workflowBundle } from '../support/addresses.ts';
import type { ChaosResult } from './chaos.ts';

const execute = promisify(execFile);
const RUN_MS = 15 * 60_000;

jest.setTimeout(RUN_MS + 30_000);

/** Runs it in a process of its own, as `npm run chaos` does. */
async function chaos(...args: string[]): Promise<ChaosResult> {
  const { stdout } = await execute(
    process.execPath,
    ['--import', 'tsx', 'test/chaos/run.ts', '--json', ...args],
    {
      env: {
        ...foreignEnvironment(),
        AIRLINE_CACHE_DIR: stackAddresses().cacheDir,
        AIRLINE_WORKFLOW_BUNDLE: workflowBundle(),
      },
      timeout: RUN_MS,
      maxBuffer: 2 ** 26,
    },
  );
  return JSON.parse(stdout) as ChaosResult;
}

it('loses nothing while its parts are killed and paused', async () => {
  const { findings, blows, builds } = await chaos(
    '--builds',
    '10',
    '--kills',
    '8',
    '--seed',
    '3712',
  );
  expect(findings.flatMap(({ violations }) => violations)).toEqual([]);
  expect(findings.filter(({ checked }) => checked === 0)).toEqual([]);
  expect(Object.values(builds).reduce((sum, count) => sum + count, 0)).toBe(10);
  expect(Object.values(blows).reduce((sum, { kills, pauses }) => sum + kills + pauses, 0)).toBe(8);
});

it('does nothing twice when workers are replaced in order', async () => {
  const { findings, deploys } = await chaos('--builds', '12', '--deploys', '2', '--minutes', '0.4');
  expect(findings.flatMap(({ violations }) => violations)).toEqual([]);
  expect(findings.at(-1)?.promise).toContain('no activity had to be repeated');
  expect(deploys).toBe(2);
});
