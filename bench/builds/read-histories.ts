import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { buildLooks, type BuildLooks, type TimedHistory } from './build-looks.ts';
import { sideBySide } from './side-by-side.ts';

const LANES = 8;

/** Reads what the histories of builds say of their looks. */
export async function readHistories(
  temporalAddress: string,
  builds: readonly { buildId: number; workflowId: string }[],
): Promise<(BuildLooks & { buildId: number })[]> {
  const connection = await Connection.connect({ address: temporalAddress });
  const temporal = new Client({ connection });
  try {
    return await sideBySide(builds, LANES, async ({ buildId, workflowId }) => {
      const history = await temporal.workflow.getHandle(workflowId).fetchHistory();
      return { buildId, ...buildLooks(JSON.parse(historyToJSON(history)) as TimedHistory) };
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
