import { randomUUID } from 'node:crypto';
import type { ProgressMessage } from '../domain/progress.ts';
import { ppaReference, type Ppa } from '../domain/ppa.ts';
import { consumeProgress } from '../main/demo/lander.ts';
import type { BenchStack } from './bench-stack.ts';
import type { WorkflowSteps } from './workflow-steps.ts';

/** A build that has completed, seen from outside. */
export type CompletedBuild = {
  /** Milliseconds since the epoch: the POST begins; the final message is here. */
  postedAtMs: number;
  receivedAtMs: number;
  steps: WorkflowSteps;
};

/**
 * Requests a build and waits for its final message, as the lander does.
 *
 * @throws Error where the build fails or its final message does not come in time
 */
export async function requestBuild(
  { stack, rest, stepsOf }: BenchStack,
  request: { ticketId: number; urls: readonly string[]; ppa: Ppa; series: string; limitMs: number },
): Promise<CompletedBuild> {
  const queue = `bench-${randomUUID()}`;
  let receivedAtMs = 0;
  const messages = consumeProgress({
    amqpUrl: stack.addresses.amqpUrl,
    queue,
    limitMs: request.limitMs,
    onMessage(message: ProgressMessage) {
      if (message.exit) receivedAtMs = Date.now();
      return Promise.resolve();
    },
  });
  // It is awaited only after the POST, which may fail.
  messages.catch(() => undefined);
  const postedAtMs = Date.now();
  const build = await rest.post<{ workflow_id: string }>('/api/v1/build_source', {
    ticket_id: request.ticketId,
    cancel_url: null,
    source_packages: request.urls,
    series: request.series,
    ppa: ppaReference(request.ppa),
    archive: request.ppa.distribution,
    progress_trigger: queue,
  });
  const last = (await messages).at(-1);
  if (last?.message !== 'COMPLETE')
    throw new Error(`The build failed: ${last?.failure?.class}: ${last?.failure?.message}`);
  return { postedAtMs, receivedAtMs, steps: await stepsOf(build.workflow_id) };
}
