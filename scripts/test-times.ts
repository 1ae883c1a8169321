import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { readCommandLine, refuseCall } from './command-line.ts';
import { markdownTable } from './markdown-table.ts';

const USAGE = `npm run test:times -- [--top N] FILE

Says how long each test file of a run took, the longest first, as a table of Markdown. Write FILE by
npm test -- --json --outputFile=FILE

  --top   how many files (default: 15)
  --help  this text`;

/** What is read of jest's report. */
type Report = {
  startTime: number;
  numTotalTests: number;
  numFailedTests: number;
  testResults: { name: string; startTime: number; endTime: number; assertionResults: unknown[] }[];
};

const { values, positionals } = readCommandLine(USAGE, {
  options: { top: { type: 'string', default: '15' } },
  allowPositionals: true,
});
const [file] = positionals;
if (file === undefined) refuseCall(USAGE);
const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
const seconds = (ms: number) => (ms / 1_000).toFixed(0);
const files = report.testResults
  .map(({ name, startTime, endTime, assertionResults }) => ({
    name: relative(process.cwd(), name).replace(/^.*?(?=test\/)/, ''),
    tookMs: endTime - startTime,
    tests: assertionResults.length,
  }))
  .toSorted((one, other) => other.tookMs - one.tookMs);
const workMs = files.reduce((sum, { tookMs }) => sum + tookMs, 0);
const wholeMs = Math.max(...report.testResults.map(({ endTime }) => endTime)) - report.startTime;

const rows = files
  .slice(0, Number(values.top))
  .map(({ name, tests, tookMs }) => [`\`${name}\``, String(tests), seconds(tookMs)]);
console.log(markdownTable([['file', 'tests', 'seconds'], ...rows], [false, true, true]));
console.log(
  `\n${files.length} files, ${report.numTotalTests} tests, ${report.numFailedTests} failed: ${seconds(workMs)} s of work in ${seconds(wholeMs)} s, without the start of the stack.`,
);
