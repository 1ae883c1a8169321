import { isPpa, parseArchive, suiteOf, type Pocket } from '../../domain/packages/archive.ts';
import { compareVersions } from '../../domain/packages/debian-version.ts';
import { ppaReference } from '../../domain/packages/ppa.ts';
import type { LandingTarget, TestedImage } from '../../domain/landings/landing.ts';
import type { Image } from '../../models/landings/image.ts';
import type { Landing } from '../../models/landings/landing.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { IMAGE_POCKETS, newestIn, pocketsOfChange } from './target-place.ts';

type Dependencies = {
  database: Pick<ActivityDependencies['database'], 'Image' | 'Landing' | 'TestRun'>;
} & Pick<ActivityDependencies, 'ppaClient'>;

/** A source whose version in the target is newer than the one that the tests knew. */
export type MovedSource = { source: string; was: string | null; is: string };

/** What is known of a landing's target as its tests are planned. */
export type TargetNoted = {
  /** What is tested in an older version than the target has published: tested in vain. The first ten. */
  behind: MovedSource[];
  /** The sources that it lands of which the target has a newer version. */
  passed: string[];
};

const MAX_NAMED = 10;

/**
 * Keeps on the landing what its target has of each source that it changes or tests. Of a source that is tested for
 * others, and whose tests come from the very target, that is the version that was tested: the oldest, where the
 * architectures differ. Nothing is kept where the attempt has ended meanwhile.
 *
 * @returns what makes tests in vain, which is to be known before they are run
 */
export function noteTarget({ database, ppaClient }: Dependencies) {
  return async ({
    landingId,
    attempt,
    target,
    images,
  }: {
    landingId: number;
    attempt: number;
    target: LandingTarget;
    images: readonly TestedImage[];
  }): Promise<TargetNoted> => {
    const landing = await database.Landing.findByPk(landingId, { rejectOnEmpty: true });
    const runs = await database.TestRun.findAll({
      attributes: ['source', 'version', 'reason'],
      where: { landingId, attempt, imageId: images.map(({ imageId }) => imageId) },
    });
    const bases = await basesOf(database, images);
    const pockets = pocketsOf(bases, target);
    const tested = new Map<string, string>();
    if (isTestedOn(target, bases))
      for (const { source, version, reason } of runs) {
        const other = tested.get(source) ?? version;
        if (reason === 'depends' || reason === 'triggered')
          tested.set(source, compareVersions(version, other) < 0 ? version : other);
      }
    const versions: Record<string, string | null> = {};
    const behind: MovedSource[] = [];
    const passed: string[] = [];
    for (const source of new Set([...landing.packages, ...runs].map((one) => one.source))) {
      const is = await newestThatCounts(ppaClient, landing, { target, pockets }, source);
      const was = tested.get(source);
      versions[source] = was ?? is;
      if (hasPassed(landing, source, is)) passed.push(source);
      if (was !== undefined && isNewer(is, was)) behind.push({ source, was, is });
    }
    await database.Landing.keepTargetVersions({ landingId, attempt }, versions);
    return { behind: behind.slice(0, MAX_NAMED), passed };
  };
}

/**
 * Asks whether what was tested is still what would be published: whether the target has got a newer version of a source
 * that the landing changes, in the target's pocket or one that images are made of, or has published one of a source
 * that is only tested, in a pocket that all of its images are made of. The very version that it lands is what was
 * tested: a copy that an earlier attempt has sent may be let in late. Whether it is that copy, checkCopies tells.
 *
 * @returns `moved`: those that it has got, the first ten; `passed`: those of them that the landing changes and of which
 * the target has a newer version than the landing's
 */
export function checkStale({ database, ppaClient }: Dependencies) {
  return async ({
    landingId,
    target,
    images = [],
  }: {
    landingId: number;
    target: LandingTarget;
    /** Older code told nothing of them: then each pocket counts that images are made of. */
    images?: readonly TestedImage[];
  }): Promise<{
    moved: MovedSource[];
    /** Older code told nothing of it. */
    passed?: string[];
  }> => {
    const landing = await database.Landing.findByPk(landingId, { rejectOnEmpty: true });
    const landed = new Map(landing.packages.map(({ source, version }) => [source, version]));
    const pockets = pocketsOf(await basesOf(database, images), target);
    const moved: MovedSource[] = [];
    const passed: string[] = [];
    for (const [source, was] of Object.entries(landing.targetVersions ?? {})) {
      const is = await newestThatCounts(ppaClient, landing, { target, pockets }, source);
      if (is === null || is === landed.get(source)) continue;
      if (was !== null && !isNewer(is, was)) continue;
      moved.push({ source, was, is });
      if (hasPassed(landing, source, is)) passed.push(source);
      if (moved.length === MAX_NAMED) break;
    }
    return { moved, passed };
  };
}

type Base = Pick<Image, 'target' | 'releases'>;

function basesOf(
  { Image }: Dependencies['database'],
  images: readonly TestedImage[],
): Promise<Base[]> {
  return Image.findAll({
    attributes: ['target', 'releases'],
    where: { id: images.map(({ baseImageId }) => baseImageId) },
  });
}

/** Whether the tests come from the target: a PPA is not a source of each image. */
function isTestedOn(target: LandingTarget, bases: readonly Base[]): boolean {
  const archive = parseArchive(target.archive);
  if (!archive) return false;
  return !isPpa(archive) || bases.every((base) => base.target === ppaReference(archive));
}

/**
 * The pockets that all base images are made of: a tester's mirror need not have each, and what is in another one no
 * image will ever have. An image that names no suite, such as a scripted one, is taken to have all of them.
 */
function pocketsOf(bases: readonly Base[], { series }: LandingTarget): readonly Pocket[] {
  const suites = bases
    .map(({ releases }) => Object.keys(releases).flatMap((address) => suiteIn(address) ?? []))
    .filter((names) => names.length > 0);
  return IMAGE_POCKETS.filter((pocket) =>
    suites.every((names) => names.includes(suiteOf(series, pocket))),
  );
}

/** The suite in the address of an InRelease. */
function suiteIn(address: string): string | undefined {
  return /\/dists\/([^/]+)\/InRelease$/.exec(address)?.[1];
}

function isNewer(version: string | null, than: string): version is string {
  return version !== null && compareVersions(version, than) > 0;
}

/** Whether what the target has of a source is newer than what the landing lands of it. */
function hasPassed(
  { packages }: Pick<Landing, 'packages'>,
  source: string,
  is: string | null,
): boolean {
  return packages.some((one) => one.source === source && isNewer(is, one.version));
}

/**
 * The newest version of a source in the target, of those that count. Of one that the landing changes what is Pending
 * counts, as Launchpad compares a copy with that, too (`packagecopier.py`). Of any other it does not: until it is
 * published, no image can have it, and no user's system.
 *
 * @param where.pockets those that count of a source that the landing does not change
 */
function newestThatCounts(
  client: ActivityDependencies['ppaClient'],
  { packages }: Pick<Landing, 'packages'>,
  { target, pockets }: { target: LandingTarget; pockets: readonly Pocket[] },
  source: string,
): Promise<string | null> {
  return packages.some((one) => one.source === source)
    ? newestIn(client, target, source, pocketsOfChange(target))
    : newestIn(client, target, source, pockets, ['Published']);
}
