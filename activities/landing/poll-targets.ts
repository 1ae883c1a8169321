import type { PackageVersion } from '../../domain/packages/source-file.ts';
import { PpaAnswerError, PpaUnavailableError } from '../../ppa/web-service.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { pollTarget } from './poll-target.ts';
import type { Copy } from './target-place.ts';

/** How a package that was copied stands in the target. */
export type PolledCopy = {
  source: string;
  isPublished: boolean;
  /** The queue in which the copy waits for a person, or was rejected by one. */
  held?: string;
  /** Why the target did not say it of this package. */
  fault?: string;
};

/**
 * Asks of several packages whether the target has published them, as pollTarget does. One of which it does not say it
 * keeps nobody from knowing of the others: Launchpad may take too long for one alone.
 *
 * @param seenUploads by source, as pollTarget takes it
 * @throws PpaUnavailableError or PpaAnswerError where the target says it of none
 */
export function pollTargets({ ppaClient }: Pick<ActivityDependencies, 'ppaClient'>) {
  const poll = pollTarget({ ppaClient });
  return async ({
    packages,
    seenUploads,
    ...copy
  }: Copy & {
    packages: readonly PackageVersion[];
    seenUploads: Readonly<Record<string, string>>;
  }): Promise<PolledCopy[]> => {
    const polled: PolledCopy[] = [];
    const errors: Error[] = [];
    for (const one of packages)
      try {
        const answer = await poll({ ...copy, ...one, seenUpload: seenUploads[one.source] });
        polled.push({ source: one.source, ...answer });
      } catch (error) {
        if (!(error instanceof PpaAnswerError || error instanceof PpaUnavailableError)) throw error;
        errors.push(error);
        polled.push({ source: one.source, isPublished: false, fault: error.message });
      }
    // What is tried again may help the others, too.
    const telling = errors.find((error) => error instanceof PpaUnavailableError) ?? errors[0];
    if (telling && errors.length === packages.length) throw telling;
    return polled;
  };
}
