import { join } from 'node:path';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Client } from 'pg';
import type { LandingEventBody } from '../../domain/landings/landing.ts';
import type { ProgressMessage } from '../../domain/builds/progress.ts';
import { sideBySide } from '../../timing/side-by-side.ts';
import type { ChaosStack } from './chaos-stack.ts';
import type {
  BuildRow,
  EventRow,
  LandingEvidence,
  LandingRow,
  TestRunRow,
  WorkflowRecord,
} from './evidence.ts';
import { readPpa, type PpaRecords } from './ppa-records.ts';

const ANSWER_MS = 30_000;
const HISTORIES_AT_ONCE = 8;

/** Failed workflow tasks that are a matter of course: a signal came meanwhile, or their worker is gone. */
const HARMLESS = [
  'WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND',
  'WORKFLOW_TASK_FAILED_CAUSE_FORCE_CLOSE_COMMAND',
  'WORKFLOW_TASK_FAILED_CAUSE_RESET_STICKY_TASK_QUEUE',
];

type HistoryEvent = {
  eventType: string;
  workflowTaskFailedEventAttributes?: { cause: string; failure?: { message?: string } };
  activityTaskScheduledEventAttributes?: { activityType: { name: string } };
  activityTaskStartedEventAttributes?: {
    attempt: number;
    scheduledEventId: string;
    lastFailure?: { message?: string; applicationFailureInfo?: { type?: string } };
  };
  eventId: string;
};

/** What Airline's database says. */
export async function readRows(
  databaseUrl: string,
): Promise<{ rows: BuildRow[]; events: EventRow[] }> {
  return withDatabase(databaseUrl, async (client) => {
    const rows = await client.query<BuildRow>(
      `SELECT id, ticket_id AS "ticketId", ppa, state, last_seq AS "lastSeq",
              finished_at IS NOT NULL AS "isFinished",
              cancel_requested_at IS NOT NULL AS "cancelRequested" FROM build ORDER BY id`,
    );
    const events = await client.query<{
      buildId: number;
      isPublished: boolean;
      body: ProgressMessage;
    }>(
      `SELECT build_id AS "buildId", published_at IS NOT NULL AS "isPublished", body
       FROM progress_event ORDER BY build_id, seq`,
    );
    return {
      rows: rows.rows,
      events: events.rows.map(({ buildId, isPublished, body }) => ({
        buildId,
        isPublished,
        body,
        seq: body.seq,
        message: body.message,
        timestamp: body.timestamp,
        failure: body.failure ?? null,
      })),
    };
  });
}

/** What Airline's database says of landings. */
export function readLandingRows(
  databaseUrl: string,
): Promise<Pick<LandingEvidence, 'rows' | 'events' | 'runs' | 'verdicts' | 'pool'>> {
  return withDatabase(databaseUrl, async (client) => {
    const all = async <Row extends object>(sql: string) => (await client.query<Row>(sql)).rows;
    return {
      rows: await all<LandingRow>(
        `SELECT id, ticket_id AS "ticketId", ppa, attempt, phase, last_seq AS "lastSeq",
                finished_at IS NOT NULL AS "isFinished", parts, failure FROM landing ORDER BY id`,
      ),
      events: await all<{ isPublished: boolean; body: LandingEventBody }>(
        `SELECT published_at IS NOT NULL AS "isPublished", body
         FROM landing_event ORDER BY landing_id, seq`,
      ),
      runs: await all<TestRunRow>(
        `SELECT landing_id AS "landingId", attempt, source, state, to_json(ended_at) AS "endedAt"
         FROM test_run WHERE landing_id IS NOT NULL ORDER BY id`,
      ),
      verdicts: await all<LandingEvidence['verdicts'][number]>(
        `SELECT landing_id AS "landingId", attempt, source || ' ' || test AS test, verdict
         FROM test_verdict ORDER BY id`,
      ),
      pool: await all<LandingEvidence['pool'][number]>(
        'SELECT ppa, state, reason FROM pool_ppa ORDER BY id',
      ),
    };
  });
}

async function withDatabase<T>(
  databaseUrl: string,
  read: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: databaseUrl, query_timeout: ANSWER_MS });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await read(client);
  } finally {
    await client.end();
  }
}

/** What the PPA says. */
export function readPpaRecords(stack: ChaosStack): PpaRecords {
  return readPpa(join(stack.stateDir, 'stand-in'));
}

/** How many workflows run. */
export async function countRunning(address: string): Promise<number> {
  return withTemporal(address, async (client) => {
    const { count } = await client.workflow.count("ExecutionStatus = 'Running'");
    return count;
  });
}

/** What Temporal says of every workflow of a type; runs that were continued are their successors' affair. */
export async function readWorkflows(
  address: string,
  type: 'BuildSourceWorkflow' | 'LandTicketWorkflow',
): Promise<WorkflowRecord[]> {
  return withTemporal(address, async (client) => {
    const runs: { workflowId: string; runId: string; status: string }[] = [];
    for await (const { workflowId, runId, status } of client.workflow.list({
      query: `WorkflowType = '${type}'`,
    }))
      if (status.name !== 'CONTINUED_AS_NEW') runs.push({ workflowId, runId, status: status.name });
    return sideBySide(runs, HISTORIES_AT_ONCE, async ({ workflowId, runId, status }) => {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      const { events } = JSON.parse(historyToJSON(history)) as { events: HistoryEvent[] };
      return {
        ownerId: Number(/^(?:build|land)-(\d+)-/.exec(workflowId)?.[1] ?? 0),
        workflowId,
        status,
        failedTasks: failedTasks(events),
        repeatedActivities: repeatedActivities(events),
      };
    });
  });
}

function failedTasks(events: readonly HistoryEvent[]): string[] {
  return events.flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
    failed && !HARMLESS.includes(failed.cause)
      ? [`${failed.cause}: ${failed.failure?.message ?? ''}`]
      : [],
  );
}

/** Later tries whose earlier one did not fail by itself: it timed out, or its worker took it down. */
function repeatedActivities(events: readonly HistoryEvent[]): string[] {
  const names = new Map(
    events.map((event) => [
      event.eventId,
      event.activityTaskScheduledEventAttributes?.activityType.name,
    ]),
  );
  return events.flatMap(({ activityTaskStartedEventAttributes: started }) => {
    if (!started || started.attempt <= 1) return [];
    const { lastFailure, attempt, scheduledEventId } = started;
    const type = lastFailure?.applicationFailureInfo?.type;
    if (type !== undefined && !/shutdown|cancel/i.test(`${type} ${lastFailure?.message}`))
      return [];
    return [`${names.get(scheduledEventId)} try ${attempt}: ${lastFailure?.message ?? 'unknown'}`];
  });
}

async function withTemporal<T>(
  address: string,
  use: (client: TemporalClient) => Promise<T>,
): Promise<T> {
  const connection = await Connection.connect({ address, connectTimeout: 5_000 });
  try {
    return await use(new TemporalClient({ connection }));
  } finally {
    await connection.close();
  }
}
