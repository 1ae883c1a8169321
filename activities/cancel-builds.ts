import { Context } from '@temporalio/activity';
import { isAtRest, type BuildRecord, type KeptBuild } from '../domain/builds/build-state.ts';
import { PpaAnswerError } from '../ppa/web-service.ts';
import type { ActivityDependencies } from './dependencies.ts';
import type { watchedByOthers } from './ppa/watched-by-others.ts';

/**
 * Asks the PPA to cancel every build that can be cancelled, but for those that another request waits for. Each record
 * that is not at rest is read again first: what can be cancelled changes by itself, and Launchpad answers 200 to a
 * cancel that it ignores. A build that fails to be asked for keeps no other one running. Once Temporal has given it up
 * it asks no more: a retry may want these builds by then.
 *
 * @param deps.watchedByOthers as the function of this name gives it
 * @returns how many builds it asked for, what the PPA said where it refused, and which were left to another request
 * @throws PpaUnavailableError where a later try may reach builds that this one did not; CancelledFailure where it was
 * given up
 */
export function cancelBuilds({
  ppaClient,
  watchedByOthers: findOthers,
  logger,
}: Pick<ActivityDependencies, 'ppaClient' | 'logger'> & {
  watchedByOthers: ReturnType<typeof watchedByOthers>;
}) {
  return async (input: {
    /** Inputs of older workflows lack it. */
    buildId?: number;
    records: BuildRecord[];
  }): Promise<{ asked: number; refused: string[]; kept?: KeptBuild[] }> => {
    const { buildId } = input;
    const { cancellationSignal } = Context.current();
    const others = buildId === undefined ? undefined : await findOthers(buildId, input.records);
    const kept: KeptBuild[] = [];
    let asked = 0;
    const refused: string[] = [];
    let fault: unknown;
    for (const record of input.records) {
      const { selfLink } = record;
      const keptFor = others?.get(selfLink);
      if (keptFor !== undefined) {
        kept.push({ selfLink, keptFor });
        continue;
      }
      if (isAtRest(record)) continue;
      // What is given up reads nothing more: each call takes a turn of all workers.
      cancellationSignal.throwIfAborted();
      try {
        const build = await ppaClient.getBuild(selfLink);
        if (!build.can_be_cancelled) continue;
        await ppaClient.cancel(selfLink, cancellationSignal);
        logger.info({ build: selfLink }, 'asked the PPA to cancel a build');
        asked += 1;
      } catch (error) {
        cancellationSignal.throwIfAborted();
        if (error instanceof PpaAnswerError) refused.push(error.message);
        else fault = error;
        logger.warn(
          { build: selfLink, err: error },
          'the PPA could not be asked to cancel a build',
        );
      }
    }
    if (fault !== undefined) throw fault;
    return { asked, refused, ...(kept.length > 0 ? { kept } : {}) };
  };
}
