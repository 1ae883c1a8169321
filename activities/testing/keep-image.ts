import { createReadStream } from 'node:fs';
import { dirname } from 'node:path';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ImageKind, ImagePlace, InstalledPackage } from '../../domain/image.ts';
import { isTaken } from '../../models/database-errors.ts';
import type { Image } from '../../models/image.ts';
import type { TestingDependencies } from './dependencies.ts';
import type { MadeImage } from './test-machine.ts';

type Dependencies = Pick<TestingDependencies, 'database' | 'machine' | 'store'>;

/**
 * Puts an image that was made into the data store and then its row into the database; its folder is removed.
 *
 * @returns the row; that of an equal image where somebody was faster
 */
export async function keepImage(
  { database: { Image }, machine, store }: Dependencies,
  made: MadeImage,
  what: ImagePlace & {
    kind: ImageKind;
    contentKey: string;
    baseImageId: number | null;
    releases: Record<string, string>;
    binaries: InstalledPackage[];
  },
): Promise<Image> {
  try {
    const folder = `images/${randomUUID()}`;
    const key = `${folder}/${what.kind}-${what.series}-${what.architecture}.tar.zst`;
    const { sizeBytes: size, sha256 } = await store.put(key, createReadStream(made.path));
    const manifestKey = `${folder}/packages.txt`;
    const manifest = made.packages.map(({ name, version }) => `${name} ${version}\n`);
    await store.put(manifestKey, Readable.from(manifest));
    return await Image.create({
      ...what,
      format: 'tar',
      sha256,
      size,
      url: store.urlOf(key),
      manifestUrl: store.urlOf(manifestKey),
    });
  } catch (error) {
    const faster = isTaken(error) ? await Image.ofContent(what.contentKey) : null;
    if (!faster) throw error;
    return faster;
  } finally {
    await machine.removeFolder(dirname(made.path));
  }
}
