import { stepOfPhase, isOver, type LandingPhase } from '../../domain/landings/landing-phase.ts';
import {
  DEFAULT_LANDING_POLICY,
  type LandingPolicy,
} from '../../domain/landings/landing-policy.ts';
import {
  landingFailureOf,
  type LandingFailureClass,
} from '../../domain/landings/landing-failure.ts';
import type {
  Decision,
  LandingAhead,
  LandingEventBody,
  LandingPart,
} from '../../domain/landings/landing.ts';
import { queueOfTicket } from '../../domain/landings/queue-of-ticket.ts';
import { readArchive, usualPocket, type Pocket } from '../../domain/packages/archive.ts';
import type {
  TestResult,
  TestRunEnd,
  TestRunReason,
  TestRunState,
} from '../../domain/testing/test-run.ts';
import type { TestsVerdict, TestVerdict } from '../../domain/testing/test-verdict.ts';
import { insert, insertAll, minutesBefore, select, type Rows } from './seed.ts';

type SeededPart = Pick<LandingPart, 'source' | 'version' | 'state'> & {
  level?: number;
  build?: number;
};

export type SeededLanding = {
  ticketId: number;
  parts: readonly SeededPart[];
  /** Each phase that it came to, so many minutes ago; it is in the last one. */
  way: readonly (readonly [phase: LandingPhase, minutesAgo: number])[];
  target?: string;
  /** By default noble, in the usual pocket. */
  published?: { series: string; pocket: Pocket };
  queue?: string;
  ahead?: readonly LandingAhead[];
  /** In so many minutes, by so many landings. */
  estimate?: { start: number; complete: number; landings: number };
  decision?: Decision;
  policy?: Partial<LandingPolicy>;
  testsVerdict?: TestsVerdict;
  failure?: { class: LandingFailureClass; message: string; package?: string; build_id?: number };
  by?: string;
};

/** Adds a landing with the events that it would have recorded. */
export async function addPastLanding(
  rows: Rows,
  landing: SeededLanding,
  nowMs: number,
): Promise<number> {
  const { ticketId, way, ahead = [], decision, estimate, target = 'ubuntu' } = landing;
  const archive = readArchive(target);
  if (!archive) throw new Error(`${target} is no archive.`);
  const { published = { series: 'noble', pocket: usualPocket(archive) } } = landing;
  const [phase, phaseMinutes] = way.at(-1) ?? ['queued', 0];
  const at = (minutes: number) => minutesBefore(nowMs, minutes);
  const requestedAt = at(way[0]?.[1] ?? 0);
  const subtickets = await select<{ id: number; source: string }>(
    rows,
    `SELECT subticket.id, source_package.name AS source FROM subticket
     JOIN source_package_upload AS upload ON upload.id = subticket.source_package_upload_id
     JOIN source_package ON source_package.id = upload.source_package_id
     WHERE subticket.ticket_id = $1`,
    [ticketId],
  );
  const parts: LandingPart[] = landing.parts.map(({ build, ...part }) => ({
    subticket_id: subtickets.find(({ source }) => source === part.source)?.id ?? 0,
    build_id: build ?? null,
    ...part,
  }));
  const failedIn = way.at(-2)?.[0] ?? 'queued';
  const failure =
    landing.failure &&
    landingFailureOf(landing.failure.class, failedIn, landing.failure.message, {
      ...(landing.failure.package ? { package: landing.failure.package } : {}),
      ...(landing.failure.build_id ? { build_id: landing.failure.build_id } : {}),
    });
  const id = await insert(rows, 'landing', {
    ticket_id: ticketId,
    ppa: 'ppa:airline/silo-1',
    archive: 'ubuntu',
    series: 'noble',
    target,
    target_series: published.series,
    pocket: published.pocket,
    progress_trigger: landing.queue ?? queueOfTicket(ticketId),
    packages: JSON.stringify(
      parts.map(({ subticket_id: subticketId, source, version }) => ({
        subticketId,
        source,
        version,
        files: [`https://store.example:8443/${source}_${version}_source.changes`],
      })),
    ),
    phase,
    phase_since: at(phaseMinutes),
    parts: JSON.stringify(parts),
    ahead: JSON.stringify(ahead),
    estimate: estimate
      ? JSON.stringify({
          start_at: at(-estimate.start),
          complete_at: at(-estimate.complete),
          based_on: estimate.landings,
          reason: null,
        })
      : null,
    failure: failure ? JSON.stringify(failure) : null,
    decision: decision ? JSON.stringify(decision) : null,
    policy: JSON.stringify({ ...DEFAULT_LANDING_POLICY, ...landing.policy }),
    tests_verdict: landing.testsVerdict ?? null,
    last_seq: way.length,
    requested_at: requestedAt,
    requested_by: landing.by ?? 'ann',
    dispatched_at: requestedAt,
    created_at: requestedAt,
    updated_at: at(phaseMinutes),
    finished_at: isOver(phase) ? at(phaseMinutes) : null,
  });
  const events = way.map(([each, minutes], index) => {
    const isLast = index === way.length - 1;
    const body: LandingEventBody = {
      seq: index + 1,
      landing_id: id,
      ticket_id: ticketId,
      attempt: 1,
      phase: each,
      step: stepOfPhase(each),
      timestamp: at(minutes),
      parts,
      ...(isOver(each) ? { exit: true } : {}),
      ...(isLast && failure ? { failure } : {}),
    };
    return {
      landing_id: id,
      seq: index + 1,
      attempt: 1,
      key: `seeded-${index}`,
      body: JSON.stringify(body),
      created_at: at(minutes),
    };
  });
  await insertAll(rows, 'landing_event', events);
  return id;
}

