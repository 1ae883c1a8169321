import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { foreignEnvironment } from '../../main/config/config.ts';
import { stackAddresses, workflowBundle } from '../support/addresses.ts';
import { programArguments } from '../support/program.ts';
import type { ChaosResult } from './chaos.ts';

const execute = promisify(execFile);
const RUN_MS = 15 * 60_000;
/** Its plan kills each kind of part once. */
const SEED = '69358';

jest.setTimeout(RUN_MS + 30_000);

it('loses nothing while each of its parts is killed', async () => {
  const { findings, blows, builds } = await chaos(
    '--builds',
    '8',
    '--landings',
    '0',
    '--kills',
    '6',
    '--seed',
    SEED,
  );
  expect(findings.flatMap(({ violations }) => violations)).toEqual([]);
  expect(findings.filter(({ checked }) => checked === 0)).toEqual([]);
  expect(Object.values(builds).reduce((sum, count) => sum + count, 0)).toBe(8);
  expect(
    Object.keys(blows)
      .map((part) => part.replace(/-\d$/, ''))
      .toSorted(),
  ).toEqual(['api', 'postgresql', 'rabbitmq', 'stand-in', 'temporal', 'worker']);
});

/** Runs it in a process of its own, as `npm run chaos` does. */
async function chaos(...args: string[]): Promise<ChaosResult> {
  const { stdout } = await execute(
    process.execPath,
    [...(await programArguments('test/chaos/run.ts')), '--json', ...args],
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
