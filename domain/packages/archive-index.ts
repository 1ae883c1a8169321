import { sourceOfBinary } from './binary-stanza.ts';
import type { Stanza } from './control-stanza.ts';
import { compareVersions } from './debian-version.ts';

/** A source package of the archive that has tests. */
export type TestedSource = {
  name: string;
  version: string;
  /** Of all its files together. */
  bytes: number;
};

/**
 * What an archive says of tests, for one architecture. It is kept as JSON. `dependents` and `triggered` name the
 * sources by their places in `sources`.
 */
export type ArchiveIndex = {
  sources: TestedSource[];
  /** By a binary package, or a name that others provide: the tested sources with a binary that depends on it. */
  dependents: Record<string, number[]>;
  /** By a binary package: the tested sources that name it in Testsuite-Triggers. */
  triggered: Record<string, number[]>;
  /** By a binary package: what it provides. */
  provides: Record<string, string[]>;
};

/** The fields of `Sources` and of `Packages` that the index is made of. */
export const SOURCE_FIELDS: ReadonlySet<string> = new Set([
  'package',
  'version',
  'testsuite',
  'testsuite-triggers',
  'files',
]);
export const BINARY_FIELDS: ReadonlySet<string> = new Set([
  'package',
  'source',
  'depends',
  'pre-depends',
  'provides',
]);

/** Whether a source package has tests by its field Testsuite: those of debian/tests, or of autodep8. */
export function hasTests(testsuite: string | undefined): boolean {
  return /\bautopkgtest/.test(testsuite ?? '');
}

/**
 * Makes the index of an archive. All of `Sources` comes first, since what depends on something matters of tested
 * sources alone. Where the archive has several versions of a source, the highest counts.
 */
export function createArchiveIndexer(): {
  addSource: (stanza: Stanza) => void;
  addBinary: (stanza: Stanza) => void;
  index: () => ArchiveIndex;
} {
  type Found = TestedSource & { isTested: boolean; triggers: string[] };
  const found = new Map<string, Found>();
  const dependents = new Map<string, number[]>();
  const provides = new Map<string, string[]>();
  let numbered: { places: Map<string, number>; sources: Found[] } | undefined;

  const number = () => {
    const sources = [...found.values()].filter(({ isTested }) => isTested);
    return { sources, places: new Map(sources.map(({ name }, place) => [name, place])) };
  };

  return {
    addSource(stanza) {
      const [name, version] = [stanza.get('package'), stanza.get('version')];
      if (name === undefined || version === undefined) return;
      const before = found.get(name);
      if (before && compareVersions(before.version, version) >= 0) return;
      found.set(name, {
        name,
        version,
        bytes: sizeOf(stanza.get('files')),
        isTested: hasTests(stanza.get('testsuite')),
        triggers: names(stanza.get('testsuite-triggers')),
      });
    },

    addBinary(stanza) {
      const name = stanza.get('package') ?? '';
      const provided = names(stanza.get('provides'));
      if (provided.length > 0)
        provides.set(name, [...new Set([...(provides.get(name) ?? []), ...provided])]);
      const { source } = sourceOfBinary(stanza);
      const place = (numbered ??= number()).places.get(source);
      if (place === undefined) return;
      for (const field of ['depends', 'pre-depends'])
        for (const wanted of names(stanza.get(field))) addPlace(dependents, wanted, place);
    },

    index() {
      const { sources } = (numbered ??= number());
      const triggered = new Map<string, number[]>();
      for (const [place, { triggers }] of sources.entries())
        for (const trigger of triggers) addPlace(triggered, trigger, place);
      return {
        sources: sources.map(({ name, version, bytes }) => ({ name, version, bytes })),
        dependents: Object.fromEntries(dependents),
        triggered: Object.fromEntries(triggered),
        provides: Object.fromEntries(provides),
      };
    },
  };
}

/** The names in a relation field, with those of all alternatives. */
function names(field: string | undefined): string[] {
  if (field === undefined) return [];
  return field.split(/[,|]/).flatMap((one) => /^\s*([a-z0-9][a-z0-9+.-]*)/i.exec(one)?.[1] ?? []);
}

/** The sum of the sizes in the field Files: `<md5> <size> <name>` on each line. */
function sizeOf(files: string | undefined): number {
  let sum = 0;
  for (const line of files?.split('\n') ?? []) sum += Number(/^\w+ (\d+) /.exec(line)?.[1] ?? 0);
  return sum;
}

function addPlace(places: Map<string, number[]>, name: string, place: number): void {
  const list = places.get(name);
  if (!list) places.set(name, [place]);
  else if (!list.includes(place)) list.push(place);
}
