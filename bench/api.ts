import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { apiReport } from './api/api-report.ts';
import { measure } from './api/measure.ts';
import { OPERATIONS } from './api/operations.ts';
import { goals, summarise } from './api/summary.ts';
import { startSaying, stopSignal, wholeNumber } from './command.ts';
import { describeCommit, describeMachine, loadOfLastMinute } from './machine.ts';
import { textTable, writeResult } from './report.ts';

// Many short rounds: the load of others comes and goes, and an even number gives each order its half.
const DEFAULTS = { seconds: '2', rounds: '8' };
const USAGE = `npm run bench:api -- [--layers | --processes] [--seconds N] [--rounds N] [--only NAMES] [--no-floors] [--output DIRECTORY]

Measures the ticket service beside a minimal server of node:http and pg, and writes the results. Ends with 1 where a
goal is missed.

  --layers     what each layer costs, instead
  --processes  what a second process adds, instead
  --seconds    length of a round's window for each server (default: ${DEFAULTS.seconds})
  --rounds     rounds of each operation (default: ${DEFAULTS.rounds})
  --only       some of ${OPERATIONS.map(({ name }) => name).join(',')}
  --no-floors  end with 0 whatever is measured
  --profile    folder for V8's profiles of Airline's processes, which slows them
  --output     folder of the results (default: bench/results)
  --help       this text

A run with other numbers than the defaults writes nothing unless it has --output.`;

const { values } = parseArgs({
  options: {
    layers: { type: 'boolean', default: false },
    processes: { type: 'boolean', default: false },
    seconds: { type: 'string', default: DEFAULTS.seconds },
    rounds: { type: 'string', default: DEFAULTS.rounds },
    only: { type: 'string' },
    'no-floors': { type: 'boolean', default: false },
    profile: { type: 'string' },
    output: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const seconds = wholeNumber(values.seconds, 1, 600);
const rounds = wholeNumber(values.rounds, 1, 100);
const only = OPERATIONS.map(({ name }) => name).filter(
  (name) => values.only === undefined || values.only.split(',').includes(name),
);
const isKnown = values.only === undefined || only.length === values.only.split(',').length;
if (values.help || seconds === undefined || rounds === undefined || !isKnown) {
  console.error(USAGE);
  process.exit(values.help ? 0 : 2);
}
const isDefault =
  values.seconds === DEFAULTS.seconds &&
  values.rounds === DEFAULTS.rounds &&
  values.only === undefined &&
  values.profile === undefined;
const output =
  values.output ?? (isDefault ? fileURLToPath(new URL('results', import.meta.url)) : undefined);

const say = startSaying();
const signal = stopSignal();

const name = values.layers ? 'layers' : values.processes ? 'processes' : 'api';

try {
  await run();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
// A step that was under way when the measurement was stopped must not hold the process.
process.exit();

async function run(): Promise<void> {
  const loadBefore = loadOfLastMinute();
  const options = {
    rounds: rounds ?? 1,
    windowMs: (seconds ?? 1) * 1_000,
    only,
    signal,
    say,
    ...(values.profile === undefined ? {} : { profileDir: values.profile }),
  };
  const measured = await measure(name, options);
  const report = apiReport(name, measured, options);
  console.log(`\n${report.title}`);
  for (const note of report.notes) console.log(note);
  for (const table of report.tables) console.log(`\n${textTable(table)}`);
  const isMissed = goals(name, summarise(measured)).some(({ isMet }) => !isMet);
  if (isMissed && !values['no-floors']) process.exitCode = 1;
  if (output === undefined) return;
  const file = name === 'api' ? 'api' : `api-${name}`;
  await writeResult(
    output,
    file,
    {
      command: `npm run bench:api${name === 'api' ? '' : ` -- --${name}`}`,
      measuredAt: new Date().toISOString(),
      commit: await describeCommit(),
      machine: await describeMachine([]),
      loadBefore,
      loadAfter: loadOfLastMinute(),
    },
    { measured },
    { title: report.title, lines: report.notes, tables: report.tables },
  );
  say(`written: ${file}.json and ${file}.md`);
}
