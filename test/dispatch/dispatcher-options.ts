import pino from 'pino';

const MINUTE_MS = 60_000;

/** A dispatcher that looks often, and gives nothing up while a test runs. */
export const DISPATCHER_OPTIONS = {
  logger: pino({ level: 'silent' }),
  intervalMs: 20,
  maxBackoffMs: 100,
  sweepIntervalMs: 50,
  startMs: MINUTE_MS,
  maxUntaken: 1_000,
  pool: { ppas: [], leaseKeepMs: MINUTE_MS },
  silenceMs: MINUTE_MS,
  unwatchedMs: MINUTE_MS,
  ppaWatch: false,
};
