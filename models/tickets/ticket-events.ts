import type { Sequelize } from 'sequelize';
import { REQUEST_PATTERN } from '../../domain/access/requester.ts';
import { MAX_TICKET_EVENTS, type TicketEventKind } from '../../domain/tickets/ticket-event.ts';
import { BoundValues } from '../sql/conditions.ts';
import { query } from '../sql/query.ts';

/** Where its trace is. */
type TicketEventSubject =
  | 'ticket'
  | 'subticket'
  | 'ticketartifact'
  | 'subticketartifact'
  | 'ticketowner'
  | 'ticketppa'
  | 'reference'
  | 'tickettestsuite'
  | 'build'
  | 'landing';

/** Something that was done to a ticket. */
type TicketEvent = {
  readonly kind: TicketEventKind;
  readonly at: Date;
  readonly ticketId: number;
  readonly subject: TicketEventSubject;
  readonly subjectId: number;
  /** Null where the row does not say who made it. */
  readonly actor: string | null;
  readonly detail: string;
  readonly reason: string;
  readonly fromStep: number | null;
  readonly toStep: number | null;
  readonly fromStatus: number | null;
  readonly toStatus: number | null;
};

/** Which of them are asked for. */
type TicketEventsAsked = {
  readonly kind?: TicketEventKind | undefined;
  readonly ticketId?: number | undefined;
  readonly actor?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
};

/** Where events are read from. `actor` and `reason` are absent where no row has them. */
type Source = {
  kind: TicketEventKind;
  subject: TicketEventSubject;
  from: string;
  at: string;
  ticketId?: string;
  subjectId?: string;
  actor?: string;
  detail: string;
  reason?: string;
  where?: string;
  steps?: true;
};

const made = (
  kind: TicketEventKind,
  subject: TicketEventSubject,
  table: string,
  detail: string,
): Source => ({ kind, subject, from: `${table} t`, at: 't.created_at', detail });

// The request that asked for it stands behind the name. Indexes have this very expression.
const CANCELLED_BY = `regexp_replace(t.cancel_requested_by, '${REQUEST_PATTERN}$', '')`;

/**
 * What was asked and decided of landings.
 *
 * @param from where: as `t`, the rows that say so
 * @param landing the name there of the landing's own row
 */
function ofLandings(from: string, landing: 't' | 'l'): Source[] {
  const of = {
    subject: 'landing',
    from,
    ticketId: `${landing}.ticket_id`,
    subjectId: `${landing}.id`,
  } as const;
  // Nobody tells the workflow of a landing that has ended: it may have found the decision in its row.
  const decidedAt =
    landing === 't' ? 'coalesce(t.decision_delivered_at, t.finished_at)' : 't.decided_at';
  return [
    {
      ...of,
      kind: 'landing',
      at: 't.requested_at',
      actor: 't.requested_by',
      detail: `coalesce(${landing}.ppa, 'a PPA of the pool') || ' to ' || ${landing}.target || ' ' || ${landing}.target_series`,
      where: 't.requested_at IS NOT NULL',
    },
    {
      ...of,
      kind: 'cancellation',
      at: 't.cancel_requested_at',
      actor: CANCELLED_BY,
      detail: `${landing}.target`,
      where: 't.cancel_requested_at IS NOT NULL',
    },
    {
      ...of,
      kind: 'decision',
      at: decidedAt,
      actor: "t.decision ->> 'by'",
      detail: "t.decision ->> 'decision'",
      reason: "t.decision ->> 'comment'",
      where: `t.decision IS NOT NULL AND ${decidedAt} IS NOT NULL`,
    },
  ];
}

