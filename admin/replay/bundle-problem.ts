import { existsSync, readFileSync } from 'node:fs';
import { isMadeOf, sourcesMark } from '../../scripts/sources-mark.ts';

/**
 * Why a workflow bundle is not what the sources would make now; undefined where it is.
 *
 * @param projectDir where the sources are
 */
export function bundleProblem(bundle: string, projectDir: string): string | undefined {
  if (!existsSync(bundle)) return `There is no workflow bundle at ${bundle}.`;
  return isMadeOf(readFileSync(bundle, 'utf8'), sourcesMark(projectDir))
    ? undefined
    : `The workflow bundle ${bundle} is not made of the workflows/ and domain/ that are here.`;
}
