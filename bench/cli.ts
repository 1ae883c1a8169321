import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleCommand } from '../scripts/bundle-command.ts';
import { describeCommit, describeMachine, loadOfLastMinute } from './machine.ts';
import { textTable, writeResult, type Table } from './report.ts';
import { median } from './statistics.ts';

const RUNS = 20;
const FLOOR_MS = 150;
const USAGE = `npm run bench:cli -- [--output DIRECTORY] [--no-floors]

Measures how long \`airline --version\` takes beside \`node -e 0\`, each ${RUNS} times, in turn. Ends with 1 where the
median of the command is not below ${FLOOR_MS} ms.

  --output     writes the result there
  --no-floors  end with 0 whatever is measured
  --help       this text`;

const { values } = parseArgs({
  options: {
    output: { type: 'string' },
    'no-floors': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const directory = mkdtempSync(join(tmpdir(), 'airline-bench-'));
try {
  const path = join(directory, 'airline.mjs');
  await bundleCommand(path);
  const calls = {
    'node -e 0': ['-e', '0'],
    'airline --version': [path, '--version'],
    'airline build show --help': [path, 'build', 'show', '--help'],
  };
  const loadBefore = loadOfLastMinute();
  const startedAt = new Date();
  const times = new Map(Object.keys(calls).map((name) => [name, [] as number[]]));
  // In turn, so that the load of others falls on all of them.
  for (let run = 0; run < RUNS; run += 1)
    for (const [name, args] of Object.entries(calls)) times.get(name)?.push(timeOf(args));
  const medians = Object.fromEntries(
    [...times].map(([name, all]) => [name, Math.round(median(all) * 10) / 10]),
  );
  const table: Table = {
    head: ['command', 'median', 'fastest', 'slowest'],
    rows: [...times].map(([name, all]) => [
      name,
      `${medians[name]?.toFixed(1)} ms`,
      `${Math.min(...all).toFixed(1)} ms`,
      `${Math.max(...all).toFixed(1)} ms`,
    ]),
  };
  console.log(textTable(table));
  if (values.output !== undefined)
    await writeResult(
      values.output,
      'cli',
      {
        command: 'npm run bench:cli',
        measuredAt: startedAt.toISOString(),
        commit: await describeCommit(),
        machine: await describeMachine([]),
        loadBefore,
        loadAfter: loadOfLastMinute(),
      },
      { runs: RUNS, mediansMs: medians },
      {
        title: 'How long the command takes to start',
        lines: [`Each ${RUNS} times, in turn: from the start of the process to its end.`],
        tables: [table],
      },
    );
  if (!values['no-floors'] && (medians['airline --version'] ?? Infinity) >= FLOOR_MS)
    process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true });
}

function timeOf(args: readonly string[]): number {
  const startedAtMs = performance.now();
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore', timeout: 30_000 });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}.`);
  return performance.now() - startedAtMs;
}
