import { createHash } from 'node:crypto';
import type { ImagePlace } from '../../domain/testing/image.ts';
import { whileHoldingLock } from '../../models/sql/hold-lock.ts';
import { whileHeartbeating } from '../temporal/heartbeat.ts';
import type { TestingDependencies } from './dependencies.ts';
import { keepArchiveIndex } from './archive/archive-index.ts';
import { imageProblemsBefore } from './image-problems.ts';
import { keepImage } from './keep-image.ts';
import { loggedWork } from './logged-work.ts';
import { imageSignal } from './test-machine.ts';

/**
 * Makes the base image of a place: of the archive alone, as it is now. One that is not older than `maxAgeMs` is taken
 * again. Two that ask at once get the same one, which is made once.
 */
export function makeBaseImage(deps: TestingDependencies) {
  const { database, machine, limits } = deps;
  return ({
    maxAgeMs,
    ...place
  }: ImagePlace & { maxAgeMs: number }): Promise<{ imageId: number }> =>
    whileHeartbeating(
      () => ({ ...place, ...imageProblemsBefore() }),
      async (cancelled) => {
        const signal = imageSignal(cancelled, limits.imageMs);
        const findRecent = () => database.Image.newestBase(place, new Date(Date.now() - maxAgeMs));
        const recent = await findRecent();
        if (recent) return { imageId: recent.id };
        const { distribution, series, architecture } = place;
        const name = `base ${distribution} ${series} ${architecture}`;
        return whileHoldingLock(database.sequelize, name, signal, async () => {
          const made = (await findRecent()) ?? (await make(place, signal));
          return { imageId: made.id };
        });
      },
    );

  async function make(place: ImagePlace, signal: AbortSignal) {
    // First, since an image takes longer: what is planned with it goes by the archive of this moment.
    await keepArchiveIndex(deps, place, signal);
    const made = await loggedWork(deps, `base image of ${place.series}`, (onOutput) =>
      machine.makeBase(place, { signal, onOutput }),
    );
    const madeAt = new Date().toISOString();
    const contentKey = createHash('sha256')
      .update(JSON.stringify(['base', place, made.releases, madeAt]))
      .digest('hex');
    const { releases } = made;
    return keepImage(deps, made, {
      ...place,
      kind: 'base',
      format: 'tar',
      contentKey,
      baseImageId: null,
      releases,
      binaries: [],
    });
  }
}
