import { setTimeout as delay } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import { backoffMs } from '../../timing/backoff.ts';
import type { TemporalTarget } from './temporal-target.ts';

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
