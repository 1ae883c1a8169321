import { whileHoldingLock } from '../../models/sql/hold-lock.ts';
import type { Image } from '../../models/landings/image.ts';
import type { TestingDependencies } from './dependencies.ts';

/** Takes the image that a key of content names, or makes it: once, where several ask at the same time. */
export async function onceOfContent(
  { sequelize, Image }: TestingDependencies['database'],
  contentKey: string,
  signal: AbortSignal,
  make: () => Promise<Image>,
): Promise<Image> {
  const find = () => Image.ofContent(contentKey);
  return (
    (await find()) ??
    whileHoldingLock(sequelize, contentKey, signal, async () => (await find()) ?? (await make()))
  );
}
