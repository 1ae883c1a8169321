import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Runtime, makeTelemetryFilterString, type RuntimeOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import { temporalLogger } from './temporal-logger.ts';

type Metrics = NonNullable<RuntimeOptions['telemetryOptions']>['metrics'];

const SCRAPE_WITHIN_MS = 2_000;
const MAX_PORT_TRIES = 5;

/** The status shows slots that are no older (dispatch/describe-workers.ts). */
const REPORTS_EVERY_MS = 10_000;

/** Sets up what all workers of a process share; once, before the first of them. */
export function installRuntime(logger: Logger, metrics?: Metrics): void {
  Runtime.install({
    logger: temporalLogger(logger),
    // Signals are ours: the stop has an order.
    shutdownSignals: [],
    workerHeartbeatInterval: REPORTS_EVERY_MS,
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
      ...(metrics ? { metrics } : {}),
    },
  });
}

/**
 * The same, with the SDK's figures. The SDK serves them on a port of its own and does not say which it got: it is given
 * a free one of loopback, and another where that is taken meanwhile.
 *
 * @returns reads the figures, in the text format of Prometheus and in its units
 */
export async function installMeasuredRuntime(logger: Logger): Promise<() => Promise<string>> {
  for (let tries = 1; ; tries += 1) {
    const bindAddress = `127.0.0.1:${await freePort()}`;
    try {
      installRuntime(logger, {
        prometheus: {
          bindAddress,
          countersTotalSuffix: true,
          unitSuffix: true,
          useSecondsForDurations: true,
        },
      });
    } catch (error) {
      if (tries >= MAX_PORT_TRIES) throw error;
      continue;
    }
    return async () => {
      const signal = AbortSignal.timeout(SCRAPE_WITHIN_MS);
      return (await fetch(`http://${bindAddress}/metrics`, { signal })).text();
    };
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
