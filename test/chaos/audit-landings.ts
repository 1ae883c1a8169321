import { isDeepStrictEqual } from 'node:util';
import { isOver } from '../../domain/landings/landing-phase.ts';
import { landingWorkflowId, type LandingEventBody } from '../../domain/landings/landing.ts';
import type { Evidence, LandingRow } from './evidence.ts';
import { finding, groupBy, upTo, type Finding, type Violation } from './finding.ts';
import { pocketOf, TARGET } from './landing-fates.ts';
import type { RequestedLanding } from './landing-lander.ts';
import type { Copied } from './ppa-records.ts';

/** Verdicts of a test with which no landing is published that nobody has approved. */
const STOPS = ['regression', 'waiting', 'cannot_tell', 'not_exercised'];

/** Holds the landings of a run against what Airline promises; nothing where there were none. */
export function auditLandings(evidence: Evidence): Finding[] {
  const { requested, rows, events, deliveries, pool, workflows } = evidence.landings;
  if (requested.length === 0) return [];
  const { copied } = evidence.ppa;
  return [
    finding('5 every landing is accepted once', requested, acceptedOnce(evidence)),
    finding('5 one final event ends each attempt', rows, oneFinalEvent(evidence)),
    finding('5 one final message for each attempt', rows, oneFinalMessage(evidence)),
    finding("5 landings' seq has no gap, all is published", events, gapless(evidence)),
    finding("5 landings' messages come in order", deliveries, inOrder(evidence)),
    finding('6 nothing is published twice', copied, publishedOnce(evidence)),
    finding('6 nothing is published untested', copied, publishedTested(evidence)),
    finding('6 the target has what landings published', copied, publishedByLandings(evidence)),
    finding('6 what has ended builds and tests nothing', rows, stopped(evidence)),
    finding('  landings end as they had to', requested, endedAsMeant(evidence)),
    finding('  PPAs of the pool are given back', pool, givenBack(evidence)),
    finding("  each landing's workflow ends by its own code", workflows, closed(evidence)),
  ];
}

function* acceptedOnce({ landings: { requested, rows } }: Evidence): Iterable<Violation> {
  for (const landing of requested) {
    const own = rows.filter(({ ticketId }) => ticketId === landing.ticketId);
    if (landing.lastError !== null)
      yield violation(landing, 'the lander was not answered in time', landing.lastError);
    if (landing.landingId !== null && !own.some(({ id }) => id === landing.landingId))
      yield violation(landing, 'answered 202, and there is no such row', landing.landingId);
    if (own.length > 1) yield violation(landing, 'one request made several landings', own);
  }
}

function* oneFinalEvent({ landings: { rows, events } }: Evidence): Iterable<Violation> {
  for (const row of rows) {
    if (!row.isFinished) yield violation(row, 'has not ended', row);
    for (const attempt of upTo(row.attempt)) {
      const own = bodiesOf(events, row.id).filter((body) => body.attempt === attempt);
      const finals = own.filter(({ exit }) => exit);
      const shown = own.map(({ seq, phase }) => `${seq} ${phase}`);
      if (finals.length !== 1)
        yield violation(row, `attempt ${attempt} has ${finals.length} final events`, shown);
      else if (!own.at(-1)?.exit)
        yield violation(row, `attempt ${attempt} has an event after its final one`, shown);
    }
  }
}

function* oneFinalMessage({ landings: { rows, deliveries } }: Evidence): Iterable<Violation> {
  const finals = new Map<string, Set<string>>();
  for (const { messageId, body } of deliveries) {
    const { landing_id: id, attempt, exit } = JSON.parse(body) as LandingEventBody;
    const of = `${id} ${attempt}`;
    if (exit) finals.set(of, (finals.get(of) ?? new Set()).add(messageId));
  }
  for (const row of rows)
    for (const attempt of upTo(row.attempt)) {
      const ids = [...(finals.get(`${row.id} ${attempt}`) ?? [])];
      if (ids.length !== 1)
        yield violation(row, `${ids.length} final messages of attempt ${attempt} came`, ids);
    }
}

function* gapless({ landings: { rows, events } }: Evidence): Iterable<Violation> {
  for (const row of rows) {
    const seqs = bodiesOf(events, row.id).map(({ seq }) => seq);
    if (!isDeepStrictEqual(seqs, upTo(row.lastSeq)))
      yield violation(row, `the events are not 1 to ${row.lastSeq}`, seqs);
  }
  for (const { isPublished, body } of events)
    if (!isPublished) yield violation({ id: body.landing_id }, 'an event was not published', body);
}

