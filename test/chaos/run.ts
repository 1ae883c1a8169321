import { readCommandLine, refuseCall } from '../../scripts/command-line.ts';
import { makeRunDirectory } from '../support/stack/run-directory.ts';
import { runChaos } from './chaos.ts';
import { ownNetworkDirectory, runInOwnNetwork } from './machines/own-network.ts';
import { makePlan } from './plan.ts';
import { describePlan, describeResult } from './report.ts';

const MS_PER_KILL = 2_500;
/** Links are cut for longer than processes are down. */
const MS_PER_KILL_OF_MACHINES = 8_000;
const MS_PER_BUILD = 600;
const USAGE = `npm run chaos -- [--builds N] [--landings N] [--kills N] [--seed N] [--deploys N] [--minutes M] [--pause-share S] [--machines] [--keep] [--json]

Kills and pauses the parts of a whole Airline while a lander requests builds and lands tickets, restarts them, and audits what is left:
docs/chaos.md explains the table.

  --builds       build requests, spread over the run (default: 100)
  --landings     tickets that are landed, spread over the run (default: 20)
  --kills        blows, each to one part: kill -9, or a pause (default: 200; 0 with --deploys)
  --seed         decides the plan (default: 1); the same seed makes the same plan
  --deploys      workers that are replaced in order meanwhile (default: 0)
  --minutes      time over which all of it is spread (default: 2.5 s for each blow, 8 s with --machines, at least 0.6 s for each build)
  --pause-share  how many of the blows are pauses, 0 to 1 (default: 0.25)
  --machines     gives each part a machine of its own, a network namespace, and deals blows to machines and their links, too;
                 clocks differ by up to 5 minutes where nothing is landed; only for root, without --deploys
  --keep         keeps state and logs; where something was violated they are kept anyway
  --json         prints the plan and the result as one JSON document instead
  --help         this text

Exit code: 0 when all holds, 1 when something was violated, 2 when it could not run.`;

const { values } = readCommandLine(USAGE, {
  options: {
    builds: { type: 'string', default: '100' },
    landings: { type: 'string', default: '20' },
    kills: { type: 'string' },
    seed: { type: 'string', default: '1' },
    deploys: { type: 'string', default: '0' },
    minutes: { type: 'string' },
    'pause-share': { type: 'string', default: '0.25' },
    machines: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const [builds, landings, seed, deploys] = [
  values.builds,
  values.landings,
  values.seed,
  values.deploys,
].map(Number) as [number, number, number, number];
const kills = Number(values.kills ?? (deploys > 0 ? 0 : 200));
const pauseShare = Number(values['pause-share']);
const minutes =
  values.minutes === undefined
    ? Math.max(
        kills * (values.machines ? MS_PER_KILL_OF_MACHINES : MS_PER_KILL),
        builds * MS_PER_BUILD,
      ) / 60_000
    : Number(values.minutes);
const isWrong =
  [builds, landings, kills, seed, deploys].some(
    (number) => !Number.isSafeInteger(number) || number < 0,
  ) ||
  builds < 1 ||
  (values.machines && deploys > 0) ||
  !(pauseShare >= 0 && pauseShare <= 1) ||
  !(minutes > 0);
if (isWrong) refuseCall(USAGE);

const say = (line: string) => (values.json ? console.error(line) : console.log(line));

if (values.machines && ownNetworkDirectory() === undefined) {
  try {
    process.exit(await runInOwnNetwork(say));
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  // The kernel tells the parts to stop when we are gone.
  process.on(signal, () => process.exit(2));

try {
  const plan = makePlan({
    seed,
    builds,
    landings,
    kills,
    deploys,
    pauseShare,
    machines: values.machines,
    lengthMs: minutes * 60_000,
  });
  if (!values.json) console.log(describePlan(plan));
  const result = await runChaos(plan, {
    directory: ownNetworkDirectory() ?? makeRunDirectory('airline-chaos-'),
    keep: values.keep,
    say,
  });
  console.log(values.json ? JSON.stringify({ plan, ...result }, null, 2) : describeResult(result));
  process.exitCode = result.findings.some(({ violations }) => violations.length > 0) ? 1 : 0;
} catch (error) {
  console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  // Requests that were under way would be tried again for minutes.
  process.exit(2);
}
