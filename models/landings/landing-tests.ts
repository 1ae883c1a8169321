import type { Transaction } from 'sequelize';
import {
  judgeTests,
  verdictOfTests,
  type JudgedTest,
  type NeededRun,
} from '../../domain/testing/judge-tests.ts';
import { mayOverride } from '../../domain/landings/landing-permission.ts';
import type { LandingTests, TestedImage } from '../../domain/landings/landing.ts';
import type { TestedRun } from '../../domain/testing/test-run-history.ts';
import { isOpenRun, OPEN_RUN_STATES } from '../../domain/testing/test-run.ts';
import type { Database } from '../database.ts';
import { query } from '../sql/query.ts';
import { nextBaselineTry } from './planned-tests.ts';
import type { Landing } from './landing.ts';
import type { TestRun } from './test-run.ts';

/** What of the database the tests of a landing are in. */
export type TestsDatabase = Pick<
  Database,
  'sequelize' | 'Landing' | 'TestOverride' | 'TestRun' | 'TestVerdict'
>;

/** What is judged, and how. */
export type TestsToJudge = {
  landingId: number;
  attempt: number;
  images: readonly TestedImage[];
  /** Runs that the policy left out. */
  left: number;
  /** Runs that a tester was asked for, and has given up or ended. */
  ran: readonly { runId: number; fault?: string }[];
  testBedTries: number;
  baselineMaxAgeDays: number;
};

/** What came of it. */
export type JudgedTests = {
  tests: LandingTests;
  judged: JudgedTest[];
  /** Those that are to be made now. */
  open: TestRun[];
  /** Changed sources whose archive's version is to be run without the landing's packages. */
  toCompare: TestedRun[];
};

const DAY_MS = 86_400_000;
const NO_RESULT = 'the tester has told no result';

/**
 * Takes over what an earlier attempt has tested in the same image: whatever has not failed, nor had before. A test that
 * passes only when it is run once more is flaky.
 */
const REUSE = `
  UPDATE test_run AS run
  SET state = earlier.state, exit_code = earlier.exit_code, results = earlier.results,
      exercised = earlier.exercised, tester = earlier.tester, log_url = earlier.log_url,
      artifacts_url = earlier.artifacts_url, started_at = earlier.started_at, ended_at = earlier.ended_at
  FROM test_run AS earlier
  WHERE (run.landing_id, run.attempt, run.state, run.try) = ($1, $2, 'queued', 1)
    AND earlier.landing_id = run.landing_id AND earlier.attempt < run.attempt
    AND (earlier.image_id, earlier.source, earlier.version, earlier.architecture, earlier.reason)
      = (run.image_id, run.source, run.version, run.architecture, run.reason)
    AND earlier.state = 'finished' AND NOT earlier.results @> '[{"status": "FAIL"}]'
    AND NOT EXISTS (
      SELECT FROM test_run AS before
      WHERE (before.landing_id, before.attempt, before.image_id, before.source, before.architecture, before.reason)
        = (earlier.landing_id, earlier.attempt, earlier.image_id, earlier.source, earlier.architecture, earlier.reason)
        AND before.try < earlier.try AND before.state = 'finished')`;

/**
 * Judges the tests of a landing's attempt by its runs, keeps the verdicts, and adds the runs that are needed to judge
 * more: second tries of what failed, tries of what the test bed failed, and runs without the landing's packages. Safe
 * to repeat.
 */
export async function judgeLandingTests(
  database: TestsDatabase,
  asked: TestsToJudge,
): Promise<JudgedTests> {
  const { sequelize, Landing, TestVerdict } = database;
  const { landingId, attempt, left, testBedTries } = asked;
  return sequelize.transaction(async (transaction) => {
    // Rows of the landing are added below; its end has it before its runs, too.
    const landing = await Landing.findByPk(landingId, {
      transaction,
      lock: transaction.LOCK.KEY_SHARE,
      rejectOnEmpty: true,
    });
    await giveUp(database, asked.ran, transaction);
    await query(sequelize, REUSE, [landingId, attempt], transaction);
    const first = await readRuns(database, asked, transaction);
    const now = new Date();
    const overrides = await overridesFor(database, landing, first.runs, now, transaction);
    const { tests: judged, needed } = judgeTests(first.runs, first.baselines, {
      overrides,
      testBedTries,
      now,
    });
    const toOpen = needed.filter((run) => !isOfArchive(run));
    await openRuns(database, asked, toOpen, transaction);
    await TestVerdict.keep({ landingId, attempt }, judged, transaction);
    const { runs, baselines } = await readRuns(database, asked, transaction);
    return {
      tests: countTests(judged, left),
      judged,
      open: [...runs, ...baselines.filter((run) => isWanted(run, runs))].filter(({ state }) =>
        isOpenRun(state),
      ),
      toCompare: needed.filter(isOfArchive).map(({ of }) => of),
    };
  });
}

