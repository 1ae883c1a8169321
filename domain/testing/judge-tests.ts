import { isNotDone } from './autopkgtest.ts';
import { followRuns, resultsByName, type RunHistory, type TestedRun } from './test-run-history.ts';
import type { TestResult } from './test-run.ts';
import {
  isOverridable,
  TEST_VERDICTS,
  type TestsVerdict,
  type TestVerdict,
} from './test-verdict.ts';

/** What stands for all tests of a source. autopkgtest's `summary` uses it, too. */
const ALL_TESTS = '*';

/** A person's word on tests that do not pass. */
export type TestOverrideWord = {
  source: string;
  /** Null: on all architectures. */
  architecture: string | null;
  /** Null: all tests of the source. */
  test: string | null;
  reason: string;
  overriddenBy: string;
  validUntil: Date;
};

/** The verdict of one named test. */
export type JudgedTest = {
  source: string;
  architecture: string;
  test: string;
  verdict: TestVerdict;
  /** One sentence. */
  why: string;
  /** Whether the landing changes the source itself. */
  isChanged: boolean;
  runId: number | null;
  baselineRunId: number | null;
  /** Whose word it is, where it is overridden. */
  overriddenBy: string | null;
};

/** A run that has to be made before a test can be judged. */
export type NeededRun = {
  /** The latest of its source in its image: what is run once more, or compared. */
  of: TestedRun;
  kind: 'again' | 'baseline';
};

/** What runs are judged by. */
export type JudgeRules = {
  overrides: readonly TestOverrideWord[];
  /** How often a run is made that the test bed fails. */
  testBedTries: number;
  now: Date;
};

/**
 * Judges each named test by its runs with the landing's packages and without them. A failure is a regression only where
 * it comes again in a second run, and without them the same test passes, or is not there, or, where all tests fail
 * (`*`), they can be run; of a changed source it may also be skipped or flaky there. What the test bed fails, and what
 * a run had no time for, is never blamed on a package.
 *
 * @param runs in the images of the landing
 * @param baselines runs in the base images: of any source, also of none
 * @returns the verdicts, one for each test, and the runs that are to be made for those that wait
 */
export function judgeTests(
  runs: readonly TestedRun[],
  baselines: readonly TestedRun[],
  rules: JudgeRules,
): { tests: JudgedTest[]; needed: NeededRun[] } {
  const needed: NeededRun[] = [];
  const tests = new Map<string, JudgedTest>();
  for (const group of groupsOf(runs)) {
    const history = followRuns(group, rules.testBedTries);
    const { source, architecture } = history.latest;
    const compared = baselines.filter(
      (run) => run.source === source && run.architecture === architecture,
    );
    const judged = judgeSource(history, compared, rules.testBedTries);
    needed.push(...judged.needed);
    for (const test of judged.tests) keepWorst(tests, overridden(test, rules));
  }
  return { tests: [...tests.values()], needed };
}

