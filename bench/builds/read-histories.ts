import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { WorkflowHistory } from '../workflow-steps.ts';
import { sideBySide } from './side-by-side.ts';

const LANES = 8;

/** Reads something out of the history of each of some workflows. */
export async function readHistories<Build extends { workflowId: string }, T>(
  temporalAddress: string,
  builds: readonly Build[],
  read: (history: WorkflowHistory, build: Build) => T,
): Promise<T[]> {
  const connection = await Connection.connect({ address: temporalAddress });
  const temporal = new Client({ connection });
  try {
    return await sideBySide(builds, LANES, async (build) => {
      const history = await temporal.workflow.getHandle(build.workflowId).fetchHistory();
      return read(JSON.parse(historyToJSON(history)) as WorkflowHistory, build);
    });
  } finally {
    await connection.close();
  }
}

/** At most so many of a list, from all parts of it. */
export function evenSample<Item>(items: readonly Item[], max: number): Item[] {
  const step = Math.max(1, items.length / max);
  return Array.from(
    { length: Math.min(max, items.length) },
    (_, at) => items[Math.floor(at * step)] as Item,
  );
}