/** The overrides that hold for the landing's tests: those by people who may approve it. */
async function overridesFor(
  { TestOverride }: TestsDatabase,
  { policy, requestedBy }: Landing,
  runs: readonly TestRun[],
  now: Date,
  transaction: Transaction,
) {
  const sources = [...new Set(runs.map(({ source }) => source))];
  const valid = await TestOverride.validFor(sources, now, transaction);
  return valid.filter(({ overriddenBy }) => mayOverride({ policy, requestedBy }, overriddenBy));
}

/** Ends runs of which no tester has told a result: the test bed is to blame. */
async function giveUp(
  { TestRun }: TestsDatabase,
  ran: TestsToJudge['ran'],
  transaction: Transaction,
): Promise<void> {
  for (const { runId, fault = NO_RESULT } of ran)
    await TestRun.update(
      { state: 'bed_failed', fault, endedAt: new Date() },
      { where: { id: runId, state: [...OPEN_RUN_STATES] }, transaction },
    );
}

async function readRuns(
  { TestRun }: TestsDatabase,
  { landingId, attempt, images, baselineMaxAgeDays }: TestsToJudge,
  transaction: Transaction,
): Promise<{ runs: TestRun[]; baselines: TestRun[] }> {
  const order: [string, string][] = [['id', 'ASC']];
  const runs = await TestRun.findAll({
    where: { landingId, attempt, imageId: images.map(({ imageId }) => imageId) },
    order,
    transaction,
  });
  const compared = await TestRun.findAll({
    where: {
      landingId: null,
      imageId: images.map(({ baseImageId }) => baseImageId),
      source: [...new Set(runs.map(({ source }) => source))],
    },
    order,
    transaction,
  });
  // What was new enough when the tests were planned stays so: a person may take longer to decide.
  const plannedMs = Math.min(Date.now(), ...runs.map(({ createdAt }) => createdAt.getTime()));
  const oldestMs = plannedMs - baselineMaxAgeDays * DAY_MS;
  const baselines = compared.filter(({ endedAt, state }) => {
    // What the archive or the test bed lacked for an earlier landing, it may have now.
    const sinceMs = state === 'unavailable' || state === 'bed_failed' ? plannedMs : oldestMs;
    return !endedAt || endedAt.getTime() > sinceMs;
  });
  return { runs, baselines };
}

/** Whether a run without the landing's packages tells something of a test that waits. */
function isWanted(baseline: TestedRun, runs: readonly TestedRun[]): boolean {
  return runs.some(
    ({ source, architecture, results }) =>
      source === baseline.source &&
      architecture === baseline.architecture &&
      results.some(({ status }) => status === 'FAIL'),
  );
}

/** Whether what is needed is a run of the archive's version of a changed source. */
function isOfArchive({ kind, of }: NeededRun): boolean {
  return kind === 'baseline' && of.reason === 'changed';
}

/** Adds runs that are needed: each is of the version that has been run. */
async function openRuns(
  { TestRun }: TestsDatabase,
  { images }: TestsToJudge,
  needed: readonly NeededRun[],
  transaction: Transaction,
): Promise<void> {
  const ids = needed.map(({ of }) => of.id);
  const rows = new Map(
    (await TestRun.findAll({ where: { id: ids }, transaction })).map((row) => [row.id, row]),
  );
  for (const { of, kind } of needed) {
    const row = rows.get(of.id);
    if (!row) continue;
    const { source, version, architecture, reason, why, files } = row;
    const place =
      kind === 'again'
        ? { landingId: row.landingId, attempt: row.attempt, imageId: row.imageId, try: row.try + 1 }
        : { landingId: null, attempt: null, ...(await nextBaseline(row)) };
    await TestRun.bulkCreate([{ source, version, architecture, reason, why, files, ...place }], {
      ignoreDuplicates: true,
      transaction,
    });
  }

  async function nextBaseline({ imageId, source, version, architecture }: TestRun) {
    const base = images.find((image) => image.imageId === imageId)?.baseImageId ?? 0;
    const place = { imageId: base, source, version, architecture };
    return { imageId: base, try: await nextBaselineTry(TestRun, place, transaction) };
  }
}

function countTests(judged: readonly JudgedTest[], left: number): LandingTests {
  const verdicts: LandingTests['verdicts'] = {};
  const sources = new Set<string>();
  const waiting = new Set<string>();
  for (const { source, architecture, verdict } of judged) {
    const key = `${source} ${architecture}`;
    verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
    sources.add(key);
    if (verdict === 'waiting') waiting.add(key);
  }
  const verdict = verdictOfTests(judged, left);
  return {
    planned: sources.size,
    finished: sources.size - waiting.size,
    left,
    verdict,
    verdicts,
  };
}
