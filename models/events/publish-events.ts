import type { Sequelize, Transaction } from 'sequelize';
import type { LandingEventBody } from '../../domain/landings/landing.ts';
import type { ProgressMessage } from '../../domain/builds/progress.ts';
import { MAX_COUNTED_EVENTS } from '../../domain/service/counted-events.ts';
import { ADVISORY_LOCKS } from '../sql/advisory-locks.ts';
import { EVENT_TABLES, type EventOwner } from '../sql/event-tables.ts';
import { boundedEvents } from '../sql/page-bytes.ts';
import { query } from '../sql/query.ts';

/** Most events in one transaction; fewer where they are large. */
const MAX_EVENTS = 100;
/** Owners that are looked at together. */
const MAX_CANDIDATES = 100;

/**
 * Time for the events of one transaction, after which it begins no other and marks what was confirmed. PostgreSQL hears
 * nothing meanwhile, and `openDatabase` gives up a connection that is silent for much longer.
 */
const PUBLISH_MS = 10_000;

/** What is published of whom. */
type Bodies = { build: ProgressMessage; landing: LandingEventBody };

/** How events are published. */
export type PublishOptions = {
  /** Owners up to this id are left out: the call is for the next one. */
  afterId?: number;
  /** Owners that report to these are left out. */
  refusedQueues?: readonly string[];
  /** No event is begun after this time; the rest wait. */
  maxMs?: number;
};

/**
 * Sends an event to a queue. It resolves when the broker has confirmed.
 *
 * @param traceparent the trace that the owner is part of; null where none is recorded
 */
export type Publish<Body> = (
  body: Body,
  queue: string,
  traceparent: string | null,
) => Promise<void>;

/** Whose events are published next. */
type Next = { id: number; queue: string; traceparent: string | null };

/** What was published of one owner. */
export type Published = {
  id: number;
  queue: string;
  published: number;
  /** What `publish` threw: the events before it count as published, it and those after it wait. */
  fault?: unknown;
};

/**
 * The owners behind $1 that have unpublished events, but for those that report to the queues $2, as SQL. PostgreSQL
 * does not see by itself that $1 bounds the owners as well: it would read all of them from the first on.
 */
export function candidatesSql(owner: EventOwner): string {
  const { events, key, traceparent } = EVENT_TABLES[owner];
  return `SELECT ${owner}.id, progress_trigger AS queue, ${traceparent} AS traceparent FROM (
       SELECT DISTINCT ${key} AS id FROM ${events} WHERE published_at IS NULL AND ${key} > $1
     ) with_events JOIN ${owner} ON ${owner}.id = with_events.id
     WHERE ${owner}.id > $1 AND progress_trigger <> ALL($2::text[]) ORDER BY ${owner}.id LIMIT ${MAX_CANDIDATES}`;
}

/**
 * Publishes the unpublished events of one owner, in order, under a lock on that owner, so that no two publishers mix up
 * its order. A crash between the confirmation and the commit publishes again.
 *
 * @returns null where no owner has any that is not being published already
 */
export async function publishNext<Owner extends keyof Bodies>(
  sequelize: Sequelize,
  owner: Owner,
  publish: Publish<Bodies[Owner]>,
  { afterId = 0, refusedQueues = [], maxMs = PUBLISH_MS }: PublishOptions,
): Promise<Published | null> {
  const { events, key } = EVENT_TABLES[owner];
  return sequelize.transaction(async (transaction) => {
    const next = await takeNext(sequelize, owner, { afterId, refusedQueues }, transaction);
    if (!next) return null;
    const { id, queue, traceparent } = next;
    const waiting = await query<{ seq: number; body: Bodies[Owner] }>(
      sequelize,
      boundedEvents(`SELECT seq, body FROM ${events} WHERE ${key} = $1 AND published_at IS NULL
       ORDER BY seq LIMIT ${MAX_EVENTS}`),
      [id],
      transaction,
    );
    const endsAtMs = performance.now() + maxMs;
    const sent: number[] = [];
    let fault: { fault: unknown } | undefined;
    for (const { seq, body } of waiting) {
      try {
        await publish(body, queue, traceparent);
      } catch (error) {
        fault = { fault: error };
        break;
      }
      sent.push(seq);
      if (performance.now() >= endsAtMs) break;
    }
    await query(
      sequelize,
      `UPDATE ${events} SET published_at = $3 WHERE ${key} = $1 AND seq = ANY($2::integer[])`,
      [id, sent, new Date()],
      transaction,
    );
    return { id, queue, published: sent.length, ...fault };
  });
}

