import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { TASK_QUEUE_TYPE } from '../../domain/service/worker-queue.ts';
import { addSearchAttributes, missingSearchAttributes } from '../config/search-attributes.ts';
import type { TemporalTarget } from '../config/temporal-target.ts';
import { makeDirectory, type Directories } from './directories.ts';
import type { PartName, Service } from './part.ts';
import { LOOPBACK } from './tcp.ts';
import type { Account } from './unprivileged-user.ts';

// Of a server that is starting: it is asked again.
const CONNECT_MS = 2_000;
const ANSWER_MS = 5_000;
/** Of connections from here: a proxy of the environment, which gRPC takes for loopback too, leads nowhere. */
const WITHOUT_PROXY = { 'grpc.enable_http_proxy': 0 };

/**
 * As durable as SQLite's own default, a rollback journal, at a fraction of what that writes: Temporal commits for every
 * step of a workflow, one after another.
 */
const DURABLE = { journal_mode: 'wal', synchronous: 'full', busy_timeout: 10_000 };
/** What was committed outlives the server, but not a power cut. */
const FAST = { ...DURABLE, synchronous: 'off' };

/**
 * Temporal's development server on loopback with its Web UI, its state in one SQLite file. The namespace and those of
 * the search attributes that it lacks are registered at every start: the file may be of an earlier version.
 *
 * @param options.httpPort of its HTTP API. Where it is not said the server takes any, and so with its metrics: nobody
 *   could refuse callers that they have these ports fetched
 * @param options.durable false trades safety against a power cut for speed, for throw-away data
 * @param options.cli answers the path of the Temporal CLI once the part `temporal-cli` is done
 */
export function temporalPart(options: {
  directories: Directories;
  port: number;
  uiPort: number;
  httpPort: number;
  metricsPort: number;
  namespace: string;
  account: Account | undefined;
  durable: boolean;
  cli: () => string;
}): Service<PartName> {
  const { directories, port, uiPort, httpPort, metricsPort, namespace, account, durable } = options;
  const home = join(directories.state, 'temporal');
  return {
    kind: 'service',
    name: 'temporal',
    needs: ['temporal-cli'],
    prepare: async () => void makeDirectory(home, account),
    command: () => ({
      file: options.cli(),
      args: [
        ['server', 'start-dev'],
        ['--ip', LOOPBACK, '--port', String(port), '--ui-port', String(uiPort)],
        ['--http-port', String(httpPort), '--metrics-port', String(metricsPort)],
        ['--namespace', namespace],
        ['--db-filename', join(home, 'temporal.db')],
        ...Object.entries(durable ? DURABLE : FAST).map(([name, value]) => [
          '--sqlite-pragma',
          `${name}=${value}`,
        ]),
        ['--dynamic-config-value', 'frontend.enableServerVersionCheck=false'],
        // As in main/embedded/temporal-dynamic-config.yaml.
        ['--dynamic-config-value', 'frontend.enableCancelWorkerPollsOnShutdown=true'],
      ].flat(),
      cwd: home,
      environment: {
        PATH: '/usr/bin:/bin',
        LANG: 'C.UTF-8',
        HOME: home,
        // More memory for less processor time: what is thrown away does not run for long.
        ...(durable ? {} : { GOGC: '400' }),
      },
      runAs: account,
    }),
    isReady: () => isTemporalReady(`${LOOPBACK}:${port}`, namespace),
    startTimeoutMs: 60_000,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 20_000,
    summary: () => `development server on ${LOOPBACK}:${port}, Web UI http://${LOOPBACK}:${uiPort}`,
  };
}

/**
 * Whether Temporal answers for the namespace and knows the search attributes; what is missing is added for the next
 * question. (The server's own `--search-attribute` does nothing for a namespace that is there already.)
 */
async function isTemporalReady(address: string, namespace: string): Promise<boolean> {
  const connection = await Connection.connect({
    address,
    connectTimeout: CONNECT_MS,
    channelArgs: WITHOUT_PROXY,
  });
  try {
    return await connection.withDeadline(Date.now() + ANSWER_MS, async () => {
      await connection.workflowService.describeNamespace({ namespace });
      const missing = await missingSearchAttributes(connection, namespace);
      await addSearchAttributes(connection, namespace, missing);
      return Object.keys(missing).length === 0;
    });
  } finally {
    await connection.close();
  }
}

/** Whether a worker that was seen after `since` polls a task queue; for activities where that is all that it runs. */
export async function hasPoller(
  target: TemporalTarget,
  namespace: string,
  taskQueue: string,
  since: Date,
  kind: 'workflow' | 'activity' = 'workflow',
): Promise<boolean> {
  const connection = await Connection.connect({
    ...target,
    connectTimeout: CONNECT_MS,
    channelArgs: WITHOUT_PROXY,
  });
  try {
    const { pollers } = await connection.withDeadline(Date.now() + ANSWER_MS, () =>
      connection.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: taskQueue },
        taskQueueType: TASK_QUEUE_TYPE[kind],
      }),
    );
    return (pollers ?? []).some(
      ({ lastAccessTime }) =>
        Number(lastAccessTime?.seconds ?? 0) * 1_000 >= since.getTime() - 1_000,
    );
  } finally {
    await connection.close();
  }
}
