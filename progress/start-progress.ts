import type { Logger } from 'pino';
import type { Database } from '../models/database.ts';
import { startProgressPublisher } from './publish-progress.ts';
import { startProgressRepeater } from './repeat-progress.ts';
import { startWebhookSender } from './send-webhooks.ts';

type Settings<Start extends (options: never) => unknown> = Omit<
  Parameters<Start>[0],
  'database' | 'logger' | 'onRepeated'
>;

/** All that tells of progress in a process. */
export type Progress = {
  /** Looks for what is to be told now instead of after the interval. */
  wake(): void;
  /** Tells what waits, in limited time, and stops. */
  stop(): Promise<void>;
};

/**
 * Tells of progress: by messages on the callers' queues, by webhooks, and again at the regular interval. Each api and
 * worker process does so, and they share the work.
 */
export function startProgress({
  database,
  publisher: publisherSettings,
  webhooks,
  repeater: repeaterSettings,
  logger,
}: {
  database: Database;
  publisher: Settings<typeof startProgressPublisher>;
  webhooks: Settings<typeof startWebhookSender>;
  repeater: Settings<typeof startProgressRepeater>;
  logger: Logger;
}): Progress {
  const publisher = startProgressPublisher({ database, ...publisherSettings, logger });
  const sender = startWebhookSender({ database, ...webhooks, logger });
  const wake = () => {
    publisher.wake();
    sender.wake();
  };
  const repeater = startProgressRepeater({
    database,
    ...repeaterSettings,
    onRepeated: wake,
    logger,
  });
  return {
    wake,
    async stop() {
      await repeater.stop();
      await Promise.all([publisher.stop(), sender.stop()]);
    },
  };
}
