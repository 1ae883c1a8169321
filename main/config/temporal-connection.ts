import { setTimeout as delay } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import { SEARCH_ATTRIBUTES } from '../../domain/build-workflow.ts';
import { backoffMs } from '../../timing/backoff.ts';

// Temporal's IndexedValueType, by the names of our vocabulary.
const INDEXED_VALUE_TYPES = { KEYWORD: 2, INT: 3, KEYWORD_LIST: 7 } as const;

/**
 * Connects to Temporal, again and again until the time is over: the SDK tries only once.
 *
 * @throws the last error when the time is over
 */
export async function connectToTemporal(
  address: string,
  withinMs: number,
  logger: Logger,
): Promise<NativeConnection> {
  const untilMs = Date.now() + withinMs;
  for (let failures = 1; ; failures++) {
    try {
      return await NativeConnection.connect({ address });
    } catch (error) {
      const waitMs = backoffMs(failures, { firstMs: 200, maxMs: 5_000 });
      if (Date.now() + waitMs > untilMs) throw error;
      logger.warn({ address, waitMs, err: error }, 'Temporal does not answer yet');
      await delay(waitMs);
    }
  }
}

/** Registers those of Airline's search attributes that the namespace does not have yet. */
export async function registerSearchAttributes(
  connection: Pick<NativeConnection, 'operatorService'>,
  namespace: string,
): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => !(name in customAttributes));
  if (missing.length > 0)
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(
        missing.map(([name, type]) => [name, INDEXED_VALUE_TYPES[type]]),
      ),
    });
}
