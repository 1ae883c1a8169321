import { setTimeout as delay } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import { SEARCH_ATTRIBUTES } from '../../domain/builds/build-workflow.ts';
import { backoffMs } from '../../timing/backoff.ts';
import type { TemporalTarget } from './temporal-target.ts';

// Temporal's IndexedValueType, by the names of our vocabulary.
const INDEXED_VALUE_TYPES = { KEYWORD: 2, INT: 3, KEYWORD_LIST: 7 } as const;

/** A server that starts with everything else may take minutes. */
const CONNECT_WITHIN_MS = 300_000;

/**
 * Connects to Temporal, again and again until the time is over: the SDK tries only once.
 *
 * @throws the last error when the time is over
 */
export async function connectToTemporal(
  target: TemporalTarget,
  logger: Logger,
  withinMs = CONNECT_WITHIN_MS,
): Promise<NativeConnection> {
  const untilMs = Date.now() + withinMs;
  for (let failures = 1; ; failures++) {
    try {
      return await NativeConnection.connect(target);
    } catch (error) {
      const waitMs = backoffMs(failures, { firstMs: 200, maxMs: 5_000 });
      if (Date.now() + waitMs > untilMs) throw error;
      logger.warn({ address: target.address, waitMs, err: error }, 'Temporal does not answer yet');
      await delay(waitMs);
    }
  }
}

/** What Temporal's operator service does for search attributes. */
type SearchAttributeService = {
  listSearchAttributes(of: { namespace: string }): Promise<{ customAttributes: object }>;
  addSearchAttributes(of: {
    namespace: string;
    searchAttributes: Record<string, number>;
  }): Promise<unknown>;
};

// gRPC's PERMISSION_DENIED and UNIMPLEMENTED: what Temporal Cloud and locked clusters say.
const REFUSALS: readonly unknown[] = [7, 12];

/**
 * Registers those of Airline's search attributes that the namespace does not have yet. Where Temporal does not allow
 * that, as Temporal Cloud does not, it says which an operator has to create: builds wait until they are there.
 */
export async function registerSearchAttributes(
  { operatorService }: { operatorService: SearchAttributeService },
  namespace: string,
  logger: Logger,
): Promise<void> {
  let missing = Object.entries(SEARCH_ATTRIBUTES);
  try {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    missing = missing.filter(([name]) => !(name in customAttributes));
    if (missing.length === 0) return;
    await operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(
        missing.map(([name, type]) => [name, INDEXED_VALUE_TYPES[type]]),
      ),
    });
  } catch (error) {
    if (!REFUSALS.includes((error as { code?: unknown }).code)) throw error;
    logger.warn(
      { namespace, searchAttributes: Object.fromEntries(missing), reason: String(error) },
      'Temporal does not let Airline register search attributes: create those that the namespace lacks',
    );
  }
}
