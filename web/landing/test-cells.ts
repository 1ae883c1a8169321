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
 * The tests of a landing, in the latest image of each architecture, as a table: the changed packages first, then by
 * name.
 *
 * @param runs those of one attempt
 * @param landing.excuses the verdicts of tests that do not pass
 * @param landing.isUnderWay whether it goes on: what was cancelled, as its image is made anew, is run again
 */
export function testRows(
  runs: readonly Testrun[],
  { excuses, isUnderWay }: { excuses: Gate['excuses']; isUnderWay: boolean },
): TestRow[] {
  const rows = new Map<string, TestRow>();
  const images = new Map<string, number>();
  // Not by their tries, which begin anew in each image.
  const latestFirst = runs.toSorted((one, other) => other.id - one.id);
  for (const run of latestFirst) {
    const latestImage = images.get(run.architecture) ?? run.image_id;
    images.set(run.architecture, latestImage);
    if (run.image_id !== latestImage) continue;
    const { source, version, why, architecture } = run;
    const row = rows.get(source) ?? { source, version, why, cells: new Map() };
    rows.set(source, row);
    if (row.cells.has(architecture)) continue;
    const own = excuses.filter((one) => one.source === source && one.architecture === architecture);
    const verdict = TEST_VERDICTS.find((one) => own.some((excuse) => excuse.verdict === one));
    const passed = run.results.filter(({ status }) => status === 'PASS').length;
    row.cells.set(architecture, {
      run,
      says: verdict ?? saysOf(run, { passed, isUnderWay }),
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
function saysOf(
  { state, results }: Testrun,
  { passed, isUnderWay }: { passed: number; isUnderWay: boolean },
): TestSays {
  if (state === 'cancelled' && isUnderWay) return 'queued';
  if (state !== 'finished') return state;
  if (results.some(({ status }) => status === 'FAIL')) return 'fails';
  return passed > 0 ? 'pass' : 'neutral';
}
