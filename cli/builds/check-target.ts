import { DEFAULT_DISTRIBUTION, distributionProblem } from '../../domain/packages/ppa.ts';
import { usageError } from '../command-error.ts';
import { assertSeries } from './assert-series.ts';
import { givenPpa } from './given-ppa.ts';

/** Where source packages are to be built, as it was given. */
export type GivenTarget = {
  ppa?: string | undefined;
  series: string;
  /** Undefined: that of the PPA, or else Ubuntu. */
  archive?: string | undefined;
  anySeries?: boolean | undefined;
  /** The id of a ticket that there is already: where neither PPA nor distribution is given, its own PPA decides. */
  ticket?: number | undefined;
};

/**
 * Holds the PPA, the distribution and the series of a request against each other.
 *
 * @returns the distribution that is meant; undefined where neither names one, which leaves it to the API
 * @throws CommandError `usage`
 */
export async function checkTarget({
  ppa: text,
  series,
  archive: given,
  anySeries = false,
  ticket,
}: GivenTarget): Promise<{ archive: string | undefined }> {
  const ppa = text === undefined ? undefined : givenPpa(text, given);
  const problem = ppa && distributionProblem(ppa, given);
  if (ppa && problem !== undefined)
    throw usageError(
      problem,
      `Leave --archive out, or give --archive ${ppa.distribution} and one of its series.`,
    );
  const archive = given ?? ppa?.distribution;
  const fallback = ticket === undefined ? DEFAULT_DISTRIBUTION : undefined;
  if (!anySeries) await assertSeries(series, archive ?? fallback);
  return { archive };
}
