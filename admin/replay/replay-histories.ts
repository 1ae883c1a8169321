import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import { explainDivergence, type Divergence } from './divergence.ts';
import type { FoundHistory } from './history.ts';
import type { Asked } from './step.ts';

/** What came of one history. */
export type Replayed = {
  name: string;
  /** Of the history. */
  events: number;
} & (
  | { outcome: 'ok' }
  | { outcome: 'diverges'; divergence: Divergence }
  | { outcome: 'skipped'; reason: string }
);

/**
 * Replays histories one after the other in one worker, without a server.
 *
 * The SDK tells which event does not fit, and hardly what the code wants there; for that, this worker keeps what the
 * code asks for.
 *
 * @param bundle the workflow bundle, as code or as a file
 */
export async function* replayHistories(
  bundle: { code: string } | { codePath: string },
  histories: AsyncIterable<FoundHistory> | Iterable<FoundHistory>,
): AsyncGenerator<Replayed> {
  const { ObservedWorker, asked } = observedWorker();
  const skipped: Replayed[] = [];
  let current: Extract<FoundHistory, { history: unknown }> | undefined;
  async function* readable() {
    for await (const found of histories) {
      if ('notAHistory' in found) {
        const { name, notAHistory: reason } = found;
        skipped.push({ name, events: 0, outcome: 'skipped', reason });
        continue;
      }
      let history: ReturnType<typeof historyFromJSON>;
      try {
        history = historyFromJSON(found.history);
      } catch (error) {
        const reason = `it is no history that Temporal's SDK can read (${(error as Error).message})`;
        skipped.push({ name: found.name, events: 0, outcome: 'skipped', reason });
        continue;
      }
      current = found;
      asked.length = 0;
      yield { workflowId: found.name, history };
    }
  }
  for await (const { error } of ObservedWorker.runReplayHistories(
    { workflowBundle: bundle },
    readable(),
  )) {
    // Those before the one that was replayed just now.
    yield* skipped.splice(0);
    if (!current) continue;
    const { name, history } = current;
    const events = history.events.length;
    yield error
      ? {
          name,
          events,
          outcome: 'diverges',
          divergence: explainDivergence(history, [...asked], error.message),
        }
      : { name, events, outcome: 'ok' };
  }
  yield* skipped;
}

/** A worker that keeps everything that the workflow code which it runs asks for. */
function observedWorker() {
  const asked: Asked[] = [];
  class ObservedWorker extends Worker {
    protected static override async createWorkflowCreator(
      ...parameters: Parameters<typeof Worker.createWorkflowCreator>
    ): Promise<WorkflowCreator> {
      const creator = await super.createWorkflowCreator(...parameters);
      return {
        destroy: () => creator.destroy(),
        async createWorkflow(options) {
          const workflow = await creator.createWorkflow(options);
          return {
            dispose: () => workflow.dispose(),
            getAndResetSinkCalls: () => workflow.getAndResetSinkCalls(),
            async activate(activation) {
              const completion = await workflow.activate(activation);
              const task = activation.historyLength ?? 0;
              const commands = completion.successful?.commands ?? [];
              asked.push(...commands.map((command) => ({ task, command })));
              return completion;
            },
          };
        },
      };
    }
  }
  return { ObservedWorker, asked };
}
