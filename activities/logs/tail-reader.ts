import type { Logger } from 'pino';
import type { Sequelize } from 'sequelize';
import { takeSpareTurn } from '../../models/builds/call-budget.ts';
import { endReading, takeOnTails, type TailReading } from '../../models/builds/log-tail.ts';
import { readLogTail, type ShownTail } from '../../ppa/log-tail.ts';
import { startPollingLoop, type PollingLoop } from '../../timing/polling-loop.ts';
import { safeLines } from './safe-text.ts';

/** Pages that are read at once. */
const AT_ONCE = 4;
const MAX_POLL_MS = 1_000;
/** Nobody waits for longer than this for a few lines. */
const MAX_PAGE_MS = 10_000;
/** A page that is not for everybody, or does not come, may be there later. */
const ERROR_BACKOFF_MS = 30_000;

/**
 * Reads the ends of logs that somebody looks at while they are being written. It is no workflow's work: nothing is lost
 * where a worker ends, and another goes on. Each worker does so, and they share the work. The calls are those that
 * watching builds leaves over.
 *
 * @param options.intervalMs time between two readings of one log
 * @param options.timeoutMs longest time for one page
 * @param options.callsPerSecond the budget that all workers share
 */
export function startTailReader({
  sequelize,
  intervalMs,
  timeoutMs,
  callsPerSecond,
  logger,
}: {
  sequelize: Sequelize;
  intervalMs: number;
  timeoutMs: number;
  callsPerSecond: number;
  logger: Logger;
}): Pick<PollingLoop, 'stop'> {
  const pageMs = Math.min(timeoutMs, MAX_PAGE_MS);

  /** @returns whether there may be more to read now */
  async function readDue(signal: AbortSignal): Promise<boolean> {
    const due = await takeOnTails(sequelize, AT_ONCE, pageMs + intervalMs);
    const wereRead = await Promise.all(due.map((reading) => readOne(reading, signal)));
    return wereRead.includes(true);
  }

  async function readOne(reading: TailReading, signal: AbortSignal): Promise<boolean> {
    const isSpare = await takeSpareTurn(sequelize, callsPerSecond);
    const found = isSpare ? await readPage(reading, signal) : undefined;
    const isAway = found && 'problem' in found && found.problem !== 'not_shown';
    const againMs = isAway ? Math.max(intervalMs, ERROR_BACKOFF_MS) : intervalMs;
    await endReading(sequelize, reading, found, againMs);
    return isSpare;
  }

  async function readPage({ pageUrl }: TailReading, signal: AbortSignal): Promise<ShownTail> {
    const found = await readLogTail(pageUrl, { timeoutMs: pageMs, signal });
    if ('shown' in found) return { shown: safeLines(found.shown) };
    logger.debug({ pageUrl, problem: found.problem }, 'the end of a log could not be read');
    return found;
  }

  return startPollingLoop({
    intervalMs: Math.min(intervalMs, MAX_POLL_MS),
    maxBackoffMs: ERROR_BACKOFF_MS,
    async poll(signal) {
      while (!signal.aborted && (await readDue(signal)));
    },
    onError: (error, { waitMs }) =>
      logger.warn({ err: error, waitMs }, 'the ends of logs could not be read'),
  });
}
