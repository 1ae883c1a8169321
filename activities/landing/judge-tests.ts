import type { LandingTests } from '../../domain/landings/landing.ts';
import { judgeLandingTests, type TestsToJudge } from '../../models/landings/landing-tests.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { knownRun } from '../known-rows.ts';
import { attachImages } from './attach-images.ts';

/** So many runs are made before the tests are judged again: the workflow's payloads stay small. */
const MAX_RUNS = 50;
const MAX_NAMED = 10;

/** A run and where it is made. */
type OpenRun = { runId: number; architecture: string };

/** How the tests of a landing stand, and what is to be run next. */
export type TestsJudged = {
  tests: LandingTests;
  /** Runs for the testers. */
  open: OpenRun[];
  /** Runs of changed sources for which the archive's version is to be run, too. */
  toCompare: OpenRun[];
  /** The tests that stop the landing, such as `mksh regress (amd64)`; not all, where there are many. */
  regressions: string[];
};

/**
 * Judges the tests of a landing by the runs that are over, and adds those that are needed to judge more. What it is
 * tested in becomes artifacts of its ticket. Safe to repeat.
 *
 * @throws ApplicationFailure, which is not retried, where the database does not know an image, or a run that was made:
 * without it, it would look as if less was to be tested
 */
export function judgeTests({
  database,
  onRecorded,
}: Pick<ActivityDependencies, 'database' | 'onRecorded'>) {
  return async (asked: TestsToJudge): Promise<TestsJudged> => {
    for (const { runId } of asked.ran) await knownRun(database, runId);
    await attachImages(database, asked);
    const { tests, judged, open, toCompare } = await judgeLandingTests(database, asked);
    onRecorded?.();
    const named = judged.filter(({ verdict }) => verdict === 'regression');
    const more = named.length > MAX_NAMED ? [`and ${named.length - MAX_NAMED} more`] : [];
    return {
      tests,
      open: open.slice(0, MAX_RUNS).map(openRun),
      toCompare: toCompare.slice(0, MAX_RUNS).map(openRun),
      regressions: [
        ...named
          .slice(0, MAX_NAMED)
          .map(({ source, test, architecture }) => `${source} ${test} (${architecture})`),
        ...more,
      ],
    };
  };
}

function openRun({ id: runId, architecture }: { id: number; architecture: string }): OpenRun {
  return { runId, architecture };
}
