import type { GateBuild, GateInput } from '../../domain/landings/gate-input.ts';
import type { LandingPart } from '../../domain/landings/landing.ts';
import type { TestExcuse } from '../../domain/landings/gate.ts';
import { OPEN_RUN_STATES } from '../../domain/testing/test-run.ts';
import { TEST_VERDICTS, type TestVerdict } from '../../domain/testing/test-verdict.ts';
import type { FreezeWindow } from '../../domain/landings/landing-policy.ts';
import type { Database } from '../database.ts';
import type { Landing } from './landing.ts';
import { query } from '../sql/query.ts';

const MAX_EXCUSES = 100;

/** What does not pass, the worst first. */
const EXCUSES = `
  SELECT verdict.source, verdict.architecture, test, verdict.verdict, verdict.why, run_id, baseline_run_id,
    run.log_url
  FROM test_verdict AS verdict LEFT JOIN test_run AS run ON run.id = run_id
  WHERE (verdict.landing_id, verdict.attempt) = ($1, $2) AND verdict.verdict NOT IN ('pass', 'improvement')
  ORDER BY array_position($3::text[], verdict.verdict), verdict.source, verdict.architecture, test
  LIMIT ${MAX_EXCUSES}`;

const COUNTS = `
  SELECT verdict, count(*)::integer AS count FROM test_verdict
  WHERE (landing_id, attempt) = ($1, $2) GROUP BY verdict`;

/** In the latest image of each architecture: what was run in those before counts no more. */
const RUNS = `
  SELECT count(*)::integer AS all, (count(*) FILTER (WHERE state <> ALL($3::text[])))::integer AS over
  FROM (
    SELECT state, image_id = max(image_id) OVER (PARTITION BY architecture) AS is_latest
    FROM test_run WHERE (landing_id, attempt) = ($1, $2)
  ) AS run
  WHERE is_latest AND state <> 'cancelled'`;

/** Those whose word has counted, though it may have ended since. */
const OVERRIDDEN_BY = `
  SELECT DISTINCT overridden_by AS name FROM test_verdict
  WHERE (landing_id, attempt) = ($1, $2) AND overridden_by IS NOT NULL
  ORDER BY name LIMIT 20`;

/**
 * What is known of the latest attempt of a landing where its gate is judged.
 *
 * @param freezes those that hold for whoever requested it
 */
export async function readGateInput(
  { sequelize, Build }: Pick<Database, 'sequelize' | 'Build'>,
  landing: Landing,
  freezes: readonly FreezeWindow[],
  now: Date,
): Promise<GateInput> {
  const { id, attempt, parts } = landing;
  const of = [id, attempt];
  // What is tested again is not judged yet: the verdicts of the round before stay until it is.
  const isJudged = landing.tests === null || Object.keys(landing.tests.verdicts).length > 0;
  const judged = <T extends object>(sql: string, bind: unknown[] = of): Promise<T[]> =>
    isJudged ? query<T>(sequelize, sql, bind) : Promise.resolve([]);
  const counts = await judged<{ verdict: TestVerdict; count: number }>(COUNTS);
  const [runs] = await query<GateInput['runs']>(sequelize, RUNS, [...of, OPEN_RUN_STATES]);
  const names = await judged<{ name: string }>(OVERRIDDEN_BY);
  return {
    landingId: id,
    phase: landing.phase,
    ahead: landing.ahead,
    estimate: landing.estimate,
    parts,
    ppa: landing.ppa,
    target: landing.place,
    policy: landing.policy,
    freezes: [...freezes],
    decision: landing.decision,
    failure: landing.failure,
    pausedBy: landing.pausedBy,
    waitsFor: landing.waitsFor,
    targetMoved: landing.targetMoved,
    builds: await readGateBuilds(Build, parts),
    testsVerdict: landing.testsVerdict,
    isRenewed: landing.tests?.renewed ?? false,
    tests: Object.fromEntries(counts.map(({ verdict, count }) => [verdict, count])),
    runs: runs ?? { over: 0, all: 0 },
    overriddenBy: names.map(({ name }) => name),
    excuses: await judged<TestExcuse>(EXCUSES, [...of, TEST_VERDICTS]),
    nowMs: now.getTime(),
  };
}

/** The builds of the packages of a landing, as the PPA has made them. */
export async function readGateBuilds(
  Builds: Database['Build'],
  parts: readonly LandingPart[],
): Promise<GateBuild[]> {
  const builds = await Builds.findAll({
    where: { id: parts.flatMap(({ build_id: build }) => build ?? []) },
  });
  return parts.flatMap(({ source, build_id: buildId }) => {
    const build = builds.find((one) => one.id === buildId);
    if (!build) return [];
    const records = build.architectureBuilds.filter((one) => one.package === source);
    const made = build.builtPackages
      .filter((one) => one.source === undefined || one.source === source)
      .map(({ architecture }) => architecture);
    return [{ source, buildId: build.id, builds: records, made }];
  });
}