const SOURCES: readonly Source[] = [
  {
    kind: 'step',
    subject: 'subticket',
    from: 'status_change t',
    at: 't.created_at',
    subjectId: 't.subticket_id',
    actor: 't.actor',
    detail: `CASE WHEN t.from_step = t.to_step OR (t.to_step <> 999 AND t.to_status = 999)
      THEN 'status ' || t.from_status || ' to ' || t.to_status ELSE '' END`,
    reason: 't.reason',
    steps: true,
  },
  {
    ...made('ticket', 'ticket', 'ticket', 't.title'),
    ticketId: 't.id',
  },
  {
    ...made('subticket', 'subticket', 'subticket', "coalesce(p.name || ' ' || u.version, '')"),
    from: `subticket t LEFT JOIN source_package_upload u ON u.id = t.source_package_upload_id
      LEFT JOIN source_package p ON p.id = u.source_package_id`,
  },
  made('artifact', 'ticketartifact', 'ticket_artifact', 't.name'),
  {
    ...made('artifact', 'subticketartifact', 'subticket_artifact', 't.name'),
    from: 'subticket_artifact t JOIN subticket s ON s.id = t.subticket_id',
    ticketId: 's.ticket_id',
  },
  {
    ...made('link', 'ticketowner', 'ticket_owner', "'owner ' || p.name"),
    from: 'ticket_owner t JOIN person p ON p.id = t.person_id',
  },
  made('link', 'ticketppa', 'ticket_ppa', 't.ppa'),
  made('link', 'reference', 'ticket_reference', "t.kind || ' ' || t.url"),
  {
    ...made('link', 'tickettestsuite', 'ticket_test_suite', "'test suite ' || s.name"),
    from: 'ticket_test_suite t JOIN test_suite s ON s.id = t.test_suite_id',
  },
  {
    kind: 'build',
    subject: 'build',
    from: 'build t',
    at: 't.requested_at',
    actor: 't.requested_by',
    detail: "t.ppa || ' for ' || t.series",
  },
  {
    kind: 'build',
    subject: 'build',
    from: 'build_attempt t JOIN build b ON b.id = t.build_id',
    at: 't.requested_at',
    ticketId: 'b.ticket_id',
    subjectId: 't.build_id',
    actor: 't.requested_by',
    detail: "b.ppa || ' for ' || b.series",
  },
  {
    kind: 'cancellation',
    subject: 'build',
    from: 'build t',
    at: 't.cancel_requested_at',
    actor: CANCELLED_BY,
    detail: 't.ppa',
    where: 't.cancel_requested_at IS NOT NULL',
  },
  {
    kind: 'cancellation',
    subject: 'build',
    from: 'build_attempt t JOIN build b ON b.id = t.build_id',
    at: 't.cancel_requested_at',
    ticketId: 'b.ticket_id',
    subjectId: 't.build_id',
    actor: CANCELLED_BY,
    detail: 'b.ppa',
    where: 't.cancel_requested_at IS NOT NULL',
  },
  ...ofLandings('landing t', 't'),
  ...ofLandings('landing_past t JOIN landing l ON l.id = t.landing_id', 'l'),
];

/**
 * Reads what was done to all tickets, the newest first: no history of its own, but what the rows of tickets, builds and
 * landings say. Of an edit no row says who made it, or what was there before.
 *
 * @returns with how many are reached by pages: MAX_TICKET_EVENTS, and what shares the millisecond of the last of these
 */
export async function readTicketEvents(
  sequelize: Sequelize,
  asked: TicketEventsAsked,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ events: readonly TicketEvent[]; totalCount: number }> {
  const sources = SOURCES.filter(
    ({ kind, actor }) =>
      (asked.kind === undefined || asked.kind === kind) && (asked.actor === undefined || actor),
  );
  if (sources.length === 0) return { events: [], totalCount: 0 };
  const since = (await beginningOfNewest(sequelize, sources, asked)) ?? asked.since;
  const values = new BoundValues();
  const text = `WITH newest AS (${unionOf(sources, { ...asked, since }, values, eventsSql)})
    SELECT total.count AS "totalCount", page.*
    FROM (SELECT count(*)::integer AS count FROM newest) total
    LEFT JOIN (
      SELECT * FROM newest ORDER BY at DESC, "ticketId" DESC, "subjectId" DESC, subject, kind
      LIMIT ${values.bind(limit)} OFFSET ${values.bind(offset)}
    ) page ON true`;
  type Found = TicketEvent & { readonly totalCount: number };
  const rows = await query<Found>(sequelize, text, values.list);
  return {
    events: rows[0]?.at === null ? [] : rows,
    totalCount: rows[0]?.totalCount ?? 0,
  };
}

