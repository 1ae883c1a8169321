import { INVALID_PPA, readPpa } from '../../domain/packages/ppa.ts';
import { usageError } from '../command-error.ts';
import { assertSeries } from './assert-series.ts';

const DEFAULT_ARCHIVE = 'ubuntu';

/** Where source packages are to be built, as it was given. */
export type GivenTarget = {
  ppa?: string | undefined;
  series: string;
  /** Undefined: that of the PPA, or else Ubuntu. */
  archive?: string | undefined;
  anySeries?: boolean | undefined;
};

/**
 * Holds the PPA, the distribution and the series of a request against each other.
 *
 * @returns the distribution that is meant
 * @throws CommandError `usage`
 */
export async function checkTarget({
  ppa: text,
  series,
  archive: given,
  anySeries = false,
}: GivenTarget): Promise<{ archive: string }> {
  const ppa = text === undefined ? undefined : readPpa(text, given ?? DEFAULT_ARCHIVE);
  if (text !== undefined && !ppa)
    throw usageError(`${JSON.stringify(text)} is not a PPA.`, INVALID_PPA);
  const archive = given ?? ppa?.distribution ?? DEFAULT_ARCHIVE;
  if (ppa && ppa.distribution !== archive)
    throw usageError(
      `${text ?? ''} is a PPA of ${ppa.distribution}, not of ${archive}.`,
      `Leave --archive out, or give --archive ${ppa.distribution} and one of its series.`,
    );
  if (!anySeries) await assertSeries(series, archive);
  return { archive };
}
