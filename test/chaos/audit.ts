import { isDeepStrictEqual } from 'node:util';
import { isFinal, messageId, type ProgressMessage } from '../../domain/builds/progress.ts';
import { auditLandings } from './audit-landings.ts';
import { inNamedQueues } from './audit-queues.ts';
import type { BuildRow, EventRow, Evidence } from './evidence.ts';
import { sourcesOf } from './fates.ts';
import { finding, groupBy, upTo, type Finding, type Violation } from './finding.ts';
import type { LandedBuild } from './lander.ts';
import type { Delivery } from './progress-consumer.ts';

/** Launchpad's reasons that say that an upload was not whole. */
const HALF =
  /mentioned in the changes is not in the upload|Unable to find|size|checksum|sha|md5|differs|malformed/i;

/** What a cancelled build's final message says where its builds go on in the PPA. */
const COULD_NOT = /did not end .* in time|could not be asked in time|may still build it/;

/** Holds what a run has left behind against what Airline promises. */
export function audit(evidence: Evidence): Finding[] {
  const { isPeaceful, deliveries, landings } = evidence;
  return [
    finding('1 every request is accepted once', evidence.landed, requestedOnce(evidence)),
    finding('1 one final event ends each build', accepted(evidence), oneFinalEvent(evidence)),
    finding(
      '1 one final message reaches the lander',
      accepted(evidence),
      oneFinalMessage(evidence),
    ),
    finding('2 seq has no gap and all is published', evidence.events, gapless(evidence)),
    finding('2 messages come in order', deliveries, ordered(evidence)),
    finding('2 a repetition is the same message', deliveries, sameMessage(evidence)),
    finding(
      '2 messages come in the queue that was named',
      [...deliveries, ...landings.deliveries],
      inNamedQueues(evidence),
    ),
    finding('3 a source is taken at most once', evidence.ppa.sources, takenOnce(evidence)),
    finding('3 no second complete upload', uploads(evidence), sentOnce(evidence)),
    finding('3 no half upload', uploads(evidence), sentWhole(evidence)),
    finding('4 what is cancelled stops in the PPA', cancelled(evidence), stopped(evidence)),
    finding('  the verdict is what the PPA shows', accepted(evidence), rightVerdict(evidence)),
    finding('  each workflow ends, by its own code', evidence.workflows, closed(evidence)),
    finding('  every part is back at the end', [0], absent(evidence)),
    ...(isPeaceful
      ? [finding('  no activity had to be repeated', evidence.workflows, repeated(evidence))]
      : []),
    ...auditLandings(evidence),
  ];
}

type AcceptedBuild = LandedBuild & { buildId: number };

function accepted({ landed }: Evidence): AcceptedBuild[] {
  return landed.filter((build): build is AcceptedBuild => build.buildId !== null);
}

function* requestedOnce({ landed, rows }: Evidence): Iterable<Violation> {
  for (const build of landed) {
    const own = rows.filter(({ ppa }) => ppa === build.ppa);
    if (build.lastError !== null)
      yield violation(build, 'the lander was not answered in time', build.lastError);
    if (build.buildId !== null && !own.some(({ id }) => id === build.buildId))
      yield violation(build, 'answered 202, and there is no such row', { buildId: build.buildId });
    if (own.length > 1) yield violation(build, 'one request made several builds', own);
  }
}

function* oneFinalEvent(evidence: Evidence): Iterable<Violation> {
  const events = byBuild(evidence.events);
  for (const build of accepted(evidence)) {
    const row = evidence.rows.find(({ id }) => id === build.buildId);
    const own = events.get(build.buildId) ?? [];
    const finals = own.filter(({ message }) => isFinal(message));
    const shown = { row, events: own.map(({ seq, message }) => `${seq} ${message}`) };
    if (finals.length === 0) yield violation(build, 'no final event', shown);
    if (finals.length > 1) yield violation(build, `${finals.length} final events`, shown);
    if (finals.length > 0 && row && !row.isFinished)
      yield violation(build, 'a final event, and a row that has not ended', shown);
    if (finals.length > 0 && !isFinal(own.at(-1)?.message ?? null))
      yield violation(build, 'an event after the final one', shown);
  }
}

function* oneFinalMessage(evidence: Evidence): Iterable<Violation> {
  const finals = new Map<number, Set<string>>();
  for (const { messageId: id, body } of evidence.deliveries) {
    const message = JSON.parse(body) as ProgressMessage;
    if (isFinal(message.message))
      finals.set(message.build_id, (finals.get(message.build_id) ?? new Set()).add(id));
  }
  for (const build of accepted(evidence)) {
    const ids = [...(finals.get(build.buildId) ?? [])];
    if (ids.length === 0)
      yield violation(build, 'no final message came', messagesOf(evidence, build.buildId));
    if (ids.length > 1) yield violation(build, `${ids.length} final messages`, ids);
  }
}

