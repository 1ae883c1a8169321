import { DefaultLogger, type LogEntry } from '@temporalio/worker';
import type { Logger } from 'pino';

const LEVELS = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const;

/** The SDK warns of it. Ours has such workers by design: testers, and those of transfers and logs. */
const ACTIVITIES_ALONE = 'No workflows registered, not polling for workflow tasks';

/** A logger for Temporal's runtime that writes into ours, workflow and activity ids included. */
export function temporalLogger(logger: Logger): DefaultLogger {
  return new DefaultLogger('TRACE', ({ level, message, meta }: LogEntry) => {
    const { error, ...rest } = meta ?? {};
    const ours = message === ACTIVITIES_ALONE ? 'debug' : LEVELS[level];
    logger[ours]({ ...rest, ...(error ? { err: error } : {}) }, message);
  });
}
