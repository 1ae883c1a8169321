import { whileHoldingLock } from '../../models/sql/hold-lock.ts';
import type { Image } from '../../models/landings/image.ts';
import type { TestingDependencies } from './dependencies.ts';
import { isStored } from './is-stored.ts';

/**
 * Takes the image that a key of content names, or makes it where the data store has none: once, where several ask at
 * the same time.
 */
export async function onceOfContent(
  deps: Pick<TestingDependencies, 'database' | 'store'>,
  contentKey: string,
  signal: AbortSignal,
  make: () => Promise<Image>,
): Promise<Image> {
  const { sequelize, Image } = deps.database;
  const find = async () => {
    const image = await Image.ofContent(contentKey);
    return image && (await isStored(deps, image)) ? image : null;
  };
  return (
    (await find()) ??
    whileHoldingLock(sequelize, contentKey, signal, async () => (await find()) ?? (await make()))
  );
}
