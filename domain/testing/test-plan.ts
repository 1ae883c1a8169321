import type { ArchiveIndex, TestedSource } from '../packages/archive-index.ts';
import type { MadeBinary } from '../packages/made-binary.ts';
import { holdsWithoutProfiles, isForArchitecture } from '../packages/package-relation.ts';
import type { PackageVersion } from '../packages/source-file.ts';
import { listed } from '../text/listed.ts';
import type { TestRunReason } from './test-run.ts';

/** A source package that a landing changes. */
type ChangedSource = PackageVersion & {
  isTested: boolean;
  /** The binary packages that its `.dsc` lists, of all architectures; empty where it lists none. */
  packages: readonly MadeBinary[];
};

/** What a landing changes. */
export type Change = {
  sources: readonly ChangedSource[];
  /** The names of the binary packages that its PPA has published for the architecture. */
  binaries: readonly string[];
  architecture: string;
};

/** A test suite that is linked to the ticket. */
export type LinkedSuite = {
  id: number;
  name: string;
  /** The source package that has its tests; null where it names none. */
  source: string | null;
};

/** A source package whose tests are to be run. */
export type PlannedTest = PackageVersion & {
  reason: TestRunReason;
  /** One sentence, such as "depends on libhello1". */
  why: string;
  /** Why its tests cannot be had; unset where nothing is known against it. */
  fault?: string;
};

/** `tests` empty: nothing would be tested at all. That needs a person's approval and never passes. */
export type TestPlan = {
  tests: PlannedTest[];
  /** How many more there are than may be run: without them the rest does not pass by itself. */
  left: number;
};

/** The binaries that a reason names. */
const NAMED_BINARIES = 3;

/**
 * Which tests are run for a landing: those of the changed sources, of the ticket's test suites, of what depends on a
 * changed binary, or on what the archive's binary of that name provides, directly; and of what names one of these in
 * Testsuite-Triggers; in this order, the last two by name. A source is there once, for the first of these reasons. One
 * without tests is not there, save for what a test suite names; nor is a changed one that by its own word has no
 * packages on the architecture, whose tests would fail for their lack. One that should have some there, and has none,
 * is there with a fault, so that nothing passes for want of its tests; where others are tested, too, one without tests
 * of its own is, since what depends on it cannot be found.
 *
 * @param options.withDependents whether others than the changed sources and the suites are tested
 * @param options.maxRuns those after so many are left out
 */
export function testsOf(
  change: Change,
  index: ArchiveIndex,
  {
    suites,
    withDependents,
    maxRuns,
  }: { suites: readonly LinkedSuite[]; withDependents: boolean; maxRuns: number },
): TestPlan {
  const tests = new Map<string, PlannedTest>();
  const add = (test: PlannedTest) => {
    if (!tests.has(test.source)) tests.set(test.source, test);
  };
  const elsewhere = new Set<string | null>();
  for (const one of change.sources) {
    const { source, version, isTested } = one;
    const presence = presenceOf(one, change);
    if (presence === 'elsewhere') {
      if (isTested) elsewhere.add(source);
      continue;
    }
    if (!isTested && !(withDependents && presence === 'missing')) continue;
    const fault = `The PPA has no packages of ${source} for ${change.architecture}.`;
    const missing = presence === 'missing' ? { fault } : {};
    add({ source, version, reason: 'changed', why: 'is changed', ...missing });
  }
  const testable = new Map(index.sources.map((one) => [one.name, one]));
  for (const suite of suites)
    if (!elsewhere.has(suite.source)) add(testOfSuite(suite, change.sources, testable));
  if (withDependents)
    for (const [reason, places, why] of [
      ['depends', index.dependents, 'depends on'],
      ['triggered', index.triggered, 'has the test trigger'],
    ] as const)
      for (const [{ name: source, version }, binaries] of sourcesOf(change, index, places))
        add({ source, version, reason, why: `${why} ${listed(binaries, NAMED_BINARIES)}` });
  const all = [...tests.values()];
  return { tests: all.slice(0, maxRuns), left: Math.max(0, all.length - maxRuns) };
}

/**
 * How a changed source stands in the image: whether that has some of the packages which it is to have, or lacks them
 * all; or is to have none, by the word of its `.dsc`. One that lists no packages is taken to be there.
 */
function presenceOf(
  one: ChangedSource,
  { binaries, architecture }: Change,
): 'there' | 'missing' | 'elsewhere' {
  if (one.packages.length === 0) return 'there';
  const expected = expectedOf(one, architecture);
  if (expected.length === 0) return 'elsewhere';
  return expected.some(({ name }) => binaries.includes(name)) ? 'there' : 'missing';
}

/**
 * What a PPA that builds for the architecture makes of a source there: the packages for that very architecture, where
 * there are any; else those for all, which Launchpad publishes for each, whatever the PPA builds for. Those of the
 * installer, which no image has, count only of a source with tests that makes nothing else there.
 */
function expectedOf({ isTested, packages }: ChangedSource, architecture: string): MadeBinary[] {
  const made = packages.filter(({ profiles }) => holdsWithoutProfiles(profiles));
  const own = made.filter(({ architectures }) => isForArchitecture(architectures, architecture));
  const common = made.filter(({ architectures }) => architectures.includes('all'));
  const installed = [own, common].map((some) => some.filter((each) => !each.isOfInstaller));
  const lists = isTested ? [...installed, own, common] : installed;
  return lists.find((list) => list.length > 0) ?? [];
}

function testOfSuite(
  { id, name, source }: LinkedSuite,
  changed: readonly ChangedSource[],
  testable: ReadonlyMap<string, TestedSource>,
): PlannedTest {
  const title = name === '' ? `test suite ${id}` : `test suite ${name}`;
  const own = { reason: 'suite', why: `is the ${title}` } as const;
  if (source === null)
    return { ...own, source: title, version: '', fault: `The ${title} names no source package.` };
  const landed = changed.find((one) => one.source === source);
  if (landed)
    return { ...own, source, version: landed.version, fault: `${source} has no tests any more.` };
  const version = testable.get(source)?.version;
  return version === undefined
    ? { ...own, source, version: '', fault: `The archive has no tests of ${source}.` }
    : { ...own, source, version };
}

/** The sources, by name, that have something to do with a changed binary, each with these binaries. */
function sourcesOf(
  { sources: changed, binaries }: Change,
  { sources, provides }: ArchiveIndex,
  places: Readonly<Record<string, readonly number[]>>,
): [TestedSource, string[]][] {
  const isChanged = new Set(changed.map(({ source }) => source));
  const provided = binaries.flatMap((binary) => listOf(provides, binary));
  const found = new Map<TestedSource, string[]>();
  for (const name of new Set([...binaries, ...provided]))
    for (const place of listOf(places, name)) {
      const source = sources[place];
      if (!source || isChanged.has(source.name)) continue;
      const because = found.get(source);
      if (because) because.push(name);
      else found.set(source, [name]);
    }
  return [...found].toSorted(([{ name: one }], [{ name: other }]) => (one < other ? -1 : 1));
}

function listOf<T>(lists: Readonly<Record<string, readonly T[]>>, name: string): readonly T[] {
  return (Object.hasOwn(lists, name) ? lists[name] : undefined) ?? [];
}
