import type { Image } from '../../models/landings/image.ts';
import type { TestingDependencies } from './dependencies.ts';
import { keepImage } from './keep-image.ts';
import { loggedWork } from './logged-work.ts';
import { onceOfContent } from './once-of-content.ts';
import type { TestMachine } from './test-machine.ts';

/** The squashfs file of an image, with a row of its own; the same one where it was made before. */
export function keepSquashfs(
  deps: TestingDependencies,
  image: Image,
  make: NonNullable<TestMachine['makeSquashfs']>,
  signal: AbortSignal,
): Promise<Image> {
  const { squashfsKey: contentKey } = image;
  return onceOfContent(deps, contentKey, signal, async () => {
    const path = await loggedWork(deps, `squashfs file of image ${image.id}`, (onOutput) =>
      make(image, { signal, onOutput }),
    );
    const { kind, distribution, series, architecture, target, baseImageId, releases, binaries } =
      image;
    return keepImage(
      deps,
      { path, manifestUrl: image.manifestUrl },
      {
        kind,
        distribution,
        series,
        architecture,
        target,
        baseImageId,
        releases,
        binaries,
        format: 'squashfs',
        contentKey,
      },
    );
  });
}