export type SeededRun = {
  source: string;
  version: string;
  architecture: string;
  state: TestRunState;
  reason?: TestRunReason;
  why?: string;
  results?: readonly TestResult[];
  fault?: string;
  log?: string;
  verdicts?: readonly { test: string; verdict: TestVerdict; why: string }[];
};

/** Adds the test runs of a landing, in an image of each architecture, with what they say. */
export async function addPastRuns(
  rows: Rows,
  landingId: number,
  runs: readonly SeededRun[],
  nowMs: number,
): Promise<void> {
  const images = new Map<string, number>();
  for (const architecture of new Set(runs.map((run) => run.architecture)))
    images.set(
      architecture,
      await insert(rows, 'image', {
        kind: 'landing',
        distribution: 'ubuntu',
        series: 'noble',
        architecture,
        format: 'tar',
        content_key: `seeded ${landingId} ${architecture}`,
        releases: '{}',
        sha256: '',
        size: 0,
        url: '',
        manifest_url: '',
        created_at: minutesBefore(nowMs, 30),
      }),
    );
  const exercised: TestRunEnd['exercised'] = [];
  for (const run of runs) {
    const isQueued = run.state === 'queued';
    const hasEnded = !isQueued && run.state !== 'running';
    const runId = await insert(rows, 'test_run', {
      landing_id: landingId,
      attempt: 1,
      image_id: images.get(run.architecture),
      source: run.source,
      version: run.version,
      architecture: run.architecture,
      reason: run.reason ?? 'depends',
      why: run.why ?? 'depends on libgreet4',
      files: '[]',
      state: run.state,
      results: JSON.stringify(run.results ?? []),
      exercised: JSON.stringify(exercised),
      fault: run.fault ?? null,
      log_url: run.log ?? null,
      created_at: minutesBefore(nowMs, 26),
      started_at: isQueued ? null : minutesBefore(nowMs, 25),
      ended_at: hasEnded ? minutesBefore(nowMs, 21) : null,
    });
    await insertAll(
      rows,
      'test_verdict',
      (run.verdicts ?? []).map((verdict) => ({
        landing_id: landingId,
        attempt: 1,
        source: run.source,
        architecture: run.architecture,
        run_id: runId,
        ...verdict,
      })),
    );
  }
}
