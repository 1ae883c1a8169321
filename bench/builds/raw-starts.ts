import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import type { BuildSourceInput } from '../../domain/build-workflow.ts';
import { sideBySide } from './side-by-side.ts';

/** No worker polls it. */
const TASK_QUEUE = 'bench-raw';

/** The peer: Temporal's own client, and nothing around it. */
export type RawStarts = {
  /** Starts so many workflows. @returns the time of each, and of all */
  start: (count: number) => Promise<{ tookMs: number; latenciesMs: number[] }>;
  close: () => Promise<void>;
};

/**
 * Opens connections that share nothing, each with one start after the other.
 *
 * @param input what every workflow is started with
 */
export async function openRawStarts(
  address: string,
  connections: number,
  input: BuildSourceInput,
): Promise<RawStarts> {
  const opened = await Promise.all(
    Array.from({ length: connections }, () =>
      Connection.connect({ address, channelArgs: { 'grpc.use_local_subchannel_pool': 1 } }),
    ),
  );
  const clients = opened.map((connection) => new Client({ connection }));
  return {
    async start(count) {
      const startedAtMs = performance.now();
      const latenciesMs = await sideBySide(
        Array.from({ length: count }),
        connections,
        async (_, lane) => {
          const beganAtMs = performance.now();
          await clients[lane]?.workflow.start('BuildSourceWorkflow', {
            taskQueue: TASK_QUEUE,
            workflowId: randomUUID(),
            args: [input],
          });
          return performance.now() - beganAtMs;
        },
      );
      return { tookMs: performance.now() - startedAtMs, latenciesMs };
    },
    close: async () => {
      await Promise.all(opened.map((connection) => connection.close()));
    },
  };
}
