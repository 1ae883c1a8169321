import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startSaying, stopSignal, wholeNumber } from './command.ts';
import { describeCommit, describeMachine, loadOfLastMinute } from './machine.ts';
import { measureOverhead } from './overhead.ts';
import { overheadReport, uploadReport } from './result-tables.ts';
import { textTable, writeResult } from './report.ts';
import { measureUpload } from './upload.ts';

const USAGE = `npm run bench -- [overhead] [upload] [--runs N] [--size MIB] [--output DIRECTORY]

Measures the whole embedded stack, on free ports and with a state of its own, and writes the results.

  overhead   what the system adds to a build of Debian's hello
  upload     throughput of an upload against curl, and the memory that it takes
  --runs     builds, and rounds of uploads (default: 4)
  --size     size of the upstream tarball in MiB (default: 1024)
  --output   folder of the results (default: bench/results)
  --help     this text

Without a name, both are measured. A run with other numbers than the defaults writes nothing unless it has --output.`;

const NAMES = ['overhead', 'upload'] as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '4' },
    size: { type: 'string', default: '1024' },
    output: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const runs = wholeNumber(values.runs, 1, 100);
const sizeMib = wholeNumber(values.size, 1, 3_072);
const names = NAMES.filter((name) => positionals.length === 0 || positionals.includes(name));
const unknown = positionals.filter((name) => !(NAMES as readonly string[]).includes(name));
if (values.help || unknown.length > 0 || runs === undefined || sizeMib === undefined) {
  console.error(USAGE);
  process.exit(values.help ? 0 : 2);
}
const isDefault = runs === 4 && sizeMib === 1_024;
const output =
  values.output ?? (isDefault ? fileURLToPath(new URL('results', import.meta.url)) : undefined);

const say = startSaying();
const signal = stopSignal();

try {
  for (const name of names) {
    say(`measuring: ${name}`);
    await measure(name, runs, sizeMib);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
// A step that was under way when the measurement was stopped must not hold the process.
process.exit();

async function measure(name: (typeof NAMES)[number], runs: number, sizeMib: number): Promise<void> {
  const loadBefore = loadOfLastMinute();
  const { result, report, packages } = await take();
  say(report.title);
  for (const line of report.lines) console.log(line);
  for (const table of report.tables) console.log(`\n${textTable(table)}`);
  if (output === undefined) return;
  const argument = names.length === 1 ? ` -- ${name}` : '';
  await writeResult(
    output,
    name,
    {
      command: `npm run bench${argument}`,
      measuredAt: new Date().toISOString(),
      commit: await describeCommit(),
      machine: await describeMachine(packages),
      loadBefore,
      loadAfter: loadOfLastMinute(),
    },
    result,
    report,
  );
  say(`written: ${name}.json and ${name}.md`);

  async function take() {
    switch (name) {
      case 'overhead': {
        const result = await measureOverhead({ runs, signal, say });
        return { result, report: overheadReport(result), packages: ['sbuild', 'rabbitmq-server'] };
      }
      case 'upload': {
        const tarballBytes = sizeMib * 2 ** 20;
        const result = await measureUpload({ rounds: runs, tarballBytes, signal, say });
        return { result, report: uploadReport(result), packages: ['curl'] };
      }
    }
  }
}
