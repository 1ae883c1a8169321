import type { ActivityDependencies } from '../dependencies.ts';

/**
 * Asks whether base images are as new as what was built. Builders take the archive of the minute: what they build may
 * need what an older image does not know of.
 *
 * An image counts from when it was begun, and a build ends once what it made is published. So an image that is newer
 * has the lists of a later archive.
 *
 * @returns `isOlder`: one of the images was begun before the last of the builds had ended, or nobody can tell
 */
export function checkBases({
  database: { Build, Image },
}: {
  database: Pick<ActivityDependencies['database'], 'Build' | 'Image'>;
}) {
  return async ({
    baseImageIds,
    buildIds,
  }: {
    baseImageIds: readonly number[];
    buildIds: readonly number[];
  }): Promise<{ isOlder: boolean }> => {
    const images = await Image.findAll({
      attributes: ['id', 'createdAt'],
      where: { id: [...baseImageIds] },
    });
    const builds = await Build.findAll({
      attributes: ['id', 'finishedAt'],
      where: { id: [...buildIds] },
    });
    const madeAtMs = baseImageIds.map(
      (id) => images.find((one) => one.id === id)?.createdAt.getTime() ?? -Infinity,
    );
    const endedAtMs = buildIds.map(
      (id) => builds.find((one) => one.id === id)?.finishedAt?.getTime() ?? Infinity,
    );
    return { isOlder: Math.min(...madeAtMs) < Math.max(...endedAtMs) };
  };
}
