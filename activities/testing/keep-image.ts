import { createReadStream } from 'node:fs';
import { dirname } from 'node:path';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type {
  ImageFormat,
  ImageKind,
  ImagePlace,
  InstalledPackage,
} from '../../domain/testing/image.ts';
import type { Image } from '../../models/landings/image.ts';
import type { TestingDependencies } from './dependencies.ts';

type Dependencies = Pick<TestingDependencies, 'database' | 'machine' | 'store'>;

const SUFFIX: Record<ImageFormat, string> = { tar: 'tar.zst', squashfs: 'squashfs' };

/**
 * Puts an image that was made into the data store and then its row into the database; its folder is removed.
 *
 * @returns the row; that of an earlier image of the same content, which has this file from now on
 */
export async function keepImage(
  { database: { Image }, machine, store }: Dependencies,
  made: { path: string } & ({ packages: readonly InstalledPackage[] } | { manifestUrl: string }),
  what: ImagePlace & {
    kind: ImageKind;
    format: ImageFormat;
    contentKey: string;
    baseImageId: number | null;
    releases: Record<string, string>;
    binaries: InstalledPackage[];
    /** When it was begun; without it, when its row is written. */
    createdAt?: Date;
  },
): Promise<Image> {
  try {
    const folder = `images/${randomUUID()}`;
    const key = `${folder}/${what.kind}-${what.series}-${what.architecture}.${SUFFIX[what.format]}`;
    const { sizeBytes: size, sha256 } = await store.put(key, createReadStream(made.path));
    let manifestUrl: string;
    if ('manifestUrl' in made) manifestUrl = made.manifestUrl;
    else {
      const manifestKey = `${folder}/packages.txt`;
      const manifest = made.packages.map(({ name, version }) => `${name} ${version}\n`);
      await store.put(manifestKey, Readable.from(manifest));
      manifestUrl = store.urlOf(manifestKey);
    }
    return await Image.add({ ...what, sha256, size, url: store.urlOf(key), manifestUrl });
  } finally {
    await machine.removeFolder(dirname(made.path));
  }
}
