import { copyPackage } from '../../../activities/landing/copy-package.ts';
import { PpaAnswerError } from '../../../ppa/web-service.ts';
import type { PackageUpload } from '../../../ppa/wire.ts';
import { runActivity } from '../activity.ts';
import {
  archivesInMemory,
  EARLIER_UPLOAD,
  IN_EARLIER_PPA,
  IN_PPA,
  IN_TARGET,
  IN_TARGET_FROM_EARLIER,
  PPA,
  SOURCE,
  TARGET,
  type Publication,
} from './archives-in-memory.ts';

const INPUT = { ppa: PPA, target: TARGET, source: SOURCE, version: '1.2' };
const upload = (status: string, name = 'test'): PackageUpload => ({
  self_link: 'https://api/devel/debian/bookworm/+upload/1',
  status,
  copy_source_archive_link: `https://api/devel/~me/+archive/debian/${name}`,
});

/** A target, and how often a copy to it was asked for. */
function target(publications: readonly Publication[], uploads: readonly PackageUpload[] = []) {
  const ppaClient = archivesInMemory(publications, uploads);
  let asked = 0;
  ppaClient.copyPackage = async (_to, _from, signal) => {
    signal?.throwIfAborted();
    asked += 1;
    return undefined;
  };
  return { ppaClient, asked: () => asked };
}
const sent = async (...given: Parameters<typeof target>) => {
  const { ppaClient, asked } = target(...given);
  expect(await runActivity(copyPackage({ ppaClient }), INPUT)).toEqual({});
  return asked() === 1;
};

test('a copy is sent unless the target has the package', async () => {
  expect(await sent([IN_PPA])).toBe(true);
  expect(await sent([IN_TARGET, IN_PPA])).toBe(false);
  expect(await sent([{ ...IN_TARGET, status: 'Pending' }, IN_PPA])).toBe(false);
});

test('a copy is not sent where the target has let in that of an earlier attempt', async () => {
  const { ppaClient, asked } = target([IN_TARGET_FROM_EARLIER, IN_PPA, IN_EARLIER_PPA]);
  await runActivity(copyPackage({ ppaClient }), { ...INPUT, uploads: [EARLIER_UPLOAD] });
  expect(asked()).toBe(0);
});

test.each(['Unapproved', 'New', 'Accepted'])(
  'a copy that is %s in the queue of the target is not sent again',
  async (status) => {
    expect(await sent([IN_PPA], [upload(status)])).toBe(false);
    expect(await sent([IN_PPA], [upload('Rejected'), upload(status)])).toBe(false);
  },
);

test('a copy is sent beside one of another PPA, and after one that was rejected', async () => {
  expect(await sent([IN_PPA], [upload('New', 'other')])).toBe(true);
  expect(await sent([IN_PPA], [upload('Rejected')])).toBe(true);
});

test('a target that does not exist refuses the copy, in its own words', async () => {
  const { ppaClient } = target([IN_PPA]);
  const said = 'archive: No such object "~me/+archive/debian/none".';
  ppaClient.heldUploads = async () => {
    throw new PpaAnswerError(400, said);
  };
  ppaClient.copyPackage = async () => ({ said });
  expect(await runActivity(copyPackage({ ppaClient }), INPUT)).toEqual({ refused: said });
});

test('a copy whose activity Temporal has given up is not sent', async () => {
  const { ppaClient, asked } = target([IN_PPA]);
  let giveUp = () => {};
  ppaClient.heldUploads = async () => {
    giveUp();
    return [];
  };
  const copying = runActivity(copyPackage({ ppaClient }), INPUT, {
    prepare: (environment) => (giveUp = () => environment.cancel('TIMED_OUT')),
  });
  await expect(copying).rejects.toMatchObject({ name: 'CancelledFailure' });
  expect(asked()).toBe(0);
});
