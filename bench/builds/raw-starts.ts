import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import type { BuildSourceInput } from '../../domain/builds/build-workflow.ts';

/** No worker polls it. */
const TASK_QUEUE = 'bench-raw';

/** The peer: Temporal's own client, and nothing around it. */
export type RawStarts = {
  /** Starts one workflow over one of the connections. */
  start: (lane: number) => Promise<unknown>;
  close: () => Promise<void>;
};

/**
 * Opens connections that share nothing.
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
    start: async (lane) =>
      clients[lane]?.workflow.start('BuildSourceWorkflow', {
        taskQueue: TASK_QUEUE,
        workflowId: randomUUID(),
        args: [input],
      }),
    close: async () => {
      await Promise.all(opened.map((connection) => connection.close()));
    },
  };
}