function* gapless({ events, rows }: Evidence): Iterable<Violation> {
  const ofBuilds = byBuild(events);
  for (const row of rows) {
    const own = ofBuilds.get(row.id) ?? [];
    const seqs = own.map(({ seq }) => seq);
    if (!isDeepStrictEqual(seqs, upTo(row.lastSeq)))
      yield violation(row, `the events are not 1 to ${row.lastSeq}`, seqs);
    const waiting = own.filter(({ isPublished }) => !isPublished).map(({ seq }) => seq);
    if (waiting.length > 0) yield violation(row, 'events were not published', waiting);
  }
}

function* ordered(evidence: Evidence): Iterable<Violation> {
  const events = byBuild(evidence.events);
  const first = firstDeliveries(evidence.deliveries);
  for (const [buildId, seqs] of first)
    if (!isDeepStrictEqual(seqs, upTo(events.get(buildId)?.length ?? 0)))
      yield violation(
        { id: buildId },
        `the messages came not as 1 to ${events.get(buildId)?.length ?? 0}`,
        messagesOf(evidence, buildId),
      );
  for (const buildId of events.keys())
    if (!first.has(buildId)) yield violation({ id: buildId }, 'no message came', null);
}

function* sameMessage({ deliveries, events }: Evidence): Iterable<Violation> {
  const bodies = new Map<string, string>();
  const rows = new Map(
    events.map((event) => [messageId({ build_id: event.buildId, seq: event.seq }), event]),
  );
  for (const delivery of deliveries) {
    const message = JSON.parse(delivery.body) as ProgressMessage;
    const build = { id: message.build_id };
    if (delivery.messageId !== messageId(message))
      yield violation(build, `message_id ${delivery.messageId} is of another message`, message);
    const before = bodies.get(delivery.messageId);
    if (before !== undefined && before !== delivery.body)
      yield violation(build, `${delivery.messageId} came with two bodies`, [before, delivery.body]);
    bodies.set(delivery.messageId, delivery.body);
    if (!isDeepStrictEqual(rows.get(delivery.messageId)?.body, message))
      yield violation(build, `${delivery.messageId} is not what its row says`, message);
  }
}

function* takenOnce({ ppa }: Evidence): Iterable<Violation> {
  const taken = groupBy(ppa.sources, (one) => `${one.ppa} ${one.source} ${one.version}`);
  for (const [source, acceptances] of taken)
    if (acceptances.length > 1)
      yield { build: source, what: 'was taken more than once', evidence: acceptances };
}

/** Complete uploads of a source: those taken, and those refused for another reason than a file that lacked. */
function uploads({ ppa }: Evidence) {
  const refused = ppa.rejections.map(({ why, ...upload }) => ({ ...upload, why }));
  const all = [...ppa.sources.map((source) => ({ ...source, why: 'accepted' })), ...refused];
  // A stand-in that died while it wrote a refusal has written it twice.
  const byUpload = new Map(all.map((one) => [`${one.upload} ${one.ppa} ${one.source}`, one]));
  return [...byUpload.values()];
}

function* sentOnce(evidence: Evidence): Iterable<Violation> {
  const whole = uploads(evidence).filter(({ why }) => !HALF.test(why));
  for (const [source, sent] of groupBy(whole, (one) => `${one.ppa} ${one.source}`))
    if (sent.length > 1)
      yield {
        build: source,
        what: `${sent.length} complete uploads`,
        evidence: sent.map(({ upload, why }) => ({ upload, why })),
      };
}

function* sentWhole(evidence: Evidence): Iterable<Violation> {
  for (const { ppa, source, upload, why } of uploads(evidence))
    if (HALF.test(why))
      yield { build: `${ppa} ${source}`, what: 'a half upload', evidence: { upload, why } };
  for (const upload of evidence.ppa.unprocessed)
    yield { build: upload, what: 'the PPA did not process it', evidence: upload };
}

/** Builds whose cancellation was accepted before they had ended. */
function cancelled(evidence: Evidence): AcceptedBuild[] {
  return accepted(evidence).filter(({ cancellation }) => cancellation !== null);
}

function* stopped(evidence: Evidence): Iterable<Violation> {
  for (const build of cancelled(evidence)) {
    const active = evidence.ppa.builds.filter(({ ppa, isActive }) => isActive && ppa === build.ppa);
    const final = finalOf(evidence, build.buildId);
    const reason = final?.failure?.message ?? '';
    if (active.length > 0 && !(final?.failure?.class === 'cancelled' && COULD_NOT.test(reason)))
      yield violation(build, 'was cancelled and goes on in the PPA', {
        active,
        final: final?.failure ?? null,
      });
  }
}