/**
 * The next owner that nobody else publishes, and whose queue nobody has for itself, kept so until the transaction ends.
 */
async function takeNext(
  sequelize: Sequelize,
  owner: EventOwner,
  { afterId, refusedQueues }: Required<Omit<PublishOptions, 'maxMs'>>,
  transaction: Transaction,
): Promise<Next | null> {
  const candidates = candidatesSql(owner);
  for (let after = afterId; ;) {
    // The lock is not the owner's row: a broker that hangs must not hold up the next report. Nor is anything sent to a
    // queue while somebody finds out what it has lost. A CASE, because PostgreSQL tries the conditions of an AND by
    // their cost: it would lock, and keep, each owner whose queue somebody has.
    const [next] = await query<Next>(
      sequelize,
      `SELECT id, queue, traceparent FROM (${candidates}) waiting
       WHERE CASE WHEN pg_try_advisory_xact_lock_shared(${ADVISORY_LOCKS.progressQueue}, hashtext(queue))
         THEN pg_try_advisory_xact_lock(${EVENT_TABLES[owner].lock}, id) ELSE false END LIMIT 1`,
      [after, refusedQueues],
      transaction,
    );
    if (next) return next;
    // All of them may be of one queue that somebody has: the others wait behind them.
    const [read] = await query<{ count: number; last: number }>(
      sequelize,
      `SELECT count(*)::integer AS count, max(id) AS last FROM (${candidates}) waiting`,
      [after, refusedQueues],
      transaction,
    );
    if (!read || read.count < MAX_CANDIDATES) return null;
    after = read.last;
  }
}

/**
 * Events of one kind of owner that wait for the broker, as SQL. They are asked for in the order of their index: else
 * PostgreSQL, which does not know that they are the last of the table, looks for the first of them from its beginning.
 */
function waitingSql(owner: EventOwner, columns: string, limit: number): string {
  const { events, key } = EVENT_TABLES[owner];
  return `SELECT ${columns} FROM ${events} WHERE published_at IS NULL ORDER BY ${key}, seq LIMIT ${limit}`;
}

/** How many events of one kind of owner wait for the broker, counted up to a limit. */
export async function countWaiting(
  sequelize: Sequelize,
  owner: EventOwner,
  limit = MAX_COUNTED_EVENTS,
): Promise<number> {
  const [row] = await query<{ count: number }>(
    sequelize,
    `SELECT count(*)::integer AS count FROM (${waitingSql(owner, '', limit)}) waiting`,
  );
  return row?.count ?? 0;
}

/** Events of one kind of owner. */
type Outbox = { unpublished(): Promise<number> };

/** How many events of builds and of landings wait for the broker, counted up to `MAX_COUNTED_EVENTS`. */
export async function countUnpublished({
  ProgressEvent,
  LandingEvent,
}: {
  ProgressEvent: Outbox;
  LandingEvent: Outbox;
}): Promise<number> {
  const counts = await Promise.all([ProgressEvent.unpublished(), LandingEvent.unpublished()]);
  return Math.min(
    counts.reduce((sum, count) => sum + count, 0),
    MAX_COUNTED_EVENTS,
  );
}

/**
 * Since when the event waits for the broker that has waited longest, null where none does; and when that was read by
 * the database's clock. Where more wait than are counted, it is asked of those of the first builds and landings.
 */
export async function oldestUnpublished(
  sequelize: Sequelize,
): Promise<{ since: Date | null; at: Date }> {
  const tables = (Object.keys(EVENT_TABLES) as EventOwner[]).map(
    (owner) => `(${waitingSql(owner, 'created_at', MAX_COUNTED_EVENTS)})`,
  );
  const [row] = await query<{ since: Date | null; at: Date }>(
    sequelize,
    `SELECT min(created_at) AS since, clock_timestamp() AS at FROM (${tables.join(' UNION ALL ')}) AS waiting`,
  );
  return { since: row?.since ?? null, at: row?.at ?? new Date() };
}
