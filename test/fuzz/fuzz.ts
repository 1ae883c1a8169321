import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

const PYTHON = resolve('node_modules/.cache/python/bin/python');
const CONFIGURATION = resolve('test/fuzz/schemathesis.toml');
const HOOKS = resolve('test/fuzz/headers.py');
const MAX_ROUNDS = 10;
const ROUND_LIMIT_MS = 60 * 60_000;

export type Fuzzed = {
  requests: number;
  /** How many answers had each status; 0: no answer. */
  statuses: Map<number, number>;
  checks: Map<string, { passed: number; failed: number }>;
  /** Whether every check passed. */
  passed: boolean;
  /** What schemathesis wrote: each failure with the request, the answer and a curl command. */
  output: string;
};

type FuzzOptions = {
  /** Of the API. */
  url: string;
  /** At least so many are sent, unless a check fails before that. */
  requests: number;
  seed: number;
  /** Of schemathesis, separated by commas. */
  phases: string;
};

/**
 * Sends requests that are made from the API's OpenAPI document, good and bad ones, and checks every answer against it.
 *
 * @throws Error when schemathesis cannot be run, or makes fewer requests than it was asked for
 */
export async function fuzz(options: FuzzOptions): Promise<Fuzzed> {
  const operations = await countOperations(`${options.url}/openapi.json`);
  const sum: Fuzzed = {
    requests: 0,
    statuses: new Map(),
    checks: new Map(),
    passed: true,
    output: '',
  };
  // How many requests a round makes is known after it only: there is just so much to vary in an operation.
  for (let round = 0; sum.passed && sum.requests < options.requests; round++) {
    if (round === MAX_ROUNDS)
      throw new Error(`Schemathesis made only ${sum.requests} requests in ${round} rounds.`);
    const examples = Math.ceil((options.requests - sum.requests) / operations);
    const directory = mkdtempSync(join(tmpdir(), 'airline-fuzz-'));
    try {
      const { exitCode, output } = await runSchemathesis(options, round, examples, directory);
      sum.output += output;
      sum.passed &&= exitCode === 0;
      await addReport(sum, directory);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
  return sum;
}

/** What was sent, answered and checked, as a text of a few lines. */
export function summaryOf({ requests, statuses, checks }: Fuzzed): string {
  const byName = [...checks].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const width = Math.max(...byName.map(([name]) => name.length));
  return [
    `${requests} requests`,
    `answers: ${[...statuses]
      .toSorted(([one], [other]) => one - other)
      .map(([status, count]) => `${count} × ${status === 0 ? 'none' : status}`)
      .join(', ')}`,
    ...byName.map(
      ([name, { passed, failed }]) =>
        `${name.padEnd(width)}  ${String(passed).padStart(7)} passed  ${String(failed).padStart(5)} failed`,
    ),
  ].join('\n');
}

async function countOperations(address: string): Promise<number> {
  const response = await fetch(address, { signal: AbortSignal.timeout(100_000) });
  if (!response.ok) throw new Error(`${address} answers ${response.status}.`);
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> };
  const methods = ['get', 'post', 'put', 'patch', 'delete'];
  return Object.values(paths)
    .flatMap((path) => Object.keys(path))
    .filter((key) => methods.includes(key)).length;
}

async function runSchemathesis(
  { url, seed, phases }: FuzzOptions,
  round: number,
  examples: number,
  directory: string,
): Promise<{ exitCode: number; output: string }> {
  if (!existsSync(PYTHON))
    throw new Error('Schemathesis is missing: run `sh scripts/set-up.sh test`.');
  const before = ['-m', 'schemathesis.cli', '--no-color', '--config-file', CONFIGURATION];
  const options = {
    '--url': url,
    '--checks': 'all',
    '--phases': phases,
    '--max-examples': String(examples),
    '--seed': String(seed + round),
    '--report': 'ndjson',
    '--report-dir': directory,
  };
  const run = ['run', `${url}/openapi.json`, ...Object.entries(options).flat()];
  const schemathesis = spawn(PYTHON, [...before, ...run], {
    cwd: directory,
    env: {
      ...process.env,
      HYPOTHESIS_STORAGE_DIRECTORY: directory,
      SCHEMATHESIS_HOOKS: HOOKS,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: ROUND_LIMIT_MS,
  });
  const [output, errors, [exitCode]] = await Promise.all([
    text(schemathesis.stdout),
    text(schemathesis.stderr),
    once(schemathesis, 'close') as Promise<[number | null]>,
  ]);
  // 0: all is well; 1: a check failed. Anything else is no verdict on the API.
  if (exitCode !== 0 && exitCode !== 1)
    throw new Error(`schemathesis ended with ${exitCode}:\n${errors}${output}`);
  return { exitCode, output: output + errors };
}

/** A line of the report, as far as it is of interest. */
type ReportLine = {
  ScenarioFinished?: {
    recorder: {
      interactions?: Record<string, { response: { status_code: number } | null }>;
      checks?: Record<string, { name: string; status: 'success' | 'failure' }[]>;
    };
  };
};

async function addReport(sum: Fuzzed, directory: string): Promise<void> {
  const report = readdirSync(directory).find((name) => name.endsWith('.ndjson'));
  if (report === undefined) throw new Error(`schemathesis wrote no report:\n${sum.output}`);
  for await (const line of createInterface({ input: createReadStream(join(directory, report)) })) {
    const { recorder } = (JSON.parse(line) as ReportLine).ScenarioFinished ?? {};
    for (const { response } of Object.values(recorder?.interactions ?? {})) {
      const status = response?.status_code ?? 0;
      sum.statuses.set(status, (sum.statuses.get(status) ?? 0) + 1);
      sum.requests++;
    }
    for (const { name, status } of Object.values(recorder?.checks ?? {}).flat()) {
      const count = sum.checks.get(name) ?? { passed: 0, failed: 0 };
      if (status === 'success') count.passed++;
      else count.failed++;
      sum.checks.set(name, count);
    }
  }
}