/** The first deliveries of each landing are its events, as they are recorded and in their order. */
function* inOrder({ landings: { rows, events, deliveries } }: Evidence): Iterable<Violation> {
  const first = new Map<string, string>();
  for (const { messageId, body } of deliveries) {
    const known = first.get(messageId);
    if (known !== undefined && known !== body)
      yield { build: messageId, what: 'came with two bodies', evidence: [known, body] };
    else first.set(messageId, body);
  }
  for (const { id } of rows) {
    const came = [...first].filter(([messageId]) => messageId.startsWith(`landing:${id}:`));
    const own = bodiesOf(events, id).map((body) => [`landing:${id}:${body.seq}`, body]);
    if (
      !isDeepStrictEqual(
        came.map(([messageId, body]) => [messageId, JSON.parse(body)]),
        own,
      )
    )
      yield violation(
        { id },
        'the messages are not its events in their order',
        came.map(([messageId]) => messageId),
      );
  }
}

function* publishedOnce({ ppa }: Evidence): Iterable<Violation> {
  const named = ({ kind, archive, pocket, name, version }: Copied) =>
    `${kind} ${name} ${version} in ${archive} ${pocket}`;
  for (const [what, copies] of groupBy(ppa.copied, named))
    if (copies.length > 1)
      yield { build: what, what: `was published ${copies.length} times`, evidence: copies };
}

/** Before the first copy there is the record of tests that pass, or of a person's approval. */
function* publishedTested({ ppa, landings }: Evidence): Iterable<Violation> {
  for (const copy of sourcesOf(ppa.copied)) {
    const atMs = Date.parse(copy.copiedAt);
    const row = landings.rows.find((one) => has(one, copy));
    const before = bodiesOf(landings.events, row?.id ?? 0).filter(
      ({ phase, timestamp }) => phase === 'publishing' && Date.parse(timestamp) <= atMs,
    );
    const [build, last] = [`${copy.source} ${copy.version}`, before.at(-1)];
    if (!last) {
      yield { build, what: 'was published before any landing said so', evidence: { copy, row } };
      continue;
    }
    const of = { landingId: last.landing_id, attempt: last.attempt };
    const isOwn = (one: typeof of) => one.landingId === of.landingId && one.attempt === of.attempt;
    const isApproved = last.decision?.decision === 'approve';
    const runs = landings.runs.filter(isOwn);
    const open = runs.filter(({ endedAt }) => endedAt === null || Date.parse(endedAt) > atMs);
    const stops = landings.verdicts.filter((one) => isOwn(one) && STOPS.includes(one.verdict));
    if (!isApproved && last.tests?.verdict !== 'passes')
      yield { build, what: 'its tests did not pass, and nobody approved it', evidence: last };
    if (!isApproved && !runs.some(({ state }) => state === 'finished'))
      yield { build, what: 'was published without a test', evidence: { of, runs } };
    if (open.length > 0) yield { build, what: 'was published before its tests', evidence: open };
    if (!isApproved && stops.length > 0)
      yield { build, what: 'was published against its tests', evidence: stops };
  }
}

/** Where it was to go, the archive has each source that landings say is published, with packages; and nothing else. */
function* publishedByLandings({ ppa, landings }: Evidence): Iterable<Violation> {
  const named = (one: Pick<Copied, 'kind' | 'source' | 'version' | 'archive' | 'pocket'>) =>
    `${one.kind} ${one.source} ${one.version} in ${one.archive} ${one.pocket}`;
  const there = new Set(ppa.copied.map(named));
  const wanted = new Set<string>();
  for (const { fate, ticketId } of landings.requested) {
    const target = { archive: TARGET, pocket: pocketOf(fate) };
    for (const row of landings.rows.filter((one) => one.ticketId === ticketId))
      for (const part of row.parts) {
        if (row.phase !== 'complete' && part.state !== 'published') continue;
        for (const kind of ['source', 'binary'] as const) {
          const what = named({ ...part, ...target, kind });
          wanted.add(what);
          if (!there.has(what)) yield violation(row, `the target lacks ${what}`, row.parts);
        }
      }
  }
  for (const each of there)
    if (!wanted.has(each))
      yield { build: each, what: 'is there, and no landing says so', evidence: each };
}

