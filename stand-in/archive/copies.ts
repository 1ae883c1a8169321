import type { Logger } from 'pino';
import { CannotCopy } from './copy-checks.ts';
import { makeCopy, type CopyDependencies } from './make-copy.ts';
import type { Copy } from './records.ts';

/**
 * Makes the copies that were asked for, as Launchpad's job runner does: what was asked for is checked whole only now,
 * and may be held in the queue of the series before that.
 *
 * @param onCopied called after each copy, which may have builds
 */
export async function processCopies(
  dependencies: CopyDependencies & { logger: Logger; onCopied: () => void },
): Promise<void> {
  const { state, script, logger, onCopied } = dependencies;
  for (const copy of state.openCopies()) {
    const { id, archive, source, version, createdAt, queueStatus } = copy;
    const about = { copy: id, archive, source, version };
    const mood = script?.copy(source);
    const change = (fields: Partial<Copy>) =>
      state.transact(({ put }) => put('copy', { ...copy, ...fields }));
    if (Date.now() < Date.parse(createdAt) + (mood?.afterMs ?? 0)) continue;
    if (mood?.held !== undefined && !mood.released) {
      if (mood.rejected) change({ isDone: true, queueStatus: 'Rejected' });
      else if (queueStatus === null) change({ queueStatus: mood.held });
      continue;
    }
    try {
      await makeCopy(copy, dependencies);
      logger.info(about, 'copied');
      onCopied();
    } catch (error) {
      // No caller of the web service hears of it: Launchpad sends a mail, or shows it on a PPA's page.
      if (error instanceof CannotCopy)
        logger.warn({ ...about, why: error.message }, 'copy failed silently');
      else logger.error({ err: error, ...about }, 'copying failed');
      change({ isDone: true, queueStatus: queueStatus && 'Rejected' });
    }
  }
}
