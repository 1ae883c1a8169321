import { ApplicationFailure } from '@temporalio/activity';
import type { Image } from '../../models/landings/image.ts';
import type { TestingDependencies } from './dependencies.ts';

/**
 * The image that was made for a landing before.
 *
 * @throws ApplicationFailure, which is not retried, where the database does not have it: it was restored by itself
 */
export async function knownImage(
  { database }: { database: Pick<TestingDependencies['database'], 'Image'> },
  imageId: number,
): Promise<Image> {
  const image = await database.Image.findByPk(imageId);
  if (image) return image;
  throw ApplicationFailure.nonRetryable(
    `the database does not know image ${imageId}, as after a restore`,
  );
}
