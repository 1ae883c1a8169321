import { knowingUploads } from '../../../activities/landing/knowing-uploads.ts';
import { pollTarget } from '../../../activities/landing/poll-target.ts';
import {
  archivesInMemory,
  EARLIER_UPLOAD,
  IN_EARLIER_PPA,
  IN_PPA,
  IN_TARGET_FROM_EARLIER,
  PPA,
  SOURCE,
  TARGET,
} from './archives-in-memory.ts';

/** Landing 7 has uploaded the package to another PPA before. */
const PpaLease = {
  uploadsOf: async (landingId: number) => (landingId === 7 ? [EARLIER_UPLOAD] : []),
};
const ppaClient = archivesInMemory([IN_TARGET_FROM_EARLIER, IN_PPA, IN_EARLIER_PPA]);
const poll = knowingUploads({ database: { PpaLease } }, pollTarget({ ppaClient }));
const INPUT = { ppa: PPA, target: TARGET, source: SOURCE, version: '1.2' };

test('what the target has let in late is published for the landing that has uploaded it', async () => {
  expect(await poll({ ...INPUT, landingId: 7 })).toEqual({ isPublished: true });
  expect(await poll({ ...INPUT, landingId: 8 })).toEqual({ isPublished: false });
});

test('a workflow that does not tell its landing is asked of the PPA alone', async () => {
  expect(await poll(INPUT)).toEqual({ isPublished: false });
});
