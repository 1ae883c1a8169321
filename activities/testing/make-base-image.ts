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
 * taken again, unless the target has published something since, or the data store does not have it. All that ask at
 * once get the same one, which is made once: also with 0, where it is one that was begun after they asked.
 */
export function makeBaseImage(deps: TestingDependencies) {
  const { archive, database, machine, limits } = deps;
  return ({
    maxAgeMs,
    ...asked
  }: ImagePlace & { maxAgeMs: number }): Promise<{ imageId: number }> =>
    whileHeartbeating(
      () => ({ ...asked, ...imageProblemsBefore() }),
      async (cancelled) => {
        const since = new Date(Date.now() - maxAgeMs);
        const inTime = <T>(work: (signal: AbortSignal) => Promise<T>) =>
          withinImageTime(cancelled, limits.imageMs, work);
        const { place, recent } = await inTime((signal) => lookFor(asked, since, signal));
        if (recent) return { imageId: recent.id };
        const { distribution, series, architecture, target } = place;
        const name = ['base', distribution, series, architecture, ...(target ? [target] : [])];
        // The wait for others is no part of the time for an image.
        return whileHoldingLock(database.sequelize, name.join(' '), cancelled, () =>
          inTime(async (signal) => {
            // Whoever held the lock may have made it, and the target may have published something meanwhile.
            const now = await lookFor(asked, since, signal);
            const made = now.recent ?? (await make(now.place, signal));
            return { imageId: made.id };
          }),
        );
      },
    );

  /** What the image is made for now, and the one that is taken again; null where none is. */
  async function lookFor(
    asked: ImagePlace,
    since: Date,
    signal: AbortSignal,
  ): Promise<{ place: ImagePlace; recent: Image | null }> {
    const release = await archive.targetRelease(asked, signal);
    const place = { ...asked, target: release === undefined ? null : (asked.target ?? null) };
    const newest = await database.Image.newestBase(place, since);
    const isOfNow =
      release === undefined || Object.values(newest?.releases ?? {}).includes(release);
    const isUsable = isOfNow && newest !== null && (await isStored(deps, newest));
    return { place, recent: isUsable ? newest : null };
  }

  async function make(place: ImagePlace, signal: AbortSignal) {
    const createdAt = new Date();
    // First, since an image takes longer: what is planned with it goes by the archive of this moment.
    await keepArchiveIndex(deps, place, signal);
    const made = await loggedWork(deps, `base image of ${place.series}`, (onOutput) =>
      machine.makeBase(place, { signal, onOutput }),
    );
    const contentKey = createHash('sha256')
      .update(JSON.stringify(['base', place, made.releases, createdAt]))
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
      createdAt,
    });
  }
}
