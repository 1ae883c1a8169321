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
import { describeCommit, loadOfLastMinute, writeResult } from './write-result.ts';

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
const { output: folder, 'no-floors': isWithoutFloors, ...numbers } = values;
type Name = keyof typeof numbers;
/** The options that change what is measured. */
const given = new Set(tokens.flatMap((one) => (one.kind === 'option' ? [one.name] : [])));
given.delete('output');
given.delete('no-floors');
const output =
  folder ?? (given.size === 0 ? fileURLToPath(new URL('results', import.meta.url)) : undefined);

const interruption = new AbortController();
for (const stop of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(stop, () => interruption.abort(new Error(`stopped by ${stop}`)));
const startedAtMs = Date.now();
const say = (line: string) =>
  console.log(`${((Date.now() - startedAtMs) / 1_000).toFixed(1).padStart(8)} s  ${line}`);
const shared = { signal: interruption.signal, say };

/** What is asked for the options of a benchmark: a wrong one ends the process, as a wrong call. */
type Options = {
  wholeNumber: (name: Name, byDefault: number, min: number, max: number) => number;
  /** Names separated by commas, of those that there are; all of them by default. */
  namesOf: <One extends string>(name: Name, all: readonly One[]) => One[];
  isGiven: (name: Name) => boolean;
};

/** What can be measured: how, with its options read, and the Debian packages whose versions matter. */
const BENCHMARKS: Record<
  string,
  { prepare: (options: Options) => () => Promise<Result>; packages?: string[] }
> = {
  api: { prepare: prepareApi('api') },
  layers: { prepare: prepareApi('layers') },
  processes: { prepare: prepareApi('processes') },
  accept: {
    prepare: ({ wholeNumber }) => {
      const rounds = wholeNumber('rounds', 6, 1, 100);
      const builds = wholeNumber('builds', 500, 20, 10_000);
      return () => measureAccept({ ...shared, rounds, builds });
    },
  },
  flight: {
    prepare: ({ wholeNumber, isGiven }) => {
      const builds = wholeNumber('builds', 10_000, 20, 100_000);
      const pollMaxMs = wholeNumber('poll', 600, 1, 3_600) * 1_000;
      const watchedOnly = isGiven('watched');
      return () => measureFlight({ ...shared, builds, pollMaxMs, watchedOnly });
    },
    packages: ['rabbitmq-server'],
  },
  watch: {
    prepare: ({ wholeNumber }) => {
      const builds = wholeNumber('builds', 100_000, 100, 200_000);
      const pollMaxMs = wholeNumber('poll', 60, 1, 3_600) * 1_000;
      return () => measureWatch({ ...shared, builds, pollMaxMs });
    },
    packages: ['rabbitmq-server'],
  },
  landings: {
    prepare: ({ wholeNumber }) => {
      const landings = wholeNumber('landings', 20, 1, 500);
      return () => measureLandings({ ...shared, landings });
    },
    packages: ['rabbitmq-server'],
  },
  'large-tables': {
    prepare: ({ wholeNumber }) => {
      const rounds = wholeNumber('rounds', 4, 1, 100);
      const windowMs = wholeNumber('seconds', 1, 1, 600) * 1_000;
      const small = { tickets: 5_000, builds: 5_000 };
      const large = {
        tickets: wholeNumber('tickets', 10_000_000, 5_000, 20_000_000),
        builds: wholeNumber('builds', 1_000_000, 5_000, 5_000_000),
      };
      return () => measureLargeTables({ ...shared, rounds, windowMs, small, large });
    },
  },
  upload: {
    prepare: ({ wholeNumber }) => {
      const rounds = wholeNumber('rounds', 4, 1, 100);
      const tarballBytes = wholeNumber('size', 1_024, 1, 3_072) * 2 ** 20;
      return () => measureUpload({ ...shared, rounds, tarballBytes });
    },
    packages: ['curl'],
  },
};

try {
  if (positionals.length === 0) refuseCall(USAGE);
  // What is wrong with the last one is said before the first one is measured.
  const benchmarks = positionals.map(prepare);
  const ignored = [...given].find((name) => benchmarks.every(({ read }) => !read.has(name)));
  if (ignored !== undefined)
    refuseCall(USAGE, `--${ignored} is no option of ${positionals.join(', ')}.`);
  for (const benchmark of benchmarks) await run(benchmark);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
// A step that was under way when the measurement was stopped must not hold the process.
process.exit();

/** A benchmark whose options are read, and the names of these. A wrong name or option ends the process. */
function prepare(name: string) {
  const benchmark = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
  if (!benchmark) refuseCall(USAGE, `There is no benchmark ${name}.`);
  const read = new Set<string>();
  const textOf = (option: Name) => {
    read.add(option);
    return numbers[option];
  };
  const measure = benchmark.prepare({
    isGiven: (option) => textOf(option) === true,
    namesOf: (option, all) => {
      const named = String(textOf(option) ?? all).split(',');
      const found = all.filter((one) => named.includes(one));
      if (found.length !== named.length) refuseCall(USAGE);
      return found;
    },
    wholeNumber: (option, byDefault, min, max) => {
      const text = String(textOf(option) ?? byDefault);
      const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      if (!(number >= min && number <= max))
        refuseCall(USAGE, `--${option} of ${name} is from ${min} to ${max}, not '${text}'.`);
      return number;
    },
  });
  return { name, measure, read, packages: benchmark.packages ?? [] };
}

async function run({ name, measure, read, packages }: ReturnType<typeof prepare>): Promise<void> {
  const [commit, loadBefore] = [await describeCommit(), loadOfLastMinute()];
  const result = await measure();
  console.log(`\n${describe(result)}`);
  if (result.goals.some(({ isMet }) => !isMet) && !isWithoutFloors) process.exitCode = 1;
  if (output === undefined) return;
  const command = ['npm run bench --', name, ...givenOptions(read)].join(' ');
  await writeResult(output, name, { command, packages, commit, loadBefore }, result);
  say(`written: ${name}.json and ${name}.md`);
}

/** The options as they were given: those that a benchmark has read, and `--no-floors`. */
function givenOptions(read: ReadonlySet<string>): string[] {
  return tokens.flatMap((token) => {
    if (token.kind !== 'option') return [];
    if (token.name !== 'no-floors' && !read.has(token.name)) return [];
    return token.value === undefined ? [token.rawName] : [token.rawName, token.value];
  });
}

function prepareApi(kind: Parameters<typeof measureApi>[0]) {
  return ({ wholeNumber, namesOf }: Options) => {
    const only = namesOf(
      'only',
      OPERATIONS.map((operation) => operation.name),
    );
    const rounds = wholeNumber('rounds', 8, 1, 100);
    const windowMs = wholeNumber('seconds', 2, 1, 600) * 1_000;
    return () => measureApi(kind, { ...shared, rounds, windowMs, only });
  };
}
