import { Op, type Transaction } from 'sequelize';
import type { PlannedTest } from '../../domain/testing/test-plan.ts';
import { OPEN_RUN_STATES } from '../../domain/testing/test-run.ts';
import { isTaken } from '../sql/database-errors.ts';
import type { TestRun, TestRunModel } from './test-run.ts';

/** What a plan of a landing's tests is for. */
type TestPlace = { landingId: number; attempt: number; imageId: number; architecture: string };

/** What tells the runs apart that are made without a landing's packages, but for their tries. */
type BaselinePlace = Pick<TestRun, 'imageId' | 'source' | 'version' | 'architecture'>;

/** The plan of a landing's tests in an image, in its order; empty where none was made. */
function findPlan(TestRuns: TestRunModel, place: TestPlace): Promise<TestRun[]> {
  const { landingId, attempt, imageId, architecture } = place;
  const where = { landingId, attempt, imageId, architecture, try: 1 };
  return TestRuns.findAll({ where, order: ['id'] });
}

/**
 * Keeps the plan of a landing's tests in an image, all of it or nothing. Where there is one, that stays.
 *
 * @returns the plan that holds
 */
export async function findOrCreatePlan(
  TestRuns: TestRunModel,
  place: TestPlace,
  tests: readonly PlannedTest[],
): Promise<TestRun[]> {
  const planned = await findPlan(TestRuns, place);
  if (planned.length > 0) return planned;
  const rows = tests.map(({ fault, ...test }) => ({
    ...place,
    ...test,
    files: [],
    ...(fault === undefined ? {} : { state: 'unavailable' as const, fault, endedAt: new Date() }),
  }));
  try {
    await TestRuns.bulkCreate(rows);
  } catch (error) {
    // Another has kept one at the same moment.
    if (!isTaken(error)) throw error;
  }
  return findPlan(TestRuns, place);
}

/** Keeps the source's files of a run, or why they cannot be had: then it can never be made. */
export async function keepTestSource(
  run: TestRun,
  found: { files: string[] } | { fault: string },
): Promise<void> {
  await run.update(
    'files' in found ? found : { ...found, state: 'unavailable', endedAt: new Date() },
  );
}

/**
 * The run of a source without a landing's packages that waits or runs, whoever it was made for; or that can never be
 * made, if that was found later than `since`: the archive may have by now what it lacked before.
 */
export function findOpenBaseline(
  TestRuns: TestRunModel,
  { since, ...place }: BaselinePlace & { since: Date },
): Promise<TestRun | null> {
  const unavailable = { state: 'unavailable', endedAt: { [Op.gt]: since } };
  return TestRuns.findOne({
    where: { ...baselineAt(place), [Op.or]: [{ state: [...OPEN_RUN_STATES] }, unavailable] },
    order: [['try', 'DESC']],
  });
}

function baselineAt({ imageId, source, version, architecture }: BaselinePlace) {
  return { landingId: null, imageId, source, version, architecture };
}

/** Which try the next run of a source without a landing's packages is. */
export async function nextBaselineTry(
  TestRuns: TestRunModel,
  place: BaselinePlace,
  transaction: Transaction | null = null,
): Promise<number> {
  const where = baselineAt(place);
  const tries = await TestRuns.max<number | null, TestRun>('try', { where, transaction });
  return (tries ?? 0) + 1;
}

/**
 * Adds a run without a landing's packages, unless another adds one at the same moment.
 *
 * @param baseline with its files, since whoever sees it may run it; or with its end, where there are none
 */
export async function createBaseline(
  TestRuns: TestRunModel,
  baseline: BaselinePlace &
    Pick<TestRun, 'reason' | 'why' | 'files'> &
    Partial<Pick<TestRun, 'state' | 'fault' | 'endedAt'>>,
): Promise<TestRun> {
  const next = await nextBaselineTry(TestRuns, baseline);
  try {
    return await TestRuns.create({ ...baseline, try: next });
  } catch (error) {
    const made = isTaken(error)
      ? await TestRuns.findOne({ where: baselineAt(baseline), order: [['try', 'DESC']] })
      : null;
    if (!made) throw error;
    return made;
  }
}