/**
 * Finds where the newest MAX_TICKET_EVENTS begin. It is a whole millisecond, which is what is shown of a time: all that
 * one transaction has made has one time, and who goes on before the last that was shown must miss none of it.
 *
 * @returns undefined where there are fewer
 */
async function beginningOfNewest(
  sequelize: Sequelize,
  sources: readonly Source[],
  asked: TicketEventsAsked,
): Promise<Date | undefined> {
  const values = new BoundValues();
  // By itself, so that the planner knows the time when the events from it on are read.
  const text = `SELECT date_trunc('milliseconds', at) AS beginning
    FROM (${unionOf(sources, asked, values, newestTimesSql)}) times
    ORDER BY at DESC LIMIT 1 OFFSET ${MAX_TICKET_EVENTS - 1}`;
  const [found] = await query<{ beginning: Date }>(sequelize, text, values.list);
  return found?.beginning;
}

function unionOf(
  sources: readonly Source[],
  asked: TicketEventsAsked,
  values: BoundValues,
  selectionOf: (source: Source, bounds: Bounds) => string,
): string {
  const bounds = {
    ...(asked.ticketId === undefined ? {} : { ticketId: values.bind(asked.ticketId) }),
    ...(asked.actor === undefined ? {} : { actor: values.bind(asked.actor) }),
    ...(asked.since === undefined ? {} : { since: values.bind(asked.since) }),
    ...(asked.until === undefined ? {} : { until: values.bind(asked.until) }),
  };
  return sources.map((source) => `(${selectionOf(source, bounds)})`).join('\nUNION ALL\n');
}

type Bounds = { ticketId?: string; actor?: string; since?: string; until?: string };

function newestTimesSql(source: Source, bounds: Bounds): string {
  return `SELECT ${source.at} AS at ${fromSql(source, bounds)}
    ORDER BY ${source.at} DESC LIMIT ${MAX_TICKET_EVENTS}`;
}

function eventsSql(source: Source, bounds: Bounds): string {
  const { kind, subject, at, ticketId = TICKET_ID, subjectId = 't.id' } = source;
  // The step of a ticket itself has no subticket.
  const what = source.steps
    ? `CASE WHEN ${subjectId} IS NULL THEN 'ticket' ELSE '${subject}' END`
    : `'${subject}'`;
  const columnOfStep = (name: string) => (source.steps ? `t.${name}` : 'NULL::integer');
  return `SELECT '${kind}' AS kind, ${at} AS at, ${ticketId} AS "ticketId", ${what} AS subject,
      coalesce(${subjectId}, ${ticketId}) AS "subjectId", ${source.actor ?? 'NULL::text'} AS actor,
      ${source.detail} AS detail, coalesce(${source.reason ?? "''"}, '') AS reason,
      ${columnOfStep('from_step')} AS "fromStep", ${columnOfStep('to_step')} AS "toStep",
      ${columnOfStep('from_status')} AS "fromStatus", ${columnOfStep('to_status')} AS "toStatus"
    ${fromSql(source, bounds)}`;
}

const TICKET_ID = 't.ticket_id';

function fromSql(source: Source, bounds: Bounds): string {
  const { from, at, ticketId = TICKET_ID } = source;
  const conditions = [
    source.where ?? 'true',
    ...(bounds.ticketId ? [`${ticketId} = ${bounds.ticketId}`] : []),
    ...(bounds.actor ? [`${source.actor} = ${bounds.actor}`] : []),
    ...(bounds.since ? [`${at} >= ${bounds.since}`] : []),
    ...(bounds.until ? [`${at} < ${bounds.until}`] : []),
  ];
  return `FROM ${from} WHERE ${conditions.join(' AND ')}`;
}
