import { openArchives } from '../../ppa/archives.ts';
import type { WebService } from '../../ppa/web-service.ts';

/** What Launchpad lists of a source in the queue of a series, whatever put it there. */
const LISTED = [
  { self_link: 'https://api/+upload/3', status: 'Rejected', contains_copy: false },
  { self_link: 'https://api/+upload/2', status: 'Unapproved', contains_copy: true },
  { self_link: 'https://api/+upload/1', status: 'Done', contains_copy: false },
];

test('of what the queue of a series has of a source, copies alone are held ones', async () => {
  const service = {
    root: new URL('https://api/devel/'),
    readAll: async (_, schema) => LISTED.map((one) => schema.parse(one)),
  } satisfies Pick<WebService, 'root' | 'readAll'>;
  const held = await openArchives(service as WebService).heldUploads({
    archive: { distribution: 'debian' },
    series: 'bookworm',
    pocket: 'Proposed',
    source: 'hello',
    version: '1.2',
  });
  expect(held.map(({ self_link: link }) => link)).toEqual(['https://api/+upload/2']);
});
