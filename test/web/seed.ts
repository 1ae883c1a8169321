import type { Sequelize } from 'sequelize';
import type { BuiltPackage } from '../../domain/builds/built-package.ts';
import { keepBuildRecords } from '../../models/builds/build-record.ts';
import { failureOf, type Failure, type FailureClass } from '../../domain/builds/failure.ts';
import { buildRecordState } from '../../domain/builds/build-state.ts';
import {
  finalPhase,
  phaseInPpa,
  stateOfPhase,
  type BuildPhase,
} from '../../domain/builds/build-phase.ts';
import {
  messageOfPhase,
  progressStateOf,
  type ArchitectureBuild,
  type ProgressMessage,
} from '../../domain/builds/progress.ts';
import { waitingOf, type WaitLimits } from '../../domain/builds/waiting.ts';

/**
 * Where the rows of the past go. They are written as SQL: the models give a row the time, the history and the events of
 * now, the hashes of a history have no model, and Sequelize's own `bulkInsert` does not promise the ids of new rows.
 */
export type Rows = Sequelize;

const MINUTE_MS = 60_000;
const NO_HASH = '00'.repeat(32);

/** Adds a ticket that has gone through the given steps, each so many minutes ago. */
export async function addPastTicket(
  rows: Rows,
  ticket: {
    owner: string;
    title: string;
    description?: string;
    bug?: string;
    madeMinutesAgo: number;
    way?: readonly { to: number; minutesAgo: number; by: string; why?: string }[];
    packages?: readonly { name: string; version: string; step?: number; source?: string }[];
  },
  nowMs: number,
): Promise<number> {
  const { way = [] } = ticket;
  const step = way.at(-1)?.to ?? 100;
  const changedAt = minutesBefore(nowMs, way.at(-1)?.minutesAgo ?? ticket.madeMinutesAgo);
  const id = await insert(rows, 'ticket', {
    owner: ticket.owner,
    title: ticket.title,
    description: ticket.description ?? '',
    bug_id: ticket.bug ?? '',
    current_workflow_step: step,
    status: step,
    ...(step === 999
      ? { failed_at_step: way.at(-2)?.to ?? 100, failure_reason: way.at(-1)?.why ?? '' }
      : {}),
    created_at: minutesBefore(nowMs, ticket.madeMinutesAgo),
    updated_at: changedAt,
    history_seq: way.length,
  });
  const changes = way.map(({ to, minutesAgo, by, why = '' }, index) => {
    const from = way[index - 1]?.to ?? 100;
    return {
      ticket_id: id,
      seq: index + 1,
      from_step: from,
      to_step: to,
      from_status: from,
      to_status: to,
      actor: by,
      reason: why,
      created_at: minutesBefore(nowMs, minutesAgo),
      hash: `\\x${NO_HASH}`,
    };
  });
  await insertAll(rows, 'status_change', changes);
  for (const { name, version, step: own = step, source } of ticket.packages ?? []) {
    const [found] = await select<{ id: number }>(
      rows,
      'SELECT id FROM source_package WHERE name = $1',
      [name],
    );
    const packageId = found?.id ?? (await insert(rows, 'source_package', { name }));
    const uploadId = await insert(rows, 'source_package_upload', {
      source_package_id: packageId,
      version,
    });
    const subticketId = await insert(rows, 'subticket', {
      ticket_id: id,
      source_package_upload_id: uploadId,
      assignee: ticket.owner,
      current_workflow_step: own,
      status: own,
    });
    if (source !== undefined)
      await insert(rows, 'subticket_artifact', {
        subticket_id: subticketId,
        name: source.replace(/^.*\//, ''),
        reference: source,
        type: 'SPU',
      });
  }
  return id;
}

/** What the PPA said at a moment: minutes after the request, and Launchpad's word for each architecture. */
type Moment = readonly [afterMinutes: number, states: Readonly<Record<string, string>>];

export type SeededBuild = {
  ticketId: number;
  name: string;
  version: string;
  requestedMinutesAgo: number;
  moments: readonly Moment[];
  by?: string;
  ppa?: string;
  queue?: string;
  /** Minutes after the request at which it ended; without it it is under way. */
  endedAfter?: number;
  failure?: { class: FailureClass; message: string } & Partial<Failure>;
  logs?: readonly string[];
  isUndispatched?: boolean;
  trouble?: { step: string; message: string; tries: number; sinceMinutesAgo: number };
  cancelledBy?: string;
  /** What the PPA says that it lacks, where an architecture waits for dependencies. */
  dependencies?: string;
  /** The PPA has the upload and does not show it. */
  isUploaded?: boolean;
  /** The names of the packages that it has made where it succeeded; `all` architectures where it ends with -doc. */
  built?: readonly string[];
  /** How long earlier builds waited in the phase that it is in. */
  usuallyMs?: number;
};

const LIMITS: WaitLimits = {
  acceptanceMs: 15 * MINUTE_MS,
  dependencyWaitMs: 2 * 60 * MINUTE_MS,
  wholeBuildMs: 24 * 60 * MINUTE_MS,
  startMs: 24 * 60 * MINUTE_MS,
  executionMs: 25 * 60 * MINUTE_MS,
};

/** Adds a build with the events that it would have recorded. @returns its id */
export async function addPastBuild(rows: Rows, build: SeededBuild, nowMs: number): Promise<number> {
  const [id] = await addPastBuilds(rows, [build], nowMs);
  if (id === undefined) throw new Error('no id came back');
  return id;
}

/** Adds builds in as few statements as one takes. @returns their ids */
export async function addPastBuilds(
  rows: Rows,
  builds: readonly SeededBuild[],
  nowMs: number,
): Promise<number[]> {
  const drawn = await select<{ id: number }>(
    rows,
    `SELECT nextval(pg_get_serial_sequence('build', 'id'))::integer AS id FROM generate_series(1, $1)`,
    [builds.length],
  );
  const all = drawn.map(({ id }, at) => rowsOf(builds[at] as SeededBuild, id, nowMs));
  await insertAll(
    rows,
    'build',
    all.map(({ row }) => row),
  );
  await insertAll(
    rows,
    'progress_event',
    all.flatMap(({ events }) => events),
  );
  await rows.transaction(async (transaction) => {
    for (const { row, end } of all)
      if (end) await keepBuildRecords(rows, { ...row, attempt: 1 }, end, transaction);
  });
  return drawn.map(({ id }) => id);
}

function rowsOf(build: SeededBuild, id: number, nowMs: number) {
  const requestedAtMs = nowMs - build.requestedMinutesAgo * MINUTE_MS;
  const after = (minutes: number) => new Date(requestedAtMs + minutes * MINUTE_MS).toISOString();
  const sources = [`https://store.example:8443/${build.name}_${build.version}_source.changes`];
  const { failure: given, endedAfter, trouble } = build;
  const failure = given && { ...failureOf(given.class, given.message), ...given };
  const isUnderWay = endedAfter === undefined;
  const request = {
    source_packages: sources,
    ppa: build.ppa ?? 'ppa:airline/landing',
    progress_trigger: build.queue ?? 'landing.progress',
  };
  const architectureBuilds = (upTo: number): ArchitectureBuild[] =>
    Object.entries(build.moments[upTo]?.[1] ?? {}).map(([architecture, buildstate]) => ({
      package: build.name,
      version: build.version,
      architecture,
      buildstate,
      state: buildRecordState(buildstate),
      web_link: `https://launchpad.example/~airline/+archive/ubuntu/landing/+build/${architecture}`,
      created_at: after(build.moments[0]?.[0] ?? 0),
      started_at: since(upTo, architecture, ['building']),
      built_at: since(upTo, architecture, ['completed', 'failed', 'dependency_wait']),
      ...(build.dependencies !== undefined && buildstate === 'Dependency wait'
        ? { dependencies: build.dependencies }
        : {}),
    }));
  const since = (upTo: number, architecture: string, states: readonly string[]) => {
    const first = build.moments
      .slice(0, upTo + 1)
      .find(([, of]) => states.includes(buildRecordState(of[architecture] ?? '')));
    return first ? after(first[0]) : null;
  };
  const last = architectureBuilds(build.moments.length - 1);
  const reports: { phase: BuildPhase; at: string; builds: ArchitectureBuild[] }[] = [
    { phase: 'queued', at: after(0), builds: [] },
  ];
  if (!build.isUndispatched) {
    reports.push({ phase: 'checking', at: after(0.02), builds: [] });
    if (build.isUploaded) reports.push({ phase: 'accepting', at: after(0.1), builds: [] });
    for (const [index, [minutes]] of build.moments.entries()) {
      const builds = architectureBuilds(index);
      const phase = phaseInPpa(builds.map(({ state }) => state));
      reports.push({ phase, at: after(minutes), builds });
    }
    if (!isUnderWay)
      reports.push({ phase: finalPhase(failure), at: after(endedAfter), builds: last });
  }
  const phaseSince = reports.map(({ phase, at }, index) => {
    const change = reports.slice(0, index).findLastIndex((earlier) => earlier.phase !== phase);
    return reports[change + 1]?.at ?? at;
  });
  const phase = reports.at(-1)?.phase ?? 'queued';
  const waiting = waitingOf(
    {
      phase,
      phaseSince: new Date(phaseSince.at(-1) ?? after(0)),
      requestedAt: new Date(after(0)),
      dispatchedAt: build.isUndispatched ? null : new Date(after(0.01)),
      takenAt: build.isUndispatched ? null : new Date(after(0.02)),
      dependencyWaitSince: null,
      waitLimits: LIMITS,
    },
    { usually_ms: build.usuallyMs ?? null, ahead: null },
  );
  const row = {
    id,
    ticket_id: build.ticketId,
    ...request,
    source_packages: JSON.stringify(sources),
    series: 'noble',
    package_names: [build.name],
    archive: 'ubuntu',
    state: stateOfPhase(phase),
    phase,
    phase_since: phaseSince.at(-1),
    reported_at: reports.at(-1)?.at,
    architecture_builds: JSON.stringify(last),
    logs: JSON.stringify(isUnderWay ? [] : (build.logs ?? [])),
    failure: failure ? JSON.stringify(failure) : null,
    ...builtBy(build, last, endedAfter === undefined ? null : after(endedAfter)),
    waiting: waiting ? JSON.stringify(waiting) : null,
    last_seq: reports.length,
    created_at: after(0),
    updated_at: reports.at(-1)?.at ?? after(0),
    requested_at: after(0),
    requested_by: build.by ?? 'lander',
    dispatched_at: build.isUndispatched ? null : after(0.01),
    cancel_requested_at: build.cancelledBy ? after((endedAfter ?? 1) - 0.5) : null,
    cancel_requested_by: build.cancelledBy ?? null,
    finished_at: isUnderWay ? null : after(endedAfter),
    trouble: trouble
      ? JSON.stringify({
          step: trouble.step,
          message: trouble.message,
          tries: trouble.tries,
          since: minutesBefore(nowMs, trouble.sinceMinutesAgo),
        })
      : null,
  };
  const events = reports.map((told, index) => {
    const { at, builds } = told;
    const isLast = !isUnderWay && index === reports.length - 1;
    const body: ProgressMessage = {
      state: progressStateOf(told.phase),
      message: messageOfPhase(told.phase),
      phase: told.phase,
      phase_since: phaseSince[index] ?? at,
      ...request,
      seq: index + 1,
      build_id: id,
      attempt: 1,
      ticket_id: build.ticketId,
      timestamp: at,
      builds,
      ...(isLast ? { exit: true, logs: [...(build.logs ?? [])] } : {}),
      ...(isLast && failure ? { failure } : {}),
    };
    return {
      build_id: id,
      seq: index + 1,
      key: `seeded-${index}`,
      body: JSON.stringify(body),
      created_at: at,
      published_at: at,
    };
  });
  const end = isUnderWay
    ? undefined
    : { builds: last, failure, finishedAt: new Date(after(endedAfter)) };
  return { row, events, end };
}

function builtBy(
  { built = [], name, version }: SeededBuild,
  builds: readonly ArchitectureBuild[],
  publishedAt: string | null,
) {
  const succeeded = builds.filter(({ state }) => state === 'completed');
  const packages = built.flatMap((own, at) => {
    const isForAll = own.endsWith('-doc');
    return (isForAll ? succeeded.slice(0, 1) : succeeded).map((one): BuiltPackage => ({
      name: own,
      source: name,
      version,
      architecture: isForAll ? 'all' : one.architecture,
      url: `https://launchpad.example/files/${own}_${version}_${one.architecture}.deb`,
      size: 24_000 * (at + 1),
      sha256: 'ab'.repeat(32),
      ...(publishedAt === null ? {} : { published_at: publishedAt }),
    }));
  });
  return {
    built_packages: JSON.stringify(packages),
    apt:
      packages.length === 0
        ? null
        : 'deb https://ppa.launchpad.example/airline/landing/ubuntu noble main',
  };
}

/** A time so many minutes before now. */
export function minutesBefore(nowMs: number, minutes: number): string {
  return new Date(nowMs - minutes * MINUTE_MS).toISOString();
}

/** Inserts a row. @returns its id */
export async function insert(
  rows: Rows,
  table: string,
  values: Record<string, unknown>,
): Promise<number> {
  const [row] = await select<{ id: number }>(
    rows,
    `${insertion(table, Object.keys(values))} RETURNING id`,
    Object.values(values),
  );
  if (!row) throw new Error(`no row of ${table} came back`);
  return row.id;
}

/** Inserts rows of the same columns. */
export async function insertAll(
  rows: Rows,
  table: string,
  all: readonly Record<string, unknown>[],
): Promise<void> {
  const [first] = all;
  if (!first) return;
  await rows.query(insertion(table, Object.keys(first), all.length), {
    bind: all.flatMap(Object.values),
  });
}

function insertion(table: string, columns: readonly string[], count = 1): string {
  const places = Array.from({ length: count }, (_, row) =>
    columns.map((_column, at) => `$${row * columns.length + at + 1}`).join(', '),
  );
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join('), (')})`;
}

/** The rows that a query finds. */
export async function select<T>(rows: Rows, sql: string, bind: unknown[]): Promise<T[]> {
  const [found] = await rows.query(sql, { bind });
  return found as T[];
}
