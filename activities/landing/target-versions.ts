import { isPpa, parseArchive, POCKETS, type Pocket } from '../../domain/packages/archive.ts';
import { compareVersions } from '../../domain/packages/debian-version.ts';
import type { LandingTarget, TestedImage } from '../../domain/landings/landing.ts';
import type { Landing } from '../../models/landings/landing.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { newestIn } from './target-place.ts';

type Dependencies = {
  database: Pick<ActivityDependencies['database'], 'Landing' | 'TestRun'>;
} & Pick<ActivityDependencies, 'ppaClient'>;

/** A source whose version in the target is newer than the one that the tests knew. */
export type MovedSource = { source: string; was: string | null; is: string };

const MAX_NAMED = 10;
/** What images are made of: what waits in another pocket is not what was tested. */
const IMAGE_POCKETS: readonly Pocket[] = ['Release', 'Security', 'Updates'];

/**
 * Keeps on the landing what its target has of each source that it changes or tests. Of a source that is tested for
 * others, and whose tests come from the very target, that is the version that was tested.
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
  }): Promise<void> => {
    const landing = await database.Landing.findByPk(landingId, { rejectOnEmpty: true });
    const runs = await database.TestRun.findAll({
      attributes: ['source', 'version', 'reason'],
      where: { landingId, attempt, imageId: images.map(({ imageId }) => imageId) },
    });
    const archive = parseArchive(target.archive);
    const tested = new Map(
      archive && !isPpa(archive)
        ? runs
            .filter(({ reason }) => reason === 'depends' || reason === 'triggered')
            .map(({ source, version }) => [source, version])
        : [],
    );
    const versions: Record<string, string | null> = {};
    for (const source of new Set([...landing.packages, ...runs].map((one) => one.source)))
      versions[source] =
        tested.get(source) ??
        (await newestIn(ppaClient, target, source, pocketsOf(landing, source)));
    await landing.keepTargetVersions(versions);
  };
}

/**
 * Asks whether what was tested is still what would be published: whether the target has got a newer version of a source
 * that the landing changes, in whatever pocket, or of one that it has tested, in a pocket that images are made of.
 *
 * @returns those that it has got; the first ten
 */
export function checkStale({ database, ppaClient }: Dependencies) {
  return async ({
    landingId,
    target,
  }: {
    landingId: number;
    target: LandingTarget;
  }): Promise<{ moved: MovedSource[] }> => {
    const landing = await database.Landing.findByPk(landingId, { rejectOnEmpty: true });
    const moved: MovedSource[] = [];
    for (const [source, was] of Object.entries(landing.targetVersions ?? {})) {
      const is = await newestIn(ppaClient, target, source, pocketsOf(landing, source));
      if (is !== null && (was === null || compareVersions(is, was) > 0))
        moved.push({ source, was, is });
      if (moved.length === MAX_NAMED) break;
    }
    return { moved };
  };
}

/** The pockets of the target whose versions of a source count. */
function pocketsOf({ packages }: Pick<Landing, 'packages'>, source: string): readonly Pocket[] {
  return packages.some((one) => one.source === source) ? POCKETS : IMAGE_POCKETS;
}