function* stopped({ rows, ppa, landings }: Evidence): Iterable<Violation> {
  for (const row of landings.rows.filter(({ phase }) => isOver(phase))) {
    const active = ppa.builds.filter(
      (build) => build.isActive && build.ppa === row.ppa && row.parts.some(isOf(build.source)),
    );
    if (active.length > 0) yield violation(row, 'has ended and goes on in its PPA', active);
    const runs = landings.runs.filter(
      ({ landingId, state }) => landingId === row.id && (state === 'queued' || state === 'running'),
    );
    if (runs.length > 0) yield violation(row, 'has ended, and its tests have not', runs);
    const ids = row.parts.map(({ build_id: id }) => id);
    const builds = rows.filter(({ id, isFinished }) => ids.includes(id) && !isFinished);
    if (builds.length > 0) yield violation(row, 'has ended, and its builds have not', builds);
  }
}

function* endedAsMeant(evidence: Evidence): Iterable<Violation> {
  const { requested, rows } = evidence.landings;
  for (const landing of requested) {
    const row = rows.find(({ id }) => id === landing.landingId);
    if (!row?.isFinished) continue;
    const end = row.failure?.class ?? row.phase;
    if (end !== meantEnd(landing) && !isPriceOfUploads(evidence, row))
      yield violation(landing, `the end is ${end}`, row);
    if (landing.fate === 'overridden' && end === 'complete' && row.attempt !== 2)
      yield violation(landing, `it was complete at attempt ${row.attempt}`, row);
    if (landing.fate === 'approved' && end === 'complete' && !isApproved(evidence, row))
      yield violation(landing, 'it was complete, and nobody had approved it', row);
  }
}

function meantEnd({ fate, cancellation }: RequestedLanding): string {
  switch (fate) {
    case 'rejected':
      return 'not_approved';
    case 'regression':
      return 'test_regression';
    case 'broken':
      return 'build_failed';
    case 'partly':
      return 'copy_not_seen';
    case 'cancelled':
      return cancellation === 'accepted' ? 'cancelled' : 'nothing, before it was cancelled';
    default:
      return 'complete';
  }
}

/** An upload whose last file was on its way when its worker died is not sent again unasked (docs/guarantees.md, 3). */
function isPriceOfUploads({ events }: Evidence, { failure }: LandingRow): boolean {
  if (failure?.class !== 'build_failed') return false;
  const final = events.findLast(({ buildId }) => buildId === failure.build_id);
  return final?.failure?.class === 'upload_failed';
}

function isApproved({ landings: { events } }: Evidence, { id, attempt }: LandingRow): boolean {
  return bodiesOf(events, id).some(
    (body) => body.attempt === attempt && body.decision?.decision === 'approve',
  );
}

function* givenBack({ landings: { pool } }: Evidence): Iterable<Violation> {
  for (const { ppa, state, reason } of pool)
    if (state !== 'free') yield { build: ppa, what: `is ${state} at the end`, evidence: reason };
}

function* closed({ landings: { rows, workflows } }: Evidence): Iterable<Violation> {
  for (const { ownerId, workflowId, status, failedTasks } of workflows) {
    if (status !== 'COMPLETED')
      yield violation({ id: ownerId }, `${workflowId} is ${status}`, status);
    if (failedTasks.length > 0)
      yield violation({ id: ownerId }, `${workflowId} had failed workflow tasks`, failedTasks);
  }
  const known = workflows.map(({ workflowId }) => workflowId);
  for (const row of rows)
    for (const attempt of upTo(row.attempt))
      if (!known.includes(landingWorkflowId({ ...row, attempt })))
        yield violation(row, `attempt ${attempt} has no workflow`, row);
}

function bodiesOf(events: Evidence['landings']['events'], landingId: number): LandingEventBody[] {
  return events
    .map(({ body }) => body)
    .filter(({ landing_id: id }) => id === landingId)
    .toSorted((one, other) => one.seq - other.seq);
}

function sourcesOf(copied: readonly Copied[]): Copied[] {
  return copied.filter(({ kind }) => kind === 'source');
}

function has(row: LandingRow, { source, version }: Copied): boolean {
  return row.parts.some((part) => part.source === source && part.version === version);
}

function isOf(source: string): (part: { source: string }) => boolean {
  return (part) => part.source === source;
}

function violation(
  landing: RequestedLanding | { id: number },
  what: string,
  evidence: unknown,
): Violation {
  const name =
    'id' in landing
      ? `landing ${landing.id}`
      : `landing ${landing.landingId ?? '?'} (request ${landing.number}, ${landing.fate})`;
  return { build: name, what, evidence };
}
