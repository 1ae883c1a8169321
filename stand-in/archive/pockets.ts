import { isPpa, suiteOf, type Archive, type Pocket } from '../../domain/packages/archive.ts';
import type { ScriptFile } from '../script/script.ts';

/** One pocket of one series of an archive. */
type Place = { archive: Archive; series: string; pocket: Pocket };

/** Whether anything may still change in a suite (Launchpad's `canModifySuite`). */
export function canModifySuite(
  { archive, series, pocket }: Place,
  script: ScriptFile | undefined,
): boolean {
  const closed = isPpa(archive) ? [] : (script?.archives()[archive.distribution]?.closed ?? []);
  return !closed.includes(suiteOf(series, pocket));
}

/** Why nothing may be put into a pocket, in Launchpad's words (`checkUploadToPocket`); undefined where it may. */
export function pocketRefusal(place: Place, script: ScriptFile | undefined): string | undefined {
  const { archive, series, pocket } = place;
  if (isPpa(archive))
    return pocket === 'Release' ? undefined : 'PPA uploads must be for the RELEASE pocket.';
  if (pocket === 'Release' && script?.archives()[archive.distribution]?.redirectsRelease)
    return `Not permitted to upload directly to ${series}; try ${suiteOf(series, 'Proposed')} instead.`;
  if (!canModifySuite(place, script))
    return `Not permitted to upload to the ${pocket.toUpperCase()} pocket in a series in the 'CURRENT' state.`;
  return undefined;
}
