import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { createClocks, type Clocks } from './clocks.ts';

const NEAR_S = 20;
/** Says the time of day and the time since its start at each line that it is given. */
const PROGRAM = `require('node:readline').createInterface({ input: process.stdin })
  .on('line', () => console.log(JSON.stringify([Date.now(), performance.now()])))`;

let clocks: Clocks;
afterEach(() => clocks.close());

it('gives the programs of each machine a time of their own, and changes it under them', async () => {
  clocks = createClocks(temporaryDirectory(), { late: -300, early: 300 });
  const late = startTeller(clocks.environmentOf('late'));
  const early = startTeller(clocks.environmentOf('early'));
  const other = startTeller(clocks.environmentOf('another'));

  expect((await late.ask()).offsetS).toBe(-300);
  const before = await early.ask();
  expect(before.offsetS).toBe(300);
  expect((await other.ask()).offsetS).toBe(0);

  clocks.set('early', -120);
  const after = await early.ask();
  expect(after.offsetS).toBe(-120);
  // What takes time takes as long as ever.
  expect(after.sinceStartMs).toBeGreaterThan(before.sinceStartMs);
  expect(after.sinceStartMs - before.sinceStartMs).toBeLessThan(NEAR_S * 1_000);
  expect((await late.ask()).offsetS).toBe(-300);
  for (const teller of [late, early, other]) teller.end();
});

function startTeller(environment: Record<string, string>) {
  const child = spawn(process.execPath, ['-e', PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: environment,
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    /** Its clock's distance from ours, as the nearest of those that are set. */
    async ask() {
      child.stdin.write('\n');
      const [nowMs, sinceStartMs] = JSON.parse((await lines.next()).value as string) as [
        number,
        number,
      ];
      const distanceS = (nowMs - Date.now()) / 1_000;
      const offsetS = [-300, -120, 0, 300].find((one) => Math.abs(one - distanceS) < NEAR_S);
      return { offsetS: offsetS ?? distanceS, sinceStartMs };
    },
    end: () => child.kill(),
  };
}
