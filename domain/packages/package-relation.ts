import { compareVersions } from './debian-version.ts';

/** One alternative of a build dependency, such as `libfoo-dev:any (>= 2) [amd64] <!nocheck>` (Debian Policy 7.1). */
export type Relation = {
  name: string;
  /** What the version has to be; undefined where any does. */
  version: { operator: string; than: string } | undefined;
  /** Architectures or wildcards, `!` before those that it is not for; empty: for all. */
  architectures: string[];
  /** Build profiles, as lists of which one has to hold as a whole; empty: for all. */
  profiles: string[][];
};

/** The architectures that PPAs build for, each with its processor as wildcards name it. */
const CPU_OF: Readonly<Record<string, string>> = {
  amd64: 'amd64',
  arm64: 'arm64',
  armhf: 'arm',
  i386: 'i386',
  ppc64el: 'ppc64el',
  riscv64: 'riscv64',
  s390x: 's390x',
};

/** The architectures that PPAs build for. */
export const PPA_ARCHITECTURES: readonly string[] = Object.keys(CPU_OF);

/** A package with a longer version has no file: they are named with it. */
export const MAX_VERSION_LENGTH = 255;

// Every run of white space is one space by then, so that no part can be read in two ways.
const RELATION =
  /^([A-Za-z0-9][A-Za-z0-9+.-]*)(?::[A-Za-z0-9-]+)? ?(?:\( ?(<<|<=|=|>=|>>|<|>) ?([^ ()]+) ?\))? ?(?:\[([^[\]]*)\])? ?((?:<[^<>]*> ?)*)$/;

/**
 * Reads a field such as Build-Depends: the dependencies, each with its alternatives. It takes time in proportion to the
 * text, which comes from strangers. What qualifies an architecture (`:any`) changes no order and is left out.
 *
 * @returns undefined where it is not of this form
 */
export function parseRelations(text: string): Relation[][] | undefined {
  const all: Relation[][] = [];
  for (const group of text.replaceAll(/\s+/g, ' ').split(',')) {
    if (group.trim() === '') continue;
    const alternatives = group.split('|').map(parseRelation);
    if (!alternatives.every((one) => one !== undefined)) return undefined;
    all.push(alternatives);
  }
  return all;
}

function parseRelation(text: string): Relation | undefined {
  const match = RELATION.exec(text.trim());
  if (!match) return undefined;
  const [, name = '', operator, than = '', architectures = '', profiles = ''] = match;
  if (than.length > MAX_VERSION_LENGTH) return undefined;
  return {
    name,
    version: operator === undefined ? undefined : { operator, than },
    architectures: words(architectures),
    profiles: [...profiles.matchAll(/<([^<>]*)>/g)].map(([, list = '']) => words(list)),
  };
}

function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

/**
 * Whether a formula of build profiles holds where none is set, as in a PPA: `<!nocheck>` does, `<nocheck>` does not.
 */
export function holdsWithoutProfiles(profiles: readonly (readonly string[])[]): boolean {
  return profiles.length === 0 || profiles.some((list) => list.every((one) => one.startsWith('!')));
}

/**
 * Whether a list of architectures, as a relation or a package has it, is for one of PPA_ARCHITECTURES; `all` is not.
 */
export function isForArchitecture(list: readonly string[], architecture: string): boolean {
  if (list.length === 0) return true;
  const excluded = list.filter((one) => one.startsWith('!'));
  if (list.some((one) => !one.startsWith('!') && isNamedBy(one, architecture))) return true;
  return excluded.length > 0 && !excluded.some((one) => isNamedBy(one.slice(1), architecture));
}

/** Whether a wildcard, such as `linux-any` or `any-arm`, or a name means an architecture (Debian Policy 11.1). */
function isNamedBy(wildcard: string, architecture: string): boolean {
  if (wildcard === architecture || wildcard === 'any') return true;
  const parts = wildcard.split('-');
  if (parts.length < 2 || parts.length > 4) return false;
  const [cpu, os, libc = 'any', abi = 'any'] = parts.toReversed();
  return (
    [CPU_OF[architecture], 'any'].includes(cpu) &&
    (os === 'linux' || os === 'any') &&
    (libc === 'gnu' || libc === 'any') &&
    [architecture === 'armhf' ? 'eabihf' : 'base', 'any'].includes(abi)
  );
}

/** Whether a version is one that a relation asks for. `<` and `>` mean what they once did: or equal. */
export function satisfies(version: string, { version: wanted }: Relation): boolean {
  if (!wanted) return true;
  const difference = compareVersions(version, wanted.than);
  switch (wanted.operator) {
    case '<<':
      return difference < 0;
    case '=':
      return difference === 0;
    case '>>':
      return difference > 0;
    case '<':
    case '<=':
      return difference <= 0;
    default:
      return difference >= 0;
  }
}
