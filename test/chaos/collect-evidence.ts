import { join } from 'node:path';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Client } from 'pg';
import { buildIdOfWorkflow } from '../../domain/build-workflow.ts';
import type { ProgressMessage } from '../../domain/progress.ts';
import type { ChaosStack } from './chaos-stack.ts';
import type { BuildRow, EventRow, WorkflowRecord } from './evidence.ts';
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
  const client = new Client({ connectionString: databaseUrl, query_timeout: ANSWER_MS });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const rows = await client.query<BuildRow>(
      `SELECT id, ppa, state, last_seq AS "lastSeq", finished_at IS NOT NULL AS "isFinished",
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

/** What Temporal says of every workflow of a build; runs that were continued are their successors' affair. */
export async function readWorkflows(address: string): Promise<WorkflowRecord[]> {
  return withTemporal(address, async (client) => {
    const records: WorkflowRecord[] = [];
    const read = async (workflowId: string, runId: string, status: string) => {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      const { events } = JSON.parse(historyToJSON(history)) as { events: HistoryEvent[] };
      records.push({
        buildId: buildIdOfWorkflow(workflowId) ?? 0,
        workflowId,
        status,
        failedTasks: failedTasks(events),
        repeatedActivities: repeatedActivities(events),
      });
    };
    let reading: Promise<void>[] = [];
    for await (const { workflowId, runId, status } of client.workflow.list({
      query: "WorkflowType = 'BuildSourceWorkflow'",
    })) {
      if (status.name === 'CONTINUED_AS_NEW') continue;
      reading.push(read(workflowId, runId, status.name));
      if (reading.length < HISTORIES_AT_ONCE) continue;
      await Promise.all(reading);
      reading = [];
    }
    await Promise.all(reading);
    return records;
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
