import type { ConnectionLike } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { AirlineError } from '../domain/errors.ts';
import type { WorkflowHistory } from '../domain/builds/workflow-history.ts';
import { isNotFound, isTooLarge } from './temporal-errors.ts';

type WorkflowService = ConnectionLike['workflowService'];
type Page = Awaited<ReturnType<WorkflowService['getWorkflowExecutionHistory']>>;

/** One event can have 2 MiB. */
const PAGE_EVENTS = 50;
/** More than a workflow has that is reset, or continues as new, now and then. */
const MAX_RUNS = 1_000;
// temporal.api.enums.v1.WorkflowExecutionStatus and .HistoryEventFilterType
const STATUS_CONTINUED_AS_NEW = 6;
const FILTER_CLOSE_EVENT = 2;

/**
 * Reads the history of a workflow, no more than a page of it at a time.
 *
 * @param of without a `runId`: of its latest run
 * @param withDeadline gives a call its deadline
 * @returns undefined where Temporal has no such workflow or run, or not any more
 * @throws AirlineError `history_too_large` where a page of it is larger than can be received
 */
export async function readWorkflowHistory(
  service: WorkflowService,
  of: { namespace: string; workflowId: string; runId: string | undefined },
  withDeadline: <T>(call: () => Promise<T>) => Promise<T>,
): Promise<WorkflowHistory | undefined> {
  const { namespace, workflowId } = of;
  try {
    const { workflowExecutionInfo: info, workflowExtendedInfo: extended } = await withDeadline(() =>
      service.describeWorkflowExecution({
        namespace,
        execution: { workflowId, runId: of.runId ?? '' },
      }),
    );
    const runId = info?.execution?.runId ?? '';
    const execution = { workflowId, runId };
    const readPage = (nextPageToken?: Uint8Array | null) =>
      withDeadline(() =>
        service.getWorkflowExecutionHistory({
          namespace,
          execution,
          maximumPageSize: PAGE_EVENTS,
          ...(nextPageToken ? { nextPageToken } : {}),
        }),
      );
    const first = await readPage();
    const status: number = info?.status ?? 0;
    const close =
      status === STATUS_CONTINUED_AS_NEW
        ? await withDeadline(() =>
            service.getWorkflowExecutionHistory({
              namespace,
              execution,
              // The enum lives in a package that we do not depend on.
              historyEventFilterType: FILTER_CLOSE_EVENT,
            }),
          )
        : undefined;
    const started = first.history?.events?.[0]?.workflowExecutionStartedEventAttributes;
    const continued =
      close?.history?.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes;
    // The first event of a run that was made by a reset is that of the run before, in all of its fields.
    const isReset = started?.originalExecutionRunId && started.originalExecutionRunId !== runId;
    const before = isReset
      ? await withDeadline(() => readRunBefore(service, of, tsToMs(info?.startTime)))
      : started?.continuedExecutionRunId;
    return {
      runId,
      continuedFrom: before || undefined,
      continuedAs: continued?.newExecutionRunId || extended?.resetRunId || undefined,
      pages: pagesFrom(first, readPage),
    };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (isTooLarge(error))
      throw new AirlineError('history_too_large', `A page of it is too large: ${String(error)}.`, {
        cause: error,
      });
    throw error;
  }
}

/** The id of the run of a workflow that was the latest until a time; undefined where Temporal lists none. */
async function readRunBefore(
  service: WorkflowService,
  { namespace, workflowId }: { namespace: string; workflowId: string },
  startMs: number,
): Promise<string | undefined> {
  const query = `WorkflowId = '${workflowId}'`;
  const { executions } = await service.listWorkflowExecutions({
    namespace,
    query,
    pageSize: MAX_RUNS,
  });
  const before = executions
    .map(({ execution, startTime }) => ({ id: execution?.runId, ms: tsToMs(startTime) }))
    .filter(({ ms }) => ms < startMs)
    .toSorted((one, other) => one.ms - other.ms);
  return before.at(-1)?.id ?? undefined;
}

async function* pagesFrom(
  first: Page,
  readPage: (token: Uint8Array) => Promise<Page>,
): AsyncGenerator<readonly unknown[]> {
  for (let page = first; ; page = await readPage(page.nextPageToken)) {
    if (page.history?.events?.length)
      yield (JSON.parse(historyToJSON(page.history)) as { events: unknown[] }).events;
    if (page.nextPageToken.length === 0) return;
  }
}
