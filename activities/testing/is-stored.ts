import type { Image } from '../../models/landings/image.ts';
import type { TestingDependencies } from './dependencies.ts';

/**
 * Whether the data store has the file of an image: old ones are removed, and a database may be restored without them.
 *
 * @throws StoreUnavailableError
 */
export async function isStored(
  { store }: Pick<TestingDependencies, 'store'>,
  { url }: Pick<Image, 'url'>,
): Promise<boolean> {
  const key = store.keyOf(url);
  return key !== undefined && (await store.read(key)) !== undefined;
}
