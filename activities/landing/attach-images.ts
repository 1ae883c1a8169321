import type { TestedImage } from '../../domain/landings/landing.ts';
import type { Database } from '../../models/database.ts';
import { attachToTicket, type TicketFile } from '../../models/tickets/attach-to-ticket.ts';
import { knownImage } from '../known-rows.ts';

/**
 * Makes the images that a landing is tested in artifacts of its ticket, and their squashfs files where testers have
 * made these. Safe to repeat. It is done as the tests are judged: nothing was tested in images that were made anew
 * before, as they were behind the landing's target.
 *
 * @throws ApplicationFailure, which is not retried, where the database does not know an image
 */
export async function attachImages(
  { sequelize, Image, Landing }: Pick<Database, 'sequelize' | 'Image' | 'Landing'>,
  { landingId, images }: { landingId: number; images: readonly TestedImage[] },
): Promise<void> {
  const { ticketId } = await Landing.findByPk(landingId, { rejectOnEmpty: true });
  const files: TicketFile[] = [];
  for (const { imageId } of images) {
    const image = await knownImage({ Image }, imageId);
    const squashfs = await Image.ofContent(image.squashfsKey);
    const name = `landing ${landingId}: image of ${image.series} ${image.architecture}`;
    files.push({ name, url: image.url, type: 'IMAGE', image: 'built' });
    if (squashfs)
      files.push({ name: `${name} (squashfs)`, url: squashfs.url, type: 'IMAGE', image: 'built' });
  }
  await attachToTicket(sequelize, ticketId, files);
}
