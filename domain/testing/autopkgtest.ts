import type { InstalledPackage } from './image.ts';
import { TEST_STATUSES, type TestResult, type TestRunEnd, type TestStatus } from './test-run.ts';

/** What a run of autopkgtest has left behind. */
export type AutopkgtestOutput = {
  /** Null where it was ended by a signal. */
  exitCode: number | null;
  /** The text of `summary`; null where there is none, as with the two after it. */
  summary: string | null;
  /** Of `testpkg-version`: the source and version that the tests are of, not what was installed. */
  testedSource: string | null;
  hasTestinfo: boolean;
  /** What was installed in the test bed, or for one of the tests. */
  installed: InstalledPackage[];
  /** What ended it before it was done, where the tester knows. */
  fault?: string;
  /** How many milliseconds it had, where these ended it before it was done. */
  overMs?: number;
};

/** The codes of a run whose `summary` counts (autopkgtest(1), "EXIT STATUS"); all others are faults of the test bed. */
const JUDGED_CODES = new Set([0, 2, 4, 6, 8, 12, 14]);
const FAILED = 4;
const BAD_PACKAGE = 12;
const OWN_FAULT = 20;

const STATUSES = TEST_STATUSES.join('|');
const RESULT = new RegExp(`^(?<name>\\S+)\\s+(?<status>${STATUSES})(?:\\s+(?<detail>\\S.*)?)?$`);
/** What `summary` has besides results: why a package is bad, and of which package that is said. */
const REMARK = /^(?:blame|badpkg|erroneous package): /;
const FAULT = /^(?:testbed failure|quitting): (?<fault>.*)$/m;
/** How the detail begins of what a run had not come to when its time was over. */
const NOT_DONE = 'not done after';
const MAX_RESULTS = 5_000;
const MAX_TEXT = 500;

/**
 * Reads autopkgtest's `summary`.
 *
 * @returns undefined where a line is none that autopkgtest writes: the file was cut off, or is not its own
 */
export function readSummary(summary: string): TestResult[] | undefined {
  const results: TestResult[] = [];
  const lines = summary.split('\n').filter((line) => line.trim() !== '');
  for (const line of lines) {
    const { name, status, detail = '' } = RESULT.exec(line)?.groups ?? {};
    if (name !== undefined)
      results.push({
        name: name.slice(0, MAX_TEXT),
        status: status as TestStatus,
        detail: detail.replace(/^\((.*)\)$/, '$1').slice(0, MAX_TEXT),
      });
    else if (!REMARK.test(line)) return undefined;
    if (results.length > MAX_RESULTS) return undefined;
  }
  const badPackage = /^erroneous package: (?<why>.*)$/m.exec(summary)?.groups?.['why'];
  // The whole package is bad, so no test of it has a name.
  if (badPackage !== undefined)
    results.push({ name: '*', status: 'FAIL', detail: `badpkg: ${badPackage}`.slice(0, MAX_TEXT) });
  return results.length > 0 ? results : undefined;
}

/**
 * What a run that nobody cancelled says. autopkgtest passes with 0 on an old version where a new one could not be had,
 * and its code 12 hides failed tests: so the code decides nothing alone.
 *
 * A run whose time was over is judged where a test had failed by then, such as one that hangs: two of these fill the
 * time. What it had not come to has then failed, too, all of it together, since nobody knows its names. So nothing can
 * be compared with such a run: one without a landing is the test bed's fault.
 *
 * @param landed the binary packages of the landing with their versions; none of a run without a landing
 */
export function judgeRun(
  output: AutopkgtestOutput,
  tested: { source: string; version: string },
  landed: readonly InstalledPackage[],
): TestRunEnd {
  const { exitCode, testedSource, installed, overMs } = output;
  const bedFailed = (fault: string): TestRunEnd => ({
    state: 'bed_failed',
    exitCode,
    results: [],
    exercised: [],
    fault,
  });
  if (output.fault !== undefined) return bedFailed(output.fault);
  const results =
    overMs === undefined ? resultsOf(output) : resultsInTime(output, overMs, landed.length > 0);
  if (typeof results === 'string') return bedFailed(results);
  if (testedSource !== `${tested.source} ${tested.version}`)
    return bedFailed(`autopkgtest ran the tests of ${testedSource?.slice(0, MAX_TEXT)}.`);
  const versions = new Map(landed.map(({ name, version }) => [name, version]));
  const exercised = new Map(
    installed.filter(({ name }) => versions.has(name)).map(({ name, version }) => [name, version]),
  );
  for (const one of installed) {
    const wanted = versions.get(one.name);
    if (wanted !== undefined && wanted !== one.version)
      return bedFailed(`${one.name} ${one.version} was installed, not ${wanted}.`);
  }
  return {
    state: 'finished',
    exitCode,
    results,
    exercised: [...exercised].map(([name, version]) => ({ name, version })),
    fault: null,
  };
}

