import { DefaultLogger, type LogEntry } from '@temporalio/worker';
import type { Logger } from 'pino';

const LEVELS = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const;

/** A logger for Temporal's runtime that writes into ours, workflow and activity ids included. */
export function temporalLogger(logger: Logger): DefaultLogger {
  return new DefaultLogger('TRACE', ({ level, message, meta }: LogEntry) => {
    const { error, ...rest } = meta ?? {};
    logger[LEVELS[level]]({ ...rest, ...(error ? { err: error } : {}) }, message);
  });
}
