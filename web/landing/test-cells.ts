import { TEST_VERDICTS, type TestVerdict } from '../../domain/testing/test-verdict.ts';
import type { TestRunState } from '../../domain/testing/test-run.ts';
import type { Gate, Testrun } from '../server/api-types.ts';

/** What all tests of a run say; `fails` where they are not judged yet. */
export type TestSays = TestVerdict | Exclude<TestRunState, 'finished'> | 'fails';

/** The latest run of a source package's tests on an architecture, and what all of them say. */
export type TestCell = {
  run: Testrun;
  says: TestSays;
  /** How many of its tests passed, such as `3 of 4`; empty while there are no results. */
  passed: string;
};

/** A source package that is tested: by architecture. */
export type TestRow = {
  source: string;
  version: string;
  why: string;
  cells: Map<string, TestCell>;
};

/**
 * The tests of a landing as a table: the changed packages first, then by name.
 *
 * @param runs those of one attempt
 * @param excuses the verdicts of tests that do not pass
 */
export function testRows(runs: readonly Testrun[], excuses: Gate['excuses']): TestRow[] {
  const rows = new Map<string, TestRow>();
  // Not by their tries, which begin anew in each image.
  const latestFirst = runs.toSorted((one, other) => other.id - one.id);
  for (const run of latestFirst) {
    const { source, version, why, architecture } = run;
    const row = rows.get(source) ?? { source, version, why, cells: new Map() };
    rows.set(source, row);
    if (row.cells.has(architecture)) continue;
    const own = excuses.filter((one) => one.source === source && one.architecture === architecture);
    const verdict = TEST_VERDICTS.find((one) => own.some((excuse) => excuse.verdict === one));
    const passed = run.results.filter(({ status }) => status === 'PASS').length;
    row.cells.set(architecture, {
      run,
      says: verdict ?? saysOf(run, passed),
      passed: run.results.length === 0 ? '' : `${passed} of ${run.results.length}`,
    });
  }
  const changed = new Set(
    runs.filter(({ reason }) => reason === 'changed').map((one) => one.source),
  );
  return [...rows.values()].toSorted(
    (one, other) =>
      Number(changed.has(other.source)) - Number(changed.has(one.source)) ||
      one.source.localeCompare(other.source),
  );
}

/** One without a verdict that is told: all its tests pass, or it is not judged yet. */
function saysOf({ state, results }: Testrun, passed: number): TestSays {
  if (state !== 'finished') return state;
  if (results.some(({ status }) => status === 'FAIL')) return 'fails';
  return passed > 0 ? 'pass' : 'neutral';
}
