import { fileURLToPath } from 'node:url';
import { measureApi } from './api/measure.ts';
import { OPERATIONS } from './api/operations.ts';
import { measureAccept } from './builds/accept.ts';
import { measureFlight } from './builds/flight.ts';
import { measureWatch } from './builds/watch.ts';
import { measureLandings } from './landings.ts';
import { measureLargeTables } from './large-tables/measure.ts';
import { describe, type Result } from './report.ts';
import { readCommandLine, refuseCall } from '../scripts/command-line.ts';
import { measureUpload } from './upload.ts';
import { loadOfLastMinute, writeResult } from './write-result.ts';

const USAGE = `npm run bench -- NAME... [options]

Measures one after the other, on free ports, with a state of its own, prints what it has found and writes it to bench/results as JSON and as
a page. Ends with 1 where a goal is missed.

  api          the ticket service beside a minimal server of node:http and pg, on a small and a large database
  layers       what each layer between the socket and PostgreSQL costs, Sequelize among them
  processes    two processes of the API beside one
  accept       POST build_source beside raw starts of workflows
  flight       thousands of builds in flight at once
  watch        what it costs to watch builds in flight, which come there without an upload; an hour, 21 GiB
  landings     what Airline adds to the steps of a landing, and many landings at once
  large-tables what the service asks of a database with ten million tickets, beside a small one; half an hour, 40 GiB
  upload       the upload of a large source package beside curl, and the memory that it takes

  --rounds N   of api, layers, processes (8), accept (6), upload (4), large-tables (4)
  --seconds N  length of a round's window for each server: api, layers, processes (2), large-tables (1)
  --only NAMES some of ${OPERATIONS.map(({ name }) => name).join(',')}: api, layers, processes
  --builds N   in each round of accept (500), in flight at once (flight 10000, watch 100000), or of the large database (1000000)
  --tickets N  of the large database (10000000)
  --landings N at once (20): landings
  --poll N     longest wait between two polls of the PPA in seconds: flight (600), watch (60)
  --watched    leaves out the builds that poll by themselves, which of many take hours: flight
  --size N     of the upstream tarball in MiB: upload (1024)
  --no-floors  end with 0 whatever is measured
  --output DIR folder of the results; a run with other numbers than the defaults writes nothing without it
  --help       this text`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const { values, positionals, tokens } = readCommandLine(USAGE, {
  allowPositionals: true,
  tokens: true,
  options: {
    rounds: text,
    seconds: text,
    only: text,
    builds: text,
    tickets: text,
    landings: text,
    poll: text,
    size: text,
    watched: flag,
    output: text,
    'no-floors': flag,
  },
});
const { rounds, seconds, only, builds, tickets, landings, poll, size, watched } = values;
const isDefault =
  !watched &&
  [rounds, seconds, only, builds, tickets, landings, poll, size].every((one) => one === undefined);
const output =
  values.output ?? (isDefault ? fileURLToPath(new URL('results', import.meta.url)) : undefined);

const interruption = new AbortController();
for (const stop of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(stop, () => interruption.abort(new Error(`stopped by ${stop}`)));
const startedAtMs = Date.now();
const say = (line: string) =>
  console.log(`${((Date.now() - startedAtMs) / 1_000).toFixed(1).padStart(8)} s  ${line}`);
const shared = { signal: interruption.signal, say };

/** What can be measured: how, and the Debian packages whose versions matter. */
const BENCHMARKS: Record<string, { measure: () => Promise<Result>; packages?: string[] }> = {
  api: { measure: () => measureApi('api', apiOptions()) },
  layers: { measure: () => measureApi('layers', apiOptions()) },
  processes: { measure: () => measureApi('processes', apiOptions()) },
  accept: {
    measure: () =>
      measureAccept({
        ...shared,
        rounds: wholeNumber(rounds ?? '6', 1, 100),
        builds: wholeNumber(builds ?? '500', 20, 10_000),
      }),
  },
  flight: {
    measure: () =>
      measureFlight({
        ...shared,
        builds: wholeNumber(builds ?? '10000', 20, 100_000),
        pollMaxMs: wholeNumber(poll ?? '600', 1, 3_600) * 1_000,
        watchedOnly: watched,
      }),
    packages: ['rabbitmq-server'],
  },
  watch: {
    measure: () =>
      measureWatch({
        ...shared,
        builds: wholeNumber(builds ?? '100000', 100, 200_000),
        pollMaxMs: wholeNumber(poll ?? '60', 1, 3_600) * 1_000,
      }),
    packages: ['rabbitmq-server'],
  },
  landings: {
    measure: () => measureLandings({ ...shared, landings: wholeNumber(landings ?? '20', 1, 500) }),
    packages: ['rabbitmq-server'],
  },
  'large-tables': {
    measure: () =>
      measureLargeTables({
        ...shared,
        rounds: wholeNumber(rounds ?? '4', 1, 100),
        windowMs: wholeNumber(seconds ?? '1', 1, 600) * 1_000,
        small: { tickets: 5_000, builds: 5_000 },
        large: {
          tickets: wholeNumber(tickets ?? '10000000', 5_000, 20_000_000),
          builds: wholeNumber(builds ?? '1000000', 5_000, 5_000_000),
        },
      }),
  },
  upload: {
    measure: () =>
      measureUpload({
        ...shared,
        rounds: wholeNumber(rounds ?? '4', 1, 100),
        tarballBytes: wholeNumber(size ?? '1024', 1, 3_072) * 2 ** 20,
      }),
    packages: ['curl'],
  },
};

try {
  if (positionals.length === 0) refuseCall(USAGE);
  for (const name of positionals) await run(name);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
// A step that was under way when the measurement was stopped must not hold the process.
process.exit();

async function run(name: string): Promise<void> {
  const benchmark = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
  if (!benchmark) refuseCall(USAGE);
  const loadBefore = loadOfLastMinute();
  const result = await benchmark.measure();
  console.log(`\n${describe(result)}`);
  if (result.goals.some(({ isMet }) => !isMet) && !values['no-floors']) process.exitCode = 1;
  if (output === undefined) return;
  const command = ['npm run bench --', name, ...givenOptions()].join(' ');
  const circumstances = { command, packages: benchmark.packages ?? [], loadBefore };
  await writeResult(output, name, circumstances, result);
  say(`written: ${name}.json and ${name}.md`);
}

/** The options as they were given, but for the folder of the results. */
function givenOptions(): string[] {
  return tokens.flatMap((token) => {
    if (token.kind !== 'option' || token.name === 'output') return [];
    return token.value === undefined ? [token.rawName] : [token.rawName, token.value];
  });
}

function apiOptions() {
  const all = OPERATIONS.map((operation) => operation.name);
  const named = only?.split(',') ?? all;
  const found = all.filter((one) => named.includes(one));
  if (found.length !== named.length) refuseCall(USAGE);
  return {
    ...shared,
    rounds: wholeNumber(rounds ?? '8', 1, 100),
    windowMs: wholeNumber(seconds ?? '2', 1, 600) * 1_000,
    only: found,
  };
}

/** A whole number within the bounds; another one ends the process, as a wrong call. */
function wholeNumber(text: string, min: number, max: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= min && number <= max)) refuseCall(USAGE);
  return number;
}
