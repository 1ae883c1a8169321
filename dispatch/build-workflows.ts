import {
  Client,
  Connection,
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import type { BuildLimits, BuildRequest } from '../domain/build-request.ts';
import {
  BUILD_TASK_QUEUE,
  CANCEL_SIGNAL,
  SEARCH_ATTRIBUTES,
  type BuildSourceInput,
} from '../domain/build-workflow.ts';
import { namedSources, shownPackage, type PackageVersion } from '../domain/source-file.ts';
import { parsePpa, ppaReference } from '../domain/ppa.ts';
import { shownUrl } from '../domain/source-url.ts';
import type { WorkerQueue } from '../domain/worker-queue.ts';
import type { WorkflowHistory } from '../domain/workflow-history.ts';
import type { BuildSourceWorkflow } from '../workflows/index.ts';
import { readWorkflowHistory } from './workflow-history.ts';

/** Temporal will never take this start; another try changes nothing. */
export class StartRefusedError extends Error {
  override readonly name = 'StartRefusedError';
}

/** The builds' workflows, as the API starts, signals and watches over them. */
export type BuildWorkflows = {
  /**
   * Starts the workflow of a build. Safe to repeat: a build has one workflow for ever.
   *
   * @throws StartRefusedError; any other error means that a later try may succeed
   */
  start(build: {
    workflowId: string;
    requestId: string | null;
    request: BuildRequest;
    /** What a later attempt may ask the PPA to build again. */
    packagesToRetry: PackageVersion[] | undefined;
  }): Promise<void>;
  /** Tells a workflow that its build is to be cancelled. `ended`: there is none running that could be told. */
  signalCancel(workflowId: string, requestedBy: string): Promise<'delivered' | 'ended'>;
  /** Ids of workflows that ended since a time without a result: terminated, timed out or failed. */
  endedWithoutResult(since: Date): Promise<string[]>;
  /** Whether a workflow is running, has ended in some way, or is one that Temporal knows nothing of. */
  standing(workflowId: string): Promise<'running' | 'ended' | 'unknown'>;
  describeQueues(): Promise<WorkerQueue[]>;
  /** The history of a run of a workflow, the latest where none is named; undefined where Temporal has none. */
  readHistory(workflowId: string, runId?: string): Promise<WorkflowHistory | undefined>;
  /** Resolves when Temporal answers. */
  probe(): Promise<void>;
  close(): Promise<void>;
};

const GRPC_INVALID_ARGUMENT = 3;
const GRPC_DEADLINE_EXCEEDED = 4;
const GRPC_RESOURCE_EXHAUSTED = 8;
const GRPC_UNAVAILABLE = 14;
const AWAY: readonly number[] = [GRPC_DEADLINE_EXCEEDED, GRPC_RESOURCE_EXHAUSTED, GRPC_UNAVAILABLE];
// Temporal's limits: 255 characters for a keyword that SQL visibility indexes, 2 KiB for all of an attribute
// (limit.searchAttributesSizeOfValue); 200 bytes for a summary.
const KEYWORD_LENGTH = 255;
const ATTRIBUTE_BYTES = 2_048;
const SUMMARY_LENGTH = 120;
const SHOWN_SOURCES = 20;
// What Temporal's common/searchattribute/validator.go says of one that is not there, or whose registration it cannot read.
const UNREGISTERED =
  /no mapping defined for search attribute|search attribute \S+ is not defined|unable to get .*search attribute/i;
const LISTED_WORKFLOWS = 1_000;
const MAX_LISTED_WORKFLOWS = 20_000;
// The workflow keeps to its own limits; this ends one that cannot.
const EXECUTION_MARGIN_MS = 3_600_000;
// temporal.api.enums.v1.TaskQueueType
const QUEUE_KINDS = [
  ['workflow', 1],
  ['activity', 2],
] as const;

/**
 * Makes the API's side of the builds' workflows. It connects when it is first used, and again after each loss.
 *
 * @param options.address Temporal's frontend, host:port
 * @param options.rpcTimeoutMs time for one answer of Temporal
 * @param options.taskQueue the queue that the workers poll
 */
export function createBuildWorkflows(options: {
  address: string;
  namespace: string;
  limits: BuildLimits;
  rpcTimeoutMs: number;
  taskQueue?: string;
}): BuildWorkflows {
  const { namespace, limits, taskQueue = BUILD_TASK_QUEUE } = options;
  const connection = Connection.lazy({
    address: options.address,
    // The dispatcher retries. The SDK's own retries would hide why a call failed behind their deadline.
    interceptors: [],
    // The default is two minutes, by which a Temporal that is back would go unnoticed.
    channelArgs: { 'grpc.max_reconnect_backoff_ms': options.rpcTimeoutMs },
  });
  const client = new Client({ connection, namespace });
  const timely = <T>(call: () => Promise<T>) =>
    connection.withDeadline(Date.now() + options.rpcTimeoutMs, call);

  return {
    async start({ workflowId, requestId, request, packagesToRetry }) {
      const ppa = parsePpa(request.ppa, request.archive);
      if (!ppa) throw new StartRefusedError(`${request.ppa} is no PPA`);
      const sources = namedSources(request.sourcePackages).map(shownPackage).map(keyword);
      const input: BuildSourceInput = {
        request,
        ppa,
        limits,
        ...(packagesToRetry ? { retry: packagesToRetry } : {}),
      };
      try {
        await timely(() =>
          client.workflow.start<typeof BuildSourceWorkflow>('BuildSourceWorkflow', {
            taskQueue,
            workflowId,
            workflowIdConflictPolicy: 'USE_EXISTING',
            workflowIdReusePolicy: 'REJECT_DUPLICATE',
            workflowExecutionTimeout:
              limits.wholeBuildMs +
              limits.cancellationMs +
              limits.logCollectionMs +
              EXECUTION_MARGIN_MS,
            args: [input],
            typedSearchAttributes: searchAttributes(request, ppaReference(ppa), sources),
            memo: {
              build: `/api/v1/build/${request.buildId}/`,
              ticket: `/api/v1/ticket/${request.ticketId}/`,
              ppa: ppaReference(ppa),
              series: request.series,
              sources: sources.slice(0, SHOWN_SOURCES),
              progressTrigger: request.progressTrigger,
              requestId: requestId ?? '',
            },
            staticSummary: summary(request, sources),
            staticDetails: details(request, ppaReference(ppa), sources, requestId),
          }),
        );
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return;
        const refusal = refusalOf(error);
        throw refusal === undefined ? error : new StartRefusedError(refusal, { cause: error });
      }
    },

    async signalCancel(workflowId, requestedBy) {
      try {
        await timely(() =>
          client.workflow.getHandle(workflowId).signal(CANCEL_SIGNAL, requestedBy),
        );
        return 'delivered';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'ended';
        throw error;
      }
    },

    async endedWithoutResult(since) {
      const query = [
        `WorkflowType = 'BuildSourceWorkflow'`,
        `ExecutionStatus IN ('Terminated', 'TimedOut', 'Failed')`,
        `CloseTime >= '${since.toISOString()}'`,
      ].join(' AND ');
      const workflowIds: string[] = [];
      let nextPageToken: Uint8Array | undefined;
      do {
        const request = { namespace, query, pageSize: LISTED_WORKFLOWS };
        const page = await timely(() =>
          connection.workflowService.listWorkflowExecutions({
            ...request,
            ...(nextPageToken ? { nextPageToken } : {}),
          }),
        );
        workflowIds.push(
          ...page.executions.flatMap(({ execution }) => execution?.workflowId ?? []),
        );
        nextPageToken = page.nextPageToken.length > 0 ? page.nextPageToken : undefined;
      } while (nextPageToken && workflowIds.length < MAX_LISTED_WORKFLOWS);
      return workflowIds;
    },

    async standing(workflowId) {
      try {
        const { status } = await timely(() => client.workflow.getHandle(workflowId).describe());
        return status.name === 'RUNNING' ? 'running' : 'ended';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'unknown';
        throw error;
      }
    },

    describeQueues: () =>
      Promise.all(
        QUEUE_KINDS.map(async ([kind, taskQueueType]): Promise<WorkerQueue> => {
          const question = {
            namespace,
            taskQueue: { name: taskQueue },
            taskQueueType,
            reportStats: true,
          };
          const { pollers, stats } = await timely(() =>
            // The enum lives in a package that we do not depend on.
            // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
            connection.workflowService.describeTaskQueue(question),
          );
          const backlog = Number(stats?.approximateBacklogCount ?? 0);
          return {
            name: taskQueue,
            kind,
            pollers: pollers.map(({ identity, lastAccessTime }) => ({
              identity: identity ?? '',
              last_access_at: lastAccessTime?.seconds
                ? new Date(Number(lastAccessTime.seconds) * 1_000).toISOString()
                : null,
            })),
            backlog,
            busy: backlog > 0 || (stats?.tasksDispatchRate ?? 0) > 0,
          };
        }),
      ),

    readHistory: (workflowId, runId) =>
      readWorkflowHistory(connection.workflowService, { namespace, workflowId, runId }, timely),

    async probe() {
      await timely(() => connection.workflowService.getSystemInfo({}));
    },

    close: () => connection.close(),
  };
}

function searchAttributes(
  request: BuildRequest,
  ppa: string,
  sources: readonly string[],
): TypedSearchAttributes {
  return new TypedSearchAttributes([
    { key: key('AirlineTicket'), value: request.ticketId },
    { key: key('AirlinePpa'), value: keyword(ppa) },
    { key: key('AirlineSeries'), value: keyword(request.series) },
    { key: key('AirlineSource'), value: searchable(sources) },
    { key: key('AirlineBuildState'), value: 'queued' },
  ]);
}

function key<Name extends keyof typeof SEARCH_ATTRIBUTES>(name: Name) {
  return defineSearchAttributeKey(name, SEARCH_ATTRIBUTES[name]);
}

function keyword(text: string): string {
  return text.slice(0, KEYWORD_LENGTH);
}

/** The first of the names, as many as Temporal takes as one attribute. */
function searchable(sources: readonly string[]): string[] {
  const names: string[] = [];
  for (const source of sources.slice(0, SHOWN_SOURCES)) {
    if (Buffer.byteLength(JSON.stringify([...names, source])) > ATTRIBUTE_BYTES) break;
    names.push(source);
  }
  return names;
}

function summary(request: BuildRequest, sources: readonly string[]): string {
  const text = `Build ${sources.join(', ')} for ${request.series} in ${request.ppa}, ticket ${request.ticketId}`;
  return text.length <= SUMMARY_LENGTH ? text : `${text.slice(0, SUMMARY_LENGTH - 1)}…`;
}

/** A URL without its secrets, as code in Markdown. */
function markdownUrl(url: string): string {
  return shownUrl(url).slice(0, 500).replaceAll('`', '%60');
}

/** What an operator who has never seen this build reads first in Temporal's UI. */
function details(
  request: BuildRequest,
  ppa: string,
  sources: readonly string[],
  requestId: string | null,
): string {
  const more = sources.length > SHOWN_SOURCES ? ` and ${sources.length - SHOWN_SOURCES} more` : '';
  return [
    `Build **${request.buildId}** of ticket **${request.ticketId}**: ${sources.slice(0, SHOWN_SOURCES).join(', ')}${more}.`,
    '',
    `- goes to \`${ppa}\`, series \`${request.series}\``,
    `- reports to the queue \`${request.progressTrigger}\``,
    `- ${request.cancelUrl ? `is cancelled when \`${markdownUrl(request.cancelUrl)}\` says \`building: false\`` : 'has no cancel URL'}`,
    `- was asked for by the request \`${requestId ?? 'unknown'}\`, which the logs name`,
    '',
    `To cancel it: \`POST /api/v1/build/${request.buildId}/cancel/\`, or the signal \`${CANCEL_SIGNAL}\` here. Terminating it leaves what runs in the PPA running.`,
  ].join('\n');
}

/** What Temporal has against the request itself, if that is it. Search attributes that no worker has registered yet will come. */
function refusalOf(error: unknown): string | undefined {
  const answer = grpcAnswer(error);
  if (!answer) return undefined;
  const { code, details } = answer;
  const isRefusal =
    (code === GRPC_INVALID_ARGUMENT && !UNREGISTERED.test(details)) ||
    (code === GRPC_RESOURCE_EXHAUSTED && /message larger than/i.test(details));
  return isRefusal ? details : undefined;
}

/** Whether Temporal answers nobody just now, so that nothing can be said of the build that it was asked about. */
export function isTemporalAway(error: unknown): boolean {
  const answer = grpcAnswer(error);
  return answer !== undefined && AWAY.includes(answer.code);
}

function grpcAnswer(error: unknown): { code: number; details: string } | undefined {
  const cause = error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
  return isGrpcServiceError(cause) ? cause : undefined;
}
