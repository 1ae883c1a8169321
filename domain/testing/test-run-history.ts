import type { InstalledPackage } from './image.ts';
import {
  isOpenRun,
  type TestResult,
  type TestRunReason,
  type TestRunState,
  type TestStatus,
} from './test-run.ts';

/** A run as it is judged. */
export type TestedRun = {
  id: number;
  imageId: number;
  source: string;
  version: string;
  architecture: string;
  reason: TestRunReason;
  /** Why it is run, in one sentence. */
  why: string;
  try: number;
  state: TestRunState;
  results: readonly TestResult[];
  exercised: readonly InstalledPackage[];
  fault: string | null;
};

/** The tries of one source in one image. */
export type RunHistory = {
  latest: TestedRun;
  /** The first that was run to its end, and the next. */
  first: TestedRun | undefined;
  second: TestedRun | undefined;
  /** One is queued or running. */
  isOpen: boolean;
  /** What ended last found no source of the tests. */
  isUnavailable: boolean;
  /**
   * Why none will be run to its end; undefined where one was. Another landing may have one made yet, as it does not
   * count what failed before it was planned: what is settled without that stays so.
   */
  bedFault: string | undefined;
  /** Why there will be no second one. */
  secondBedFault: string | undefined;
};

/** @param runs the tries of one source in one image, in any order; at least one */
export function followRuns(runs: readonly TestedRun[], testBedTries: number): RunHistory {
  const ordered = runs.toSorted((one, other) => one.try - other.try);
  const latest = ordered.at(-1);
  if (!latest) throw new Error('there is no run to judge');
  const [first, second] = ordered.filter(({ state }) => state === 'finished');
  const ended = ordered.filter(({ state }) => !isOpenRun(state));
  const isOpen = ended.length < ordered.length;
  const failures = ordered.filter((run) => run.state === 'bed_failed' && !before(first, run));
  const last = ended.at(-1);
  const bedFault = last && bedFaultOf(last, failures.length, testBedTries);
  return {
    latest,
    first,
    second,
    isOpen,
    isUnavailable: last?.state === 'unavailable',
    bedFault: first ? undefined : bedFault,
    secondBedFault: !first || second || isOpen ? undefined : bedFault,
  };
}

/** Whether a run was made before the first that ended. */
function before(first: TestedRun | undefined, run: TestedRun): boolean {
  return first !== undefined && run.try < first.try;
}

function bedFaultOf(
  { state, fault }: TestedRun,
  failures: number,
  testBedTries: number,
): string | undefined {
  const of = fault ? `: ${fault.replace(/\.$/, '')}` : '';
  if (state === 'unavailable') return `The source of the tests cannot be had${of}.`;
  return failures >= testBedTries
    ? `The test bed failed ${failures === 1 ? 'once' : `${failures} times`}${of}.`
    : undefined;
}

/** Of several results of one name the first of these counts: it says most of what was run. */
const TELLING_FIRST: readonly TestStatus[] = ['FAIL', 'PASS', 'FLAKY', 'SKIP'];

/**
 * The result that counts of each name. Tests of debian/tests/control may share one, as where a test is flaky on some
 * architectures alone; autopkgtest then has a line for each of them, also for those that it does not run.
 */
export function resultsByName(results: readonly TestResult[]): TestResult[] {
  const rank = ({ status }: TestResult) => TELLING_FIRST.indexOf(status);
  const byName = new Map<string, TestResult>();
  for (const result of results) {
    const known = byName.get(result.name);
    if (!known || rank(result) < rank(known)) byName.set(result.name, result);
  }
  return [...byName.values()];
}
