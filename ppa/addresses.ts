import { ppaReference, type Ppa } from '../domain/ppa.ts';

/** The address of a series in the web service. */
export function seriesUrl(root: URL, distribution: string, series: string): URL {
  return new URL(`${distribution}/${series}`, root);
}

/** The address of a PPA in the web service. */
export function archiveUrl(root: URL, ppa: Ppa): URL {
  const [owner, distribution, name] = ppaReference(ppa).split('/');
  return new URL(`${owner}/+archive/${distribution}/${name}`, root);
}
