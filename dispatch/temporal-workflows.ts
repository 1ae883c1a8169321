import {
  Client,
  Connection,
  type ConnectionOptions,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { attributePairs, labelsOf } from '../domain/builds/build-labels.ts';
import type { BuildLimits, BuildRequest } from '../domain/builds/build-request.ts';
import {
  BUILD_TASK_QUEUE,
  CANCEL_SIGNAL,
  executionTimeoutMs,
  newBuildInput,
} from '../domain/builds/build-workflow.ts';
import {
  DECIDE_SIGNAL,
  WAKE_SIGNAL,
  type Decision,
  type LandingLimits,
} from '../domain/landings/landing.ts';
import type { Cleaning, CleaningLimits } from '../domain/landings/pool-ppa.ts';
import type { Ppa } from '../domain/packages/ppa.ts';
import { NEWS_SIGNAL, type PpaNews } from '../domain/builds/ppa-watch.ts';
import type { PackageVersion } from '../domain/packages/source-file.ts';
import type { UploadCheck, UploadProblem } from '../domain/builds/upload-check.ts';
import type { WorkerProcess } from '../domain/service/worker-process.ts';
import type { WorkerQueue } from '../domain/service/worker-queue.ts';
import type { WorkflowHistory } from '../domain/builds/workflow-history.ts';
import type { BuildSourceWorkflow } from '../workflows/index.ts';
import { checkUpload } from './check-upload.ts';
import { describeQueues, UNKNOWN_CLOCK } from './describe-queues.ts';
import { describeWorkers, type WorkerClocks } from './describe-workers.ts';
import { startCleaning } from './start-cleaning.ts';
import { startLanding, type LandingToStart } from './start-landing.ts';
import { createStartOnce } from './start-once.ts';
import { readWorkflowHistory } from './workflow-history.ts';
import { readWorkflowStatus, type WorkflowStatus } from './workflow-status.ts';

/**
 * The workflows of builds, landings, cleanings and checks, as the API starts, signals and watches over them; and what
 * Temporal tells of its queues and workers.
 */
export type TemporalWorkflows = {
  /**
   * Starts the workflow of a build. Safe to repeat: a build has one workflow for ever.
   *
   * @throws StartRefusedError; any other error means that a later try may succeed
   */
  start(build: {
    workflowId: string;
    requestId: string | null;
    request: BuildRequest;
    ppa: Ppa;
    /** What a later attempt may ask the PPA to build again. */
    packagesToRetry: PackageVersion[] | undefined;
  }): Promise<void>;
  /**
   * Starts the workflow of a landing. Safe to repeat.
   *
   * @throws StartRefusedError; any other error means that a later try may succeed
   */
  startLanding(landing: LandingToStart): Promise<void>;
  /**
   * Starts the workflow that empties a PPA of the pool. Safe to repeat.
   *
   * @throws StartRefusedError; any other error means that a later try may succeed
   */
  startCleaning(cleaning: Cleaning): Promise<void>;
  /** Tells the workflow of a landing what a person has decided. `ended`: no such workflow runs. */
  signalDecision(workflowId: string, decision: Decision): Promise<'delivered' | 'ended'>;
  /** Has the workflow of a landing look at what has changed. `ended`: no such workflow runs. */
  signalWake(workflowId: string): Promise<'delivered' | 'ended'>;
  /** Tells a workflow to cancel its build. `ended`: no such workflow runs. */
  signalCancel(workflowId: string, requestedBy: string): Promise<'delivered' | 'ended'>;
  /** Has the workflow of a build poll its PPA by itself. `ended`: no such workflow runs. */
  signalAsk(workflowId: string): Promise<'delivered' | 'ended'>;
  /** Ids of workflows of builds that ended since a time without a result: terminated, timed out or failed. */
  endedWithoutResult(since: Date): Promise<string[]>;
  /** Whether a workflow is running, cannot get on, has ended in some way, or is unknown to Temporal. */
  status(workflowId: string): Promise<WorkflowStatus>;
  describeQueues(): Promise<WorkerQueue[]>;
  /** What the processes that poll the queues report of themselves. */
  describeWorkers(): Promise<WorkerProcess[]>;
  /** The history of a run of a workflow, the latest where none is named; undefined where Temporal has none. */
  readHistory(workflowId: string, runId?: string): Promise<WorkflowHistory | undefined>;
  /**
   * Why a PPA would not take an upload.
   *
   * @throws where no worker brings the PPA's answer in time
   */
  checkUpload(check: UploadCheck): Promise<UploadProblem[]>;
  /** Resolves when Temporal answers. */
  probe(): Promise<void>;
  close(): Promise<void>;
};

// Temporal ends a workflow whose history passes 50 MiB, so that no page of one is larger.
const MAX_ANSWER_BYTES = 64 * 2 ** 20;
const WORKFLOWS_PER_PAGE = 1_000;
const MAX_LISTED_WORKFLOWS = 20_000;

/**
 * Makes the API's side of the workflows. It connects when it is first used, and again after each loss.
 *
 * @param options.address Temporal's frontend, host:port
 * @param options.tls how to reach it by TLS; undefined: without
 * @param options.apiKey what it is told of the caller
 * @param options.rpcTimeoutMs time for one answer of Temporal
 * @param options.uploadCheckMs time for the check of an upload
 * @param options.taskQueue the queue that the workers poll
 */
export function createTemporalWorkflows(options: {
  address: string;
  tls?: ConnectionOptions['tls'];
  apiKey?: string;
  namespace: string;
  limits: BuildLimits;
  landingLimits: LandingLimits;
  cleaningLimits: CleaningLimits;
  rpcTimeoutMs: number;
  uploadCheckMs: number;
  taskQueue?: string;
}): TemporalWorkflows {
  const { namespace, limits, taskQueue = BUILD_TASK_QUEUE } = options;
  const connection = Connection.lazy({
    address: options.address,
    ...(options.tls ? { tls: options.tls } : {}),
    ...(options.apiKey ? { apiKey: options.apiKey } : {}),
    // The dispatcher retries. The SDK's own retries would hide why a call failed behind their deadline.
    interceptors: [],
    channelArgs: {
      // A proxy of the environment would be asked for every address, loopback too. Workers ask none.
      'grpc.enable_http_proxy': 0,
      // The default is two minutes, by which a Temporal that is back would go unnoticed.
      'grpc.max_reconnect_backoff_ms': options.rpcTimeoutMs,
      'grpc.max_receive_message_length': MAX_ANSWER_BYTES,
    },
  });
  const client = new Client({ connection, namespace });
  const { transferQueue, logQueue } = limits;
  const queues = [
    { name: taskQueue, kind: 'workflow' as const },
    ...[taskQueue, transferQueue, logQueue].flatMap((name) =>
      name ? { name, kind: 'activity' as const } : [],
    ),
  ];
  const temporalClock = { ...UNKNOWN_CLOCK };
  const workerClocks: WorkerClocks = new Map();
  const withDeadline = <T>(call: () => Promise<T>) =>
    connection.withDeadline(Date.now() + options.rpcTimeoutMs, call);
  const startOnce = createStartOnce(client, withDeadline);

  const signal = async (workflowId: string, name: string, ...given: unknown[]) => {
    try {
      await withDeadline(() => client.workflow.getHandle(workflowId).signal(name, ...given));
      return 'delivered';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'ended';
      throw error;
    }
  };

  return {
    async start({ workflowId, requestId, request, ppa, packagesToRetry }) {
      const { searchAttributes, ...labels } = labelsOf({ request, ppa, requestId });
      await startOnce<typeof BuildSourceWorkflow>('BuildSourceWorkflow', {
        taskQueue,
        workflowId,
        workflowExecutionTimeout: executionTimeoutMs(limits),
        args: [newBuildInput({ request, ppa, limits, packagesToRetry })],
        ...labels,
        typedSearchAttributes: new TypedSearchAttributes(attributePairs(searchAttributes)),
      });
    },

    startLanding: (landing) => startLanding(startOnce, { ...options, taskQueue }, landing),

    startCleaning: (cleaning) => startCleaning(startOnce, { ...options, taskQueue }, cleaning),

    signalDecision: (workflowId, decision) => signal(workflowId, DECIDE_SIGNAL, decision),

    signalWake: (workflowId) => signal(workflowId, WAKE_SIGNAL),

    signalCancel: (workflowId, requestedBy) => signal(workflowId, CANCEL_SIGNAL, requestedBy),

    signalAsk: (workflowId) => signal(workflowId, NEWS_SIGNAL, { ask: true } satisfies PpaNews),

    async endedWithoutResult(since) {
      const query = [
        `WorkflowType = 'BuildSourceWorkflow'`,
        `ExecutionStatus IN ('Terminated', 'TimedOut', 'Failed')`,
        `CloseTime >= '${since.toISOString()}'`,
      ].join(' AND ');
      const workflowIds: string[] = [];
      let nextPageToken: Uint8Array | undefined;
      do {
        const request = { namespace, query, pageSize: WORKFLOWS_PER_PAGE };
        const page = await withDeadline(() =>
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

    status: (workflowId) => readWorkflowStatus(client, workflowId, withDeadline),

    describeQueues: () =>
      describeQueues(connection, namespace, queues, withDeadline, temporalClock),

    describeWorkers: () => describeWorkers(connection, namespace, withDeadline, workerClocks),

    readHistory: (workflowId, runId) =>
      readWorkflowHistory(
        connection.workflowService,
        { namespace, workflowId, runId },
        withDeadline,
      ),

    checkUpload: (check) => checkUpload(client, { ...options, taskQueue }, check),

    async probe() {
      await withDeadline(() => connection.workflowService.getSystemInfo({}));
    },

    close: () => connection.close(),
  };
}