/** The results of a run that came to its end, or what the test bed's fault is. */
function resultsOf({
  exitCode,
  summary,
  testedSource,
  hasTestinfo,
}: AutopkgtestOutput): TestResult[] | string {
  if (exitCode === null) return 'autopkgtest was ended by a signal.';
  if (!JUDGED_CODES.has(exitCode))
    return faultIn(summary ?? '', exitCode) ?? `autopkgtest ended with ${exitCode}.`;
  if (summary === null || !hasTestinfo || testedSource === null)
    return `autopkgtest ended with ${exitCode} and left no complete results.`;
  const results = readSummary(summary);
  if (!results) return 'The summary of autopkgtest cannot be read.';
  return hasFailed(results) === (exitCode & FAILED) > 0
    ? results
    : `autopkgtest ended with ${exitCode}, which its summary does not bear out.`;
}

/** The results of a run whose time was over, with a failure of all that is not in them; else the test bed's fault. */
function resultsInTime(
  { summary }: AutopkgtestOutput,
  overMs: number,
  isOfLanding: boolean,
): TestResult[] | string {
  // What ended it may have made it blame the test bed.
  const results = readSummary((summary ?? '').replace(FAULT, ''));
  return isOfLanding && results && hasFailed(results)
    ? [...results, { name: '*', status: 'FAIL', detail: `${NOT_DONE} ${overMs} ms` }]
    : tookTooLong(overMs);
}

/** Whether a failure is that of the tests which a run had not come to when its time was over. */
export function isNotDone({ name, detail }: TestResult): boolean {
  return name === '*' && detail.startsWith(NOT_DONE);
}

function hasFailed(results: readonly TestResult[]): boolean {
  return results.some(({ status }) => status === 'FAIL');
}

/** What is said of a run whose time was over. */
export function tookTooLong(ms: number): string {
  return `The run took longer than ${ms} ms.`;
}

/** What `summary` says of a fault. autopkgtest puts nothing before what it says of one of its own. */
function faultIn(summary: string, exitCode: number): string | undefined {
  const said = FAULT.exec(summary)?.groups?.['fault'];
  const lines = said === undefined && exitCode === OWN_FAULT ? summary.split('\n') : [];
  const unlabelled = lines.findLast(
    (line) => line.trim() !== '' && !RESULT.test(line) && !REMARK.test(line),
  );
  return (said ?? unlabelled)?.slice(0, MAX_TEXT);
}

/** The exit code that autopkgtest ends with where its tests have these results. */
export function exitCodeOf(results: readonly TestResult[]): number {
  const has = (status: TestStatus) => results.some((result) => result.status === status);
  if (results.some(({ detail }) => detail.startsWith('badpkg')))
    return BAD_PACKAGE | (has('SKIP') ? 2 : 0);
  const code = (has('FAIL') ? FAILED : 0) | (has('SKIP') || has('FLAKY') ? 2 : 0);
  const isPositive = results.some(
    ({ status, detail }) => status === 'PASS' && detail !== 'superficial',
  );
  return code <= 2 && !isPositive ? 8 : code;
}

/** The line of `summary` of a result. */
export function summaryLine({ name, status, detail }: TestResult): string {
  const shown = detail === 'superficial' ? '(superficial)' : detail;
  return `${name.padEnd(20)} ${status}${shown ? ` ${shown}` : ''}\n`;
}

/** Packages as `dpkg-query` and autopkgtest's `*-packages` list them: a name and a version a line. */
export function readPackageList(text: string): InstalledPackage[] {
  return text.split('\n').flatMap((line) => {
    const [name, version] = line.split(/\s+/);
    // A name may have its architecture: `libc6:amd64`.
    return name && version ? [{ name: name.replace(/:.*$/, ''), version }] : [];
  });
}
