type Parts = { epoch: number; upstream: string; revision: string };

/**
 * Compares two Debian versions as dpkg does (Debian Policy 5.6.12).
 *
 * @returns a negative number where `a` is the older one, 0 where neither is, a positive number where `a` is the newer
 * one
 */
export function compareVersions(a: string, b: string): number {
  const left = partsOf(a);
  const right = partsOf(b);
  return (
    left.epoch - right.epoch ||
    compareText(left.upstream, right.upstream) ||
    compareText(left.revision, right.revision)
  );
}

/** The upstream version of a source's version: what its `.orig` tarball is named after. */
export function upstreamVersion(version: string): string {
  return partsOf(version).upstream;
}

function partsOf(version: string): Parts {
  const colon = version.indexOf(':');
  const rest = version.slice(colon + 1);
  const hyphen = rest.lastIndexOf('-');
  return {
    epoch: colon < 0 ? 0 : Number(version.slice(0, colon)),
    upstream: hyphen < 0 ? rest : rest.slice(0, hyphen),
    // Without a revision is the same as with the revision 0.
    revision: hyphen < 0 ? '' : rest.slice(hyphen + 1),
  };
}

/** Text and numbers in turn: text by the order of its characters, numbers by their value. */
function compareText(a: string, b: string): number {
  const left: string[] = a.match(/\D+|\d+/g) ?? [];
  const right: string[] = b.match(/\D+|\d+/g) ?? [];
  // Text comes first, if only the empty one.
  if (/^\d/.test(a)) left.unshift('');
  if (/^\d/.test(b)) right.unshift('');
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [one = '', other = ''] = [left[at], right[at]];
    const difference = at % 2 === 0 ? compareLetters(one, other) : compareNumbers(one, other);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareLetters(a: string, b: string): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = weightOf(a[at]) - weightOf(b[at]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** `~` sorts before the end of the text, letters before all other characters. */
function weightOf(character: string | undefined): number {
  if (character === undefined) return 0;
  if (character === '~') return -1;
  const code = character.charCodeAt(0);
  return /[A-Za-z]/.test(character) ? code : code + 256;
}

/** They may have more digits than a number keeps. */
function compareNumbers(a: string, b: string): number {
  const difference = BigInt(a) - BigInt(b);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}
