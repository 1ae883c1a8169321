import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { CANCEL_SIGNAL } from '../../domain/builds/build-workflow.ts';
import type { Ppa } from '../../domain/packages/ppa.ts';
import {
  JOIN_SIGNAL,
  NEWS_SIGNAL,
  watchWorkflowId,
  type PpaNews,
  type WatchLimits,
  type WatchPpaInput,
} from '../../domain/builds/ppa-watch.ts';

/** The workflows that watch PPAs, and those of the builds that wait there, as activities reach them. */
export type BuildWatches = {
  /** Starts the watch of a PPA, or tells it that a build has joined. */
  join(ppa: Ppa, limits: WatchLimits, taskQueue: string): Promise<void>;
  /** Tells the workflow of a build. `ended`: no such workflow runs. */
  tell(workflowId: string, news: PpaNews): Promise<'delivered' | 'ended'>;
  /** Tells the workflow of a build that its caller is gone. `ended`: no such workflow runs. */
  cancel(workflowId: string, requestedBy: string): Promise<'delivered' | 'ended'>;
};

const ANSWER_MS = 10_000;

/** Reaches workflows by the client of a worker. */
export function openBuildWatches(client: Client): BuildWatches {
  const withDeadline = <T>(call: () => Promise<T>) =>
    client.withDeadline(Date.now() + ANSWER_MS, call);
  const signal = async (workflowId: string, name: string, argument: unknown) => {
    try {
      await withDeadline(() => client.workflow.getHandle(workflowId).signal(name, argument));
      return 'delivered';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'ended';
      throw error;
    }
  };
  return {
    async join(ppa, limits, taskQueue) {
      const input: WatchPpaInput = { ppa, limits };
      await withDeadline(() =>
        client.workflow.signalWithStart('WatchPpaWorkflow', {
          taskQueue,
          workflowId: watchWorkflowId(ppa),
          args: [input],
          signal: JOIN_SIGNAL,
          signalArgs: [limits],
          staticSummary: `Watches the builds of ~${ppa.owner}/${ppa.distribution}/${ppa.name}`,
        }),
      );
    },
    tell: (workflowId, news) => signal(workflowId, NEWS_SIGNAL, news),
    cancel: (workflowId, requestedBy) => signal(workflowId, CANCEL_SIGNAL, requestedBy),
  };
}
