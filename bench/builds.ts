import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureAccept } from './builds/accept.ts';
import { measureEvents } from './builds/events.ts';
import { measureFlight } from './builds/flight.ts';
import { buildsReport } from './builds/result-tables.ts';
import { goals, type BuildMeasurements } from './builds/summary.ts';
import { startSaying, stopSignal, wholeNumber } from './command.ts';
import { describeCommit, describeMachine, loadOfLastMinute } from './machine.ts';
import { textTable, writeResult } from './report.ts';

const NAMES = ['accept', 'flight', 'latency', 'events'] as const;
// An even number of rounds gives each order its half.
const DEFAULTS = { builds: '10000', rounds: '6', poll: '600' };
const MAX_IN_A_ROUND = 500;
const USAGE = `npm run bench:builds -- [--builds N] [--only NAMES] [--rounds N] [--poll S] [--no-floors] [--output DIRECTORY]

Measures the whole embedded stack with builds by script, on free ports and with a state of its own, and writes the
results. Ends with 1 where a goal is missed.

  --builds     builds in flight at once (default: ${DEFAULTS.builds}); at most ${MAX_IN_A_ROUND} of them are posted in a round of accept
  --only       some of ${NAMES.join(',')}; latency takes the flight with it
  --rounds     rounds of accept (default: ${DEFAULTS.rounds})
  --poll       longest wait between two looks at the PPA in flight, in seconds (default: ${DEFAULTS.poll})
  --no-floors  end with 0 whatever is measured
  --output     folder of the results (default: bench/results)
  --help       this text

A run with other numbers than the defaults writes nothing unless it has --output; one with --only has it in its name.`;

const { values } = parseArgs({
  options: {
    builds: { type: 'string', default: DEFAULTS.builds },
    only: { type: 'string' },
    rounds: { type: 'string', default: DEFAULTS.rounds },
    poll: { type: 'string', default: DEFAULTS.poll },
    'no-floors': { type: 'boolean', default: false },
    output: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const builds = wholeNumber(values.builds, 20, 100_000);
const rounds = wholeNumber(values.rounds, 1, 100);
const pollS = wholeNumber(values.poll, 1, 3_600);
const only = values.only?.split(',') ?? [...NAMES];
const isKnown = only.every((name) => (NAMES as readonly string[]).includes(name));
if (
  values.help ||
  builds === undefined ||
  rounds === undefined ||
  pollS === undefined ||
  !isKnown
) {
  console.error(USAGE);
  process.exit(values.help ? 0 : 2);
}
const isDefault =
  values.builds === DEFAULTS.builds &&
  values.rounds === DEFAULTS.rounds &&
  values.poll === DEFAULTS.poll &&
  values.only === undefined;
const output =
  values.output ?? (isDefault ? fileURLToPath(new URL('results', import.meta.url)) : undefined);

const say = startSaying();
const signal = stopSignal();

try {
  await measure({ builds, rounds, pollMaxMs: pollS * 1_000 });
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
// A step that was under way when the measurement was stopped must not hold the process.
process.exit();

async function measure(options: {
  builds: number;
  rounds: number;
  pollMaxMs: number;
}): Promise<void> {
  const { builds, rounds, pollMaxMs } = options;
  const loadBefore = loadOfLastMinute();
  const measured: BuildMeasurements = {};
  if (only.includes('accept')) {
    say('measuring: accept');
    const perRound = Math.min(builds, MAX_IN_A_ROUND);
    measured.accept = await measureAccept({ rounds, perRound, signal, say });
  }
  if (only.includes('flight') || only.includes('latency')) {
    say('measuring: flight');
    const withFew = only.includes('latency');
    measured.flight = await measureFlight({ builds, pollMaxMs, withFew, signal, say });
  }
  if (only.includes('events')) {
    say('measuring: events');
    measured.events = await measureEvents({ signal, say });
  }
  const report = buildsReport(measured);
  console.log(`\n${report.title}`);
  for (const line of report.lines) console.log(`\n${line}`);
  for (const table of report.tables) console.log(`\n${textTable(table)}`);
  const reached = goals(measured);
  if (reached.some(({ isMet }) => !isMet) && !values['no-floors']) process.exitCode = 1;
  if (output === undefined) return;
  await writeResult(
    output,
    values.only === undefined ? 'builds' : `builds-${only.join('-')}`,
    {
      command: [
        'npm run bench:builds',
        ...(isDefault ? [] : ['--', ...process.argv.slice(2)]),
      ].join(' '),
      measuredAt: new Date().toISOString(),
      commit: await describeCommit(),
      machine: await describeMachine(['rabbitmq-server']),
      loadBefore,
      loadAfter: loadOfLastMinute(),
    },
    { goals: reached, ...measured },
    report,
  );
  say('written: builds.json and builds.md');
}
