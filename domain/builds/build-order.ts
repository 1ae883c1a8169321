import { compareVersions } from '../packages/debian-version.ts';
import { AirlineError } from '../errors.ts';
import {
  holdsWithoutProfiles,
  isForArchitecture,
  MAX_VERSION_LENGTH,
  parseRelations,
  PPA_ARCHITECTURES,
  satisfies,
  type Relation,
} from '../packages/package-relation.ts';
import type { PlaceInOrder } from '../packages/source-file.ts';
import { BUILD_DEPENDS_FIELDS, type SourceControl } from '../packages/source-package.ts';

/** How the source packages of a request can be ordered: each after those whose binaries it build-depends on. */
export const BUILD_ORDERS = ['dependencies'] as const;

export type BuildOrder = (typeof BUILD_ORDERS)[number];

/** A binary package that one of the source packages makes, and the architectures that it is made for. */
type Offer = { maker: number; version: string; architectures: ReadonlySet<string> };

/** What a source package needs of others of its request: for each of these, a binary package by which it does. */
type Needs = Map<number, string>;

const MAX_SHOWN_NAMES = 20;
const MAX_SHOWN_LENGTH = 100;

/**
 * Orders the source packages of a request by what they build-depend on of each other, as far as their `.dsc` files
 * tell:
 *
 * - a dependency counts for the architectures that the package is built for, and only where no build profile switches
 *   it off: a PPA sets none;
 * - of alternatives, the first that is for the architecture counts, because builders take no other;
 * - a binary package has the version of its source; one of another version than a dependency asks for does not satisfy
 *   it;
 * - of a binary package that several of the source packages make, the highest version counts, as for apt;
 * - what a package needs of itself comes from the archive. Virtual packages are not known: no `.dsc` tells them.
 *
 * @returns a place for each of the source packages, in the order given
 * @throws AirlineError `dependency_cycle`, which names the cycle; `malformed_control_file`
 */
export function orderByDependencies(sources: readonly SourceControl[]): PlaceInOrder[] {
  const tooLong = sources.find(({ version }) => version.length > MAX_VERSION_LENGTH);
  if (tooLong)
    throw new AirlineError(
      'malformed_control_file',
      `The .dsc of ${tooLong.source}: its version has more than ${MAX_VERSION_LENGTH} characters`,
    );
  const offers = offersOf(sources);
  const needs = sources.map((source, index) => needsOf(source, index, offers));
  const levels = levelsOf(needs);
  return needs.map((needed, index) => {
    const level = levels[index];
    if (level === undefined) throw cycleError(sources, needs, levels);
    return { level, after: [...needed.keys()].toSorted((one, other) => one - other) };
  });
}

/** Every binary package that is made where no build profile is set, by its name. */
function offersOf(sources: readonly SourceControl[]): Map<string, Offer> {
  const offers = new Map<string, Offer>();
  // Many packages may share one long list: it is read once.
  const madeFor = new Map<readonly string[], ReadonlySet<string>>();
  for (const [maker, { version, binaries }] of sources.entries())
    for (const { name, architectures, profiles } of binaries) {
      const other = offers.get(name);
      if (other?.maker === maker || !holdsWithoutProfiles(profiles)) continue;
      if (other && compareVersions(other.version, version) >= 0) continue;
      const those =
        madeFor.get(architectures) ??
        new Set(PPA_ARCHITECTURES.filter((one) => isBuiltFor(architectures, one)));
      madeFor.set(architectures, those);
      offers.set(name, { maker, version, architectures: those });
    }
  return offers;
}

function isBuiltFor(architectures: readonly string[], one: string): boolean {
  return architectures.includes('all') || isForArchitecture(architectures, one);
}

function needsOf(source: SourceControl, index: number, offers: ReadonlyMap<string, Offer>): Needs {
  const needs: Needs = new Map();
  const builtFor = PPA_ARCHITECTURES.filter((one) => isBuiltFor(source.architectures, one));
  for (const alternatives of relationsOf(source)) {
    let left: readonly string[] = builtFor;
    for (const relation of alternatives) {
      if (left.length === 0) break;
      if (!holdsWithoutProfiles(relation.profiles)) continue;
      const covered = left.filter((one) => isForArchitecture(relation.architectures, one));
      const offer = offers.get(relation.name);
      if (
        offer &&
        offer.maker !== index &&
        covered.some((one) => offer.architectures.has(one)) &&
        satisfies(offer.version, relation)
      )
        needs.set(offer.maker, relation.name);
      left = left.filter((one) => !covered.includes(one));
    }
  }
  return needs;
}

/** All that has to be installed where a PPA builds it: for `all` on one architecture, for others on each. */
function relationsOf({ source, architectures, buildDepends }: SourceControl): Relation[][] {
  const isNeeded = {
    'Build-Depends': true,
    'Build-Depends-Arch': architectures.some((one) => one !== 'all'),
    'Build-Depends-Indep': architectures.includes('all'),
  };
  return BUILD_DEPENDS_FIELDS.filter((title) => isNeeded[title]).flatMap((title) => {
    const relations = parseRelations(buildDepends[title]);
    if (relations) return relations;
    throw new AirlineError(
      'malformed_control_file',
      `The .dsc of ${source}: ${title} is not a list of dependencies`,
    );
  });
}

/** The level of each; undefined for what is in a cycle, or after one. */
function levelsOf(needs: readonly Needs[]): (number | undefined)[] {
  const levels: (number | undefined)[] = needs.map(() => undefined);
  const neededBy: number[][] = needs.map(() => []);
  for (const [index, needed] of needs.entries())
    for (const other of needed.keys()) neededBy[other]?.push(index);
  const missing = needs.map(({ size }) => size);
  let ready = [...needs.keys()].filter((index) => missing[index] === 0);
  for (let level = 0; ready.length > 0; level++) {
    const next: number[] = [];
    for (const index of ready) {
      levels[index] = level;
      for (const later of neededBy[index] ?? []) {
        missing[later] = (missing[later] ?? 0) - 1;
        if (missing[later] === 0) next.push(later);
      }
    }
    ready = next;
  }
  return levels;
}

/** Each that has no level needs another that has none: whoever follows these comes round. */
function cycleError(
  sources: readonly SourceControl[],
  needs: readonly Needs[],
  levels: readonly (number | undefined)[],
): AirlineError {
  const way: number[] = [];
  let at = levels.indexOf(undefined);
  while (!way.includes(at)) {
    way.push(at);
    at = [...(needs[at]?.keys() ?? [])].find((other) => levels[other] === undefined) ?? at;
  }
  const cycle = way.slice(way.indexOf(at));
  const nameOf = (index: number | undefined) =>
    (sources[index ?? -1]?.source ?? '').slice(0, MAX_SHOWN_LENGTH);
  const links = cycle.map((index, place) => {
    const other = cycle[(place + 1) % cycle.length] ?? index;
    return `${nameOf(index)} needs ${needs[index]?.get(other)?.slice(0, MAX_SHOWN_LENGTH)} of ${nameOf(other)}`;
  });
  const shown =
    links.length > MAX_SHOWN_NAMES
      ? [
          ...links.slice(0, MAX_SHOWN_NAMES - 1),
          `${links.length - MAX_SHOWN_NAMES} more`,
          ...links.slice(-1),
        ]
      : links;
  return new AirlineError(
    'dependency_cycle',
    `The source packages build-depend on each other in a cycle: ${shown.join(', ')}`,
  );
}
