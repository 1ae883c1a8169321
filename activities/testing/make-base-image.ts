import { createHash } from 'node:crypto';
import type { ImagePlace } from '../../domain/testing/image.ts';
import type { Image } from '../../models/landings/image.ts';
import { whileHoldingLock } from '../../models/sql/hold-lock.ts';
import { whileHeartbeating } from '../temporal/heartbeat.ts';
import type { TestingDependencies } from './dependencies.ts';
import { keepArchiveIndex } from './archive/archive-index.ts';
import { imageProblemsBefore } from './image-problems.ts';
import { isStored } from './is-stored.ts';
import { keepImage } from './keep-image.ts';
import { loggedWork } from './logged-work.ts';
import { withinImageTime } from './test-machine.ts';

/**
 * Makes the base image of a place: of its archives alone, as they are now. One that is not older than `maxAgeMs` is
 * taken again, unless the target has published something since, or the data store does not have it. Two that ask at
 * once get the same one, which is made once.
 */
export function makeBaseImage(deps: TestingDependencies) {
  const { archive, database, machine, limits } = deps;
  return ({
    maxAgeMs,
    ...asked
  }: ImagePlace & { maxAgeMs: number }): Promise<{ imageId: number }> =>
    whileHeartbeating(
      () => ({ ...asked, ...imageProblemsBefore() }),
      (cancelled) =>
        withinImageTime(cancelled, limits.imageMs, async (signal) => {
          const look = () => lookFor(asked, maxAgeMs, signal);
          const { place, recent } = await look();
          if (recent) return { imageId: recent.id };
          const { distribution, series, architecture, target } = place;
          const name = ['base', distribution, series, architecture, ...(target ? [target] : [])];
          return whileHoldingLock(database.sequelize, name.join(' '), signal, async () => {
            // Whoever held the lock may have made it, and the target may have published something meanwhile.
            const now = await look();
            const made = now.recent ?? (await make(now.place, signal));
            return { imageId: made.id };
          });
        }),
    );

  /** What the image is made for now, and the one that is taken again; null where none is. */
  async function lookFor(
    asked: ImagePlace,
    maxAgeMs: number,
    signal: AbortSignal,
  ): Promise<{ place: ImagePlace; recent: Image | null }> {
    const release = await archive.targetRelease(asked, signal);
    const place = { ...asked, target: release === undefined ? null : (asked.target ?? null) };
    const newest = await database.Image.newestBase(place, new Date(Date.now() - maxAgeMs));
    const isOfNow =
      release === undefined || Object.values(newest?.releases ?? {}).includes(release);
    const isUsable = isOfNow && newest !== null && (await isStored(deps, newest));
    return { place, recent: isUsable ? newest : null };
  }

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
