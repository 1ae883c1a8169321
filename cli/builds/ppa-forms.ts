import { givenPpa } from './given-ppa.ts';

const DISTRIBUTIONS = ['ubuntu', 'debian'];
/** Where the text names no distribution. */
const ANY = '*';

/**
 * What lists builds in a PPA, however the requests wrote it.
 *
 * @returns the texts that name it, and its distribution where the given text names one
 * @throws CommandError `usage`
 */
export function ppaForms(given: string): { texts: string[]; archive: string | undefined } {
  const { owner, name, distribution } = givenPpa(given, ANY);
  const isAny = distribution === ANY;
  const page = `https://launchpad.net/~${owner}/+archive`;
  const texts = (isAny ? DISTRIBUTIONS : [distribution]).flatMap((one) => [
    `~${owner}/${one}/${name}`,
    `ppa:${owner}/${one}/${name}`,
    `${page}/${one}/${name}`,
  ]);
  return {
    texts: [
      ...new Set([given, `${owner}/${name}`, `ppa:${owner}/${name}`, `${page}/${name}`, ...texts]),
    ],
    archive: isAny ? undefined : distribution,
  };
}
