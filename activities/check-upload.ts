import { AirlineError } from '../domain/errors.ts';
import { shownPackage } from '../domain/packages/source-file.ts';
import type { UploadCheck, UploadProblem } from '../domain/builds/upload-check.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { acceptanceAssertion, assertTargetExists } from './sources/assert-accepted-by-ppa.ts';
import { createTargetCache } from './sources/target-cache.ts';

type Dependencies = Pick<ActivityDependencies, 'ppaClient' | 'signing' | 'logger'>;

/**
 * Asks the PPA all that is asked before an upload, of what is not even stored yet.
 *
 * @returns why the PPA would not take it: the first reason for each package; none where it would
 * @throws as the PPA client, where the PPA does not answer
 */
export function checkUpload(deps: Dependencies) {
  const asked = { ...deps, targetCache: createTargetCache() };
  return async ({ packages, ...target }: UploadCheck): Promise<UploadProblem[]> => {
    const missing = await problemOf(null, () => assertTargetExists(asked, target));
    if (missing) return [missing];
    const assertAccepted = acceptanceAssertion(asked, target);
    const problems: UploadProblem[] = [];
    for (const each of packages) {
      const problem = await problemOf(each.source, async () => {
        if (!each.isSigned && !deps.signing)
          throw new AirlineError('not_signed', `${shownPackage(each)} is not signed`);
        await assertAccepted(each);
      });
      if (problem) problems.push(problem);
    }
    return problems;
  };
}

async function problemOf(
  source: string | null,
  check: () => Promise<unknown>,
): Promise<UploadProblem | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (!(error instanceof AirlineError)) throw error;
    const { code, message, definition } = error;
    return { code, message, hint: definition.hint, source };
  }
}
