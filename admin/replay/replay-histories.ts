import type { Worker } from '@temporalio/worker';
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
 * @param loadSdk gives the SDK's worker. It is called at the first history that can be replayed: loading takes longer
 *   than all else where there is none.
 */
export async function* replayHistories(
  bundle: { code: string } | { codePath: string },
  histories: AsyncIterable<FoundHistory> | Iterable<FoundHistory>,
  loadSdk: () => Promise<{ Worker: typeof Worker }> = () => import('@temporalio/worker'),
): AsyncGenerator<Replayed> {
  const asked: Asked[] = [];
  const skipped: Replayed[] = [];
  let current: Extract<FoundHistory, { history: unknown }> | undefined;
  async function* readable() {
    for await (const found of histories) {
      if ('notAHistory' in found) {
        const { name, notAHistory: reason } = found;
        skipped.push({ name, events: 0, outcome: 'skipped', reason });
        continue;
      }
      const { historyFromJSON } = await import('@temporalio/common/lib/proto-utils.js');
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
  const rest = readable();
  const first = await rest.next();
  if (first.done) {
    yield* skipped;
    return;
  }
  const { value } = first;
  async function* all() {
    yield value;
    yield* rest;
  }
  const { Worker } = await loadSdk();
  const replays = observedWorker(Worker, asked).runReplayHistories(
    { workflowBundle: bundle },
    all(),
  );
  for await (const { error } of replays) {
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

/** @returns a worker that puts everything into `asked` that the workflow code which it runs asks for */
function observedWorker(SdkWorker: typeof Worker, asked: Asked[]): typeof Worker {
  return class ObservedWorker extends SdkWorker {
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
  };
}