function* rightVerdict(evidence: Evidence): Iterable<Violation> {
  for (const build of accepted(evidence)) {
    const final = finalOf(evidence, build.buildId);
    if (!final) continue;
    const taken = evidence.ppa.sources.filter(({ ppa }) => ppa === build.ppa);
    const builds = evidence.ppa.builds.filter(({ ppa }) => ppa === build.ppa);
    const verdict = final.failure?.class ?? 'completed';
    if (!agrees(verdict, build, final, taken, builds))
      yield violation(build, `the verdict is ${verdict}`, {
        fate: build.fate,
        failure: final.failure,
        taken,
        builds,
      });
  }
}

function agrees(
  verdict: string,
  build: LandedBuild,
  final: EventRow,
  taken: Evidence['ppa']['sources'],
  builds: Evidence['ppa']['builds'],
): boolean {
  const wanted = sourcesOf(build.fate);
  const states = builds.map(({ state }) => state);
  switch (verdict) {
    case 'completed':
      return (
        states.every((state) => state === 'Successfully built') &&
        [taken, builds].every((there) =>
          wanted.every((name) => there.some(({ source }) => source === name)),
        )
      );
    case 'build_failed':
      return states.includes('Failed to build');
    case 'upload_rejected':
    // An upload that broke off in its last file.
    case 'upload_failed':
      return (
        build.fate === 'rejected' ||
        taken.length < wanted.length ||
        taken.some(({ acceptedAt }) => Date.parse(acceptedAt) > Date.parse(final.timestamp))
      );
    case 'dependency_wait':
      return states.includes('Dependency wait');
    case 'cancelled':
      return build.cancellation === 'accepted' || build.cancellation === 'url';
    default:
      return false;
  }
}

function* closed(evidence: Evidence): Iterable<Violation> {
  const { workflows, rows } = evidence;
  for (const { ownerId, workflowId, status, failedTasks } of workflows) {
    if (status !== 'COMPLETED')
      yield violation({ id: ownerId }, `${workflowId} is ${status}`, status);
    if (failedTasks.length > 0)
      yield violation({ id: ownerId }, `${workflowId} had failed workflow tasks`, failedTasks);
  }
  for (const row of rows)
    if (!workflows.some(({ ownerId }) => ownerId === row.id) && !isCancelledBefore(evidence, row))
      yield violation(row, 'has no workflow', row);
}

/** Whether a build was cancelled before it had a workflow. */
function isCancelledBefore(evidence: Evidence, { id, cancelRequested }: BuildRow): boolean {
  const reason = finalOf(evidence, id)?.failure?.message ?? '';
  return cancelRequested && reason.endsWith('its workflow was not started');
}

function* absent({ absentParts }: Evidence): Iterable<Violation> {
  for (const part of absentParts) yield { build: part, what: 'is not up', evidence: part };
}

function* repeated({ workflows }: Evidence): Iterable<Violation> {
  for (const { ownerId, repeatedActivities } of workflows)
    for (const activity of repeatedActivities)
      yield violation({ id: ownerId }, 'an activity was tried again', activity);
}

function finalOf({ events }: Evidence, buildId: number): EventRow | undefined {
  return events.find((event) => event.buildId === buildId && isFinal(event.message));
}

/** The `seq`s of each build in the order in which each came first. */
function firstDeliveries(deliveries: readonly Delivery[]): Map<number, number[]> {
  const seen = new Set<string>();
  const seqs = new Map<number, number[]>();
  for (const { messageId: id, body } of deliveries) {
    if (seen.has(id)) continue;
    seen.add(id);
    const { build_id: buildId, seq } = JSON.parse(body) as ProgressMessage;
    seqs.set(buildId, [...(seqs.get(buildId) ?? []), seq]);
  }
  return seqs;
}

function messagesOf({ deliveries }: Evidence, buildId: number): string[] {
  return deliveries
    .filter(({ messageId: id }) => id.startsWith(`${buildId}:`))
    .map(({ messageId: id, redelivered }) => (redelivered ? `${id} again` : id));
}

function byBuild(events: readonly EventRow[]): Map<number, EventRow[]> {
  return groupBy(
    events.toSorted((one, other) => one.seq - other.seq),
    ({ buildId }) => buildId,
  );
}

function violation(
  build: LandedBuild | { id: number },
  what: string,
  evidence: unknown,
): Violation {
  const name =
    'id' in build
      ? `build ${build.id}`
      : `build ${build.buildId ?? '?'} (request ${build.number}, ${build.fate})`;
  return { build: name, what, evidence };
}
