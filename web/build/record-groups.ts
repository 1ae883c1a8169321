import { CANCELLED_BUILD } from '../../domain/builds/build-state.ts';
import type { ArchitectureBuild, Build } from '../server/api-types.ts';

/** In the order in which a reader wants to see them: what failed first, then what waits. */
const GROUPS = ['failed', 'blocked', 'waiting', 'building', 'cancelled', 'built'] as const;
export type Group = (typeof GROUPS)[number];

export const GROUP_WORDS: Readonly<Record<Group, string>> = {
  failed: 'Failed',
  blocked: 'Dependency wait',
  waiting: 'Waiting',
  building: 'Building',
  cancelled: 'Cancelled',
  built: 'Built',
};

/** To which group the build of a package on an architecture belongs. */
export function groupOf({ state, buildstate }: ArchitectureBuild): Group {
  if (buildstate === CANCELLED_BUILD) return 'cancelled';
  switch (state) {
    case 'failed':
      return 'failed';
    case 'dependency_wait':
      return 'blocked';
    case 'waiting':
      return 'waiting';
    case 'completed':
      return 'built';
    default:
      return 'building';
  }
}

/** How many are in each group; those that are empty are left out. */
export function countGroups(builds: Build['builds']): { group: Group; count: number }[] {
  const counts = new Map<Group, number>();
  for (const one of builds) counts.set(groupOf(one), (counts.get(groupOf(one)) ?? 0) + 1);
  return GROUPS.flatMap((group) => {
    const count = counts.get(group);
    return count === undefined ? [] : [{ group, count }];
  });
}

export type PackageRow = {
  package: string;
  version: string;
  /** By architecture. */
  cells: ReadonlyMap<string, ArchitectureBuild>;
  /** The first of the groups that one of its builds is in. */
  group: Group;
};

/** The packages of a build, those with failures first, then those that wait; within these by name. */
export function packageRows(builds: Build['builds']): PackageRow[] {
  const rows = new Map<string, ArchitectureBuild[]>();
  for (const one of builds) {
    const key = `${one.package} ${one.version}`;
    rows.set(key, [...(rows.get(key) ?? []), one]);
  }
  return [...rows.values()]
    .flatMap((ofPackage) => {
      const [first] = ofPackage;
      if (!first) return [];
      const groups = ofPackage.map(groupOf);
      return {
        package: first.package,
        version: first.version,
        cells: new Map(ofPackage.map((one) => [one.architecture, one])),
        group: GROUPS.find((group) => groups.includes(group)) ?? 'built',
      };
    })
    .toSorted(
      (one, other) =>
        GROUPS.indexOf(one.group) - GROUPS.indexOf(other.group) ||
        one.package.localeCompare(other.package),
    );
}

/** `3 of 350 failed`, or what else there is to say of them in a line. */
export function summaryOf(builds: Build['builds']): string {
  const all = builds.length;
  const of = (group: Group) => builds.filter((one) => groupOf(one) === group).length;
  for (const [group, word] of [
    ['failed', 'failed'],
    ['blocked', 'in dependency wait'],
    ['cancelled', 'cancelled'],
    ['waiting', 'waiting'],
  ] as const)
    if (of(group) > 0) return `${of(group)} of ${all} ${word}`;
  return `${of('built')} of ${all} built`;
}
