import {
  archiveReference,
  INVALID_ARCHIVE,
  isPpa,
  readArchive,
} from '../../domain/packages/archive.ts';
import { ANY_DISTRIBUTION } from '../../domain/packages/ppa.ts';
import { usageError } from '../command-error.ts';

/**
 * The filters of a list of landings that give those to a target, which the API has as Launchpad's archive reference.
 *
 * @param text a PPA in any of its forms, of any distribution where it names none; or the name of a distribution
 * @throws CommandError `usage` where it is neither
 */
export function targetFilter(text: string): Readonly<Record<string, string>> {
  const target = readArchive(text, ANY_DISTRIBUTION);
  if (!target) throw usageError(`${JSON.stringify(text)} is not a target.`, INVALID_ARCHIVE);
  if (isPpa(target) && target.distribution === ANY_DISTRIBUTION)
    return { target__startswith: `~${target.owner}/`, target__endswith: `/${target.name}` };
  return { target: archiveReference(target) };
}
