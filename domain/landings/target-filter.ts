import { archiveReference, isPpa, type Archive } from '../packages/archive.ts';
import { ANY_DISTRIBUTION } from '../packages/ppa.ts';

/**
 * The filters of a list of landings that give those to a target, which the API has as Launchpad's archive reference.
 *
 * @param target a PPA of `ANY_DISTRIBUTION` stands for those of all
 */
export function targetFilter(target: Archive): Readonly<Record<string, string>> {
  if (isPpa(target) && target.distribution === ANY_DISTRIBUTION)
    return { target__startswith: `~${target.owner}/`, target__endswith: `/${target.name}` };
  return { target: archiveReference(target) };
}