/** The tries of each source on each architecture, for each reason to run it. */
function groupsOf(runs: readonly TestedRun[]): Iterable<TestedRun[]> {
  const groups = new Map<string, TestedRun[]>();
  for (const run of runs) {
    const key = [run.source, run.architecture, run.reason].join(' ');
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return groups.values();
}

/** What all tests say. @param left how many runs were not made, since the policy allows no more */
export function verdictOfTests(tests: readonly JudgedTest[], left: number): TestsVerdict {
  const has = (verdict: TestVerdict) => tests.some((test) => test.verdict === verdict);
  if (has('waiting')) return 'waits';
  if (has('regression')) return 'blocked';
  if (has('cannot_tell')) return 'cannot_tell';
  const isUntried = tests.some((test) => test.isChanged && test.verdict === 'not_exercised');
  const isTested = tests.some(({ verdict }) => PROVES.has(verdict));
  return isTested && !isUntried && left === 0 ? 'passes' : 'needs_approval';
}

/** Verdicts that somebody, or a test, stands for. Where there is none of them, nothing was tested. */
const PROVES: ReadonlySet<TestVerdict> = new Set(['pass', 'improvement', 'flaky', 'overridden']);

type Judged = { tests: JudgedTest[]; needed: NeededRun[] };

function judgeSource(
  history: RunHistory,
  baselines: readonly TestedRun[],
  testBedTries: number,
): Judged {
  const { latest, first, second, bedFault } = history;
  if (!first) {
    const needed: NeededRun[] = bedFault ? [] : runNeeded(history);
    const [verdict, why] = bedFault
      ? (['cannot_tell', bedFault] as const)
      : (['waiting', 'It has not been run to its end yet.'] as const);
    return { tests: [testOf(latest, ALL_TESTS, verdict, why)], needed };
  }
  const baseline = baselines.length > 0 ? followRuns(baselines, testBedTries) : undefined;
  const needed = new Map<string, NeededRun>();
  const tests = resultsByName(first.results).map((result) => {
    const one = judgeOne(result, first);
    for (const need of one.needed ?? []) needed.set(need.kind, need);
    return {
      ...testOf((result.status === 'FAIL' && second) || first, result.name, one.verdict, one.why),
      baselineRunId: baseline?.first?.id ?? null,
    };
  });
  if (tests.length > 0) return { tests, needed: [...needed.values()] };
  return { tests: [testOf(first, ALL_TESTS, 'neutral', 'The source has no tests.')], needed: [] };

  function judgeOne(
    result: TestResult,
    run: TestedRun,
  ): {
    verdict: TestVerdict;
    why: string;
    needed?: NeededRun[];
  } {
    if (result.status !== 'FAIL') return judgeUnfailed(result, run, baseline);
    const again = second && judgePassedAgain(result.name, second, baseline);
    if (again) return again;
    const without = compare(result, latest, baseline);
    if (without.verdict === 'always_failed') return without;
    if (without.verdict === 'regression' && result.name === ALL_TESTS && hasNeverPassed(second))
      return {
        verdict: 'always_failed',
        why: 'It failed; what fails of it in the same image never passed without the packages of the landing.',
      };
    const open = without.verdict === 'waiting' ? baselineNeeded(latest, baseline) : [];
    const isOverTwice = isNotDone(result) && second?.results.some(isNotDone);
    if (isOverTwice && without.verdict === 'regression')
      return {
        verdict: 'cannot_tell',
        why: `Not all tests were run in time (${result.detail}), so nobody can tell of the others.`,
      };
    if (second && without.verdict === 'regression' && !failsAgain(result.name, second))
      return {
        verdict: 'cannot_tell',
        why: `It failed once; when it was run once more, ${whatBecameOf(result.name, second)}.`,
      };
    if (second) return { ...without, needed: open };
    if (history.secondBedFault)
      return {
        verdict: 'cannot_tell',
        why: `It failed once, and it could not be run once more. ${history.secondBedFault}`,
      };
    return {
      verdict: 'waiting',
      why: 'It failed; it is run once more, and without the packages of the landing.',
      needed: [...runNeeded(history), ...open],
    };
  }

  /** Whether tests fail in a run, and each of them is one that always failed. */
  function hasNeverPassed(run: TestedRun | undefined): boolean {
    const failing = run?.results.filter(({ status }) => status === 'FAIL') ?? [];
    return (
      failing.length > 0 &&
      failing.every((one) => compare(one, latest, baseline).verdict === 'always_failed')
    );
  }
}

/** A test that failed in the run before; undefined where it has not passed in this one. */
function judgePassedAgain(
  name: string,
  run: TestedRun,
  baseline: RunHistory | undefined,
): { verdict: TestVerdict; why: string } | undefined {
  const judged = passesOf(run, name).map((result) => judgeUnfailed(result, run, baseline));
  if (judged.some(({ verdict }) => PROVES.has(verdict)))
    return { verdict: 'flaky', why: 'It failed, and then it passed in the same image.' };
  const worst = judged.toSorted((one, other) => gravity(one.verdict) - gravity(other.verdict))[0];
  return worst && { ...worst, why: `It failed at first. ${worst.why}` };
}

/** A test that has not failed in a run. */
function judgeUnfailed(
  { name, status, detail }: TestResult,
  run: TestedRun,
  baseline: RunHistory | undefined,
): { verdict: TestVerdict; why: string } {
  switch (status) {
    case 'FLAKY':
      // autopkgtest ends with 8, as where all tests are skipped.
      return { verdict: 'neutral', why: 'It failed, and its source says that it is flaky.' };
    case 'SKIP':
      return /testbed|capabilit|architecture/i.test(detail)
        ? { verdict: 'skipped', why: `The test bed lacks what it needs: ${detail}.` }
        : { verdict: 'neutral', why: `It was skipped: ${detail || 'no reason is given'}.` };
    default:
      if (detail.includes('superficial'))
        return { verdict: 'neutral', why: 'It passes, but it is superficial by its own word.' };
      if (run.exercised.length === 0)
        return {
          verdict: 'not_exercised',
          why: 'It passes, but none of the packages of the landing was installed.',
        };
      return baseline?.first && hasFailed(statusOf(baseline.first, name))
        ? {
            verdict: 'improvement',
            why: 'It passes, and it fails without the packages of the landing.',
          }
        : { verdict: 'pass', why: passed(run) };
  }
}

function passed({ reason, why }: TestedRun): string {
  return reason === 'changed' ? 'It passes.' : `It passes (${why}).`;
}

/** What the runs without the landing's packages say of a failure with them. */
function compare(
  { name, detail }: TestResult,
  { reason, source }: TestedRun,
  baseline: RunHistory | undefined,
): { verdict: TestVerdict; why: string } {
  const failed = `It fails${detail ? ` (${detail})` : ''}`;
  const isChanged = reason === 'changed';
  if (!baseline || (!baseline.first && !baseline.bedFault))
    return { verdict: 'waiting', why: `${failed}; it is run without the packages of the landing.` };
  if (!baseline.first) {
    return baseline.isUnavailable && isChanged
      ? {
          verdict: 'regression',
          why: `${failed}, and the archive has no tests of ${source} to compare.`,
        }
      : {
          verdict: 'cannot_tell',
          why: `${failed}, and without the packages of the landing nobody can tell: ${baseline.bedFault}`,
        };
  }
  const status = statusOf(baseline.first, name);
  switch (status) {
    case 'FAIL':
      return {
        verdict: 'always_failed',
        why: `${failed} without the packages of the landing, too.`,
      };
    case 'PASS':
      return {
        verdict: 'regression',
        why: `${failed}, and passes without the packages of the landing.`,
      };
    case 'FLAKY':
      return isChanged
        ? {
            verdict: 'regression',
            why: `${failed}; the archive's version fails, too, and says that it is flaky.`,
          }
        : {
            verdict: 'always_failed',
            why: `${failed} without the packages of the landing, too, where its source says that it is flaky.`,
          };
    case 'SKIP':
      return isChanged
        ? { verdict: 'regression', why: `${failed}; the archive's version skips it.` }
        : {
            verdict: 'always_failed',
            why: `${failed}; without the packages of the landing it is skipped, so it never passed.`,
          };
    default:
      if (name === ALL_TESTS)
        return {
          verdict: 'regression',
          why: `${failed}, and can be run without the packages of the landing.`,
        };
      return {
        verdict: 'regression',
        why: isChanged
          ? `${failed}, and it is new in this version.`
          : `${failed}, and is not there without the packages of the landing.`,
      };
  }
}

/** The status of a test in a run; that of all tests where the run names it only so. */
function statusOf({ results }: TestedRun, name: string) {
  const of = (wanted: string) =>
    resultsByName(results.filter((result) => result.name === wanted))[0]?.status;
  return of(name) ?? (of(ALL_TESTS) === 'FAIL' ? 'FAIL' : undefined);
}

/** Whether a test has failed, be it flaky by its source's own word. */
function hasFailed(status: TestResult['status'] | undefined): boolean {
  return status === 'FAIL' || status === 'FLAKY';
}

/** What passes of a test in a run: of all tests of a source, each that the run names, where none of them fails. */
function passesOf({ results }: TestedRun, name: string): TestResult[] {
  const named = resultsByName(results.filter((result) => result.name === name));
  const all = named.length === 0 && name === ALL_TESTS ? results : named;
  return all.some(({ status }) => status === 'FAIL')
    ? []
    : all.filter(({ status }) => status === 'PASS' || status === 'FLAKY');
}

/** Whether a test fails in a run: by itself, with all tests of its source, or, of all tests, any of them. */
function failsAgain(test: string, { results }: TestedRun): boolean {
  return results.some(
    (result) =>
      result.status === 'FAIL' &&
      !isNotDone(result) &&
      (test === ALL_TESTS || result.name === test || result.name === ALL_TESTS),
  );
}

/** What a run says of a test that neither fails nor passes in it. */
function whatBecameOf(test: string, { results }: TestedRun): string {
  const skipped = results.find(({ name, status }) => name === test && status === 'SKIP');
  if (skipped) return `it was skipped (${skipped.detail || 'no reason is given'})`;
  return results.some(isNotDone) ? 'the time was over before it' : 'it neither failed nor passed';
}

function runNeeded({ latest, isOpen }: RunHistory): NeededRun[] {
  return isOpen ? [] : [{ of: latest, kind: 'again' }];
}

function baselineNeeded(of: TestedRun, baseline: RunHistory | undefined): NeededRun[] {
  // Another landing's may have no files: those of the run that is compared, or the archive's, are taken each time.
  return baseline?.isOpen ? [] : [{ of, kind: 'baseline' }];
}

function testOf(run: TestedRun, test: string, verdict: TestVerdict, why: string): JudgedTest {
  const { id: runId, source, architecture, reason } = run;
  return {
    source,
    architecture,
    test,
    verdict,
    why,
    isChanged: reason === 'changed',
    runId,
    baselineRunId: null,
    overriddenBy: null,
  };
}

function overridden(test: JudgedTest, { overrides, now }: JudgeRules): JudgedTest {
  if (!isOverridable(test.verdict)) return test;
  const word = overrides.find(
    (one) =>
      one.source === test.source &&
      (one.architecture === null || one.architecture === test.architecture) &&
      (one.test === null || one.test === test.test) &&
      one.validUntil > now,
  );
  if (!word) return test;
  const { overriddenBy, reason } = word;
  const why = `${overriddenBy} overrode it: ${reason} (${test.verdict.replaceAll('_', ' ')}: ${test.why})`;
  return { ...test, verdict: 'overridden', why, overriddenBy };
}

function keepWorst(tests: Map<string, JudgedTest>, test: JudgedTest): void {
  const key = [test.source, test.architecture, test.test].join(' ');
  const known = tests.get(key);
  if (!known || gravity(test.verdict) < gravity(known.verdict)) tests.set(key, test);
}

/** Where a verdict stands among all: the lowest is the worst. */
function gravity(verdict: TestVerdict): number {
  return TEST_VERDICTS.indexOf(verdict);
}
