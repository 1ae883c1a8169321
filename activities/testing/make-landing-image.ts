import { createHash } from 'node:crypto';
import type { InstalledPackage } from '../../domain/testing/image.ts';
import { isPpa, parseArchive } from '../../domain/packages/archive.ts';
import { ppaReference, type Ppa } from '../../domain/packages/ppa.ts';
import type { PackageVersion } from '../../domain/packages/source-file.ts';
import type { Image } from '../../models/landings/image.ts';
import type { BinaryPublication } from '../../ppa/wire.ts';
import { knownImage } from '../known-rows.ts';
import { binariesInPpa } from '../landing/target-place.ts';
import { whileHeartbeating } from '../temporal/heartbeat.ts';
import type { TestingDependencies } from './dependencies.ts';
import { imageProblemsBefore } from './image-problems.ts';
import { keepImage } from './keep-image.ts';
import { keepSquashfs } from './keep-squashfs.ts';
import { loggedWork } from './logged-work.ts';
import { onceOfContent } from './once-of-content.ts';
import { type LandingLayer, withinImageTime } from './test-machine.ts';

/** Changes when images are made in another way. */
const FORMAT = 'landing 3';

/**
 * Makes the image of a landing: its base image with the packages of the landing's PPA in place of older ones, and
 * nothing else changed. An image of the same base with the same packages is taken again. Its squashfs file is made,
 * too, where the machine makes these.
 *
 * @throws Error where the landing does not exist, or the PPA has not published all of a source
 * @throws ApplicationFailure, which is not retried, where the database does not know the base image
 * @throws ImageProblem where the image cannot be made, as when the PPA's index does not get the packages in time
 */
export function makeLandingImage(deps: TestingDependencies) {
  const { database, machine, limits, ppaClient } = deps;
  return (input: {
    landingId: number;
    attempt: number;
    baseImageId: number;
    ppa: Ppa;
    packages: readonly PackageVersion[];
  }): Promise<{ imageId: number }> => {
    const { landingId, baseImageId, ppa } = input;
    return whileHeartbeating(
      () => ({ landingId, ...imageProblemsBefore() }),
      (cancelled) =>
        withinImageTime(cancelled, limits.imageMs, async (signal) => {
          const base = await knownImage(database, baseImageId);
          const landing = await database.Landing.findByPk(landingId, { rejectOnEmpty: true });
          // It may be published in another series than it is built for.
          const ppaSeries = landing.series;
          const binaries = await landedBinaries(input, base.architecture);
          // Other tickets may have packages in the PPA. Where the target is a PPA that the base image lacks, the
          // landing's own may have what these need.
          const target = parseArchive(landing.target);
          const isAlone = !target || !isPpa(target) || base.target === ppaReference(target);
          const layer = {
            distribution: base.distribution,
            series: base.series,
            target: base.target,
            ppa,
            ppaSeries,
            isAlone,
            binaries,
          };
          const content = [FORMAT, base.sha256, ppaReference(ppa), ppaSeries, isAlone, binaries];
          const contentKey = createHash('sha256').update(JSON.stringify(content)).digest('hex');
          const image = await onceOfContent(deps, contentKey, signal, () =>
            make(base, layer, { contentKey, landingId }, signal),
          );
          if (machine.makeSquashfs !== undefined)
            await keepSquashfs(deps, image, machine.makeSquashfs, signal);
          return { imageId: image.id };
        }),
    );
  };

  /** The packages that the PPA has published for an architecture and that its index has, by name. */
  async function landedBinaries(
    { ppa, packages }: { ppa: Ppa; packages: readonly PackageVersion[] },
    architecture: string,
  ): Promise<InstalledPackage[]> {
    const found = new Map<string, string>();
    for (const one of packages) {
      const published = await binariesInPpa(ppaClient, ppa, one);
      if (published.length === 0)
        throw new Error(
          `${ppaReference(ppa)} has not published all of ${one.source} ${one.version}.`,
        );
      for (const binary of published)
        // A package for all architectures is published once for each of them.
        if (binary.distro_arch_series_link.endsWith(`/${architecture}`) && isInIndex(binary))
          found.set(binary.binary_package_name, binary.binary_package_version);
    }
    return [...found]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, version]) => ({ name, version }));
  }

  async function make(
    base: Image,
    layer: LandingLayer,
    { contentKey, landingId }: { contentKey: string; landingId: number },
    signal: AbortSignal,
  ): Promise<Image> {
    const { distribution, series, architecture, target } = base;
    const made = await loggedWork(deps, `image of landing ${landingId}`, (onOutput) =>
      machine.makeLanding(base, layer, { signal, onOutput }),
    );
    return keepImage(deps, made, {
      distribution,
      series,
      architecture,
      target,
      kind: 'landing',
      format: 'tar',
      contentKey,
      baseImageId: base.id,
      releases: { ...base.releases, ...made.releases },
      binaries: [...layer.binaries],
    });
  }
}

/**
 * Whether a package is in the index that apt reads. Debug symbols and the installer's packages have indexes of their
 * own (Launchpad's `publishing.py`, FORMAT_TO_SUBCOMPONENT).
 */
function isInIndex({ is_debug: isDebug, section_name: section }: BinaryPublication): boolean {
  return !isDebug && section !== 'debian-installer';
}
