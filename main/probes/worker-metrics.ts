import { collectDefaultMetrics, Registry } from 'prom-client';
import { connectionGauge } from '../../api/http/process-gauges.ts';
import type { Database } from '../../models/database.ts';

/**
 * What a process of Temporal workers measures, as one text for Prometheus: Temporal's SDK (`temporal_…`), the
 * database's connections, and Node's figures of the process.
 *
 * @param readSdk what the SDK has measured, in the same format
 */
export function createWorkerMetrics(
  { connectionCounts }: Pick<Database, 'connectionCounts'>,
  readSdk: () => Promise<string>,
): { read(): Promise<{ body: string; mediaType: string }> } {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registry.registerMetric(connectionGauge({ connectionCounts }));
  return {
    async read() {
      const [sdk, ours] = await Promise.all([readSdk(), registry.metrics()]);
      return { body: `${sdk.trimEnd()}\n${ours}`, mediaType: registry.contentType };
    },
  };
}
