import { pollTarget } from '../../../activities/landing/poll-target.ts';
import type { PackageUpload } from '../../../ppa/wire.ts';
import {
  archivesInMemory,
  IN_PPA,
  IN_TARGET,
  PPA,
  SOURCE,
  TARGET,
  type Publication,
} from './archives-in-memory.ts';

const INPUT = { ppa: PPA, target: TARGET, source: SOURCE, version: '1.2' };
const OLD = { self_link: 'https://api/debian/bookworm/+upload/1', status: 'Rejected' };
const NEW = { self_link: 'https://api/debian/bookworm/+upload/2', status: 'Unapproved' };

const amd64 = { architecture: 'amd64', build: 'A', status: 'Published' };
const poll = (
  publications: readonly Publication[],
  uploads: readonly PackageUpload[] = [],
  seenUpload?: string,
) => pollTarget({ ppaClient: archivesInMemory(publications, uploads) })({ ...INPUT, seenUpload });

test('what the target builds for an architecture that the PPA lacks is not waited for', async () => {
  const arm64 = { architecture: 'arm64', build: 'of the target', status: 'Pending' };
  expect(await poll([{ ...IN_TARGET, binaries: [amd64, arm64] }, IN_PPA])).toEqual({
    isPublished: true,
  });
});

test('a newer version in the PPA does not undo what the target has published', async () => {
  const status = 'Superseded';
  const superseded = { ...IN_PPA, status, binaries: [{ ...amd64, status }] };
  expect(await poll([IN_TARGET, { ...IN_PPA, version: '1.3' }, superseded])).toEqual({
    isPublished: true,
  });
});

test('a copy that was published and has left its pocket is published', async () => {
  const status = 'Deleted';
  const createdAt = '2026-01-01T13:00:00+00:00';
  const left = { ...IN_TARGET, status, createdAt, binaries: [{ ...amd64, status }] };
  const pollSince = (requestedAt: string) =>
    pollTarget({ ppaClient: archivesInMemory([left, IN_PPA]) })({
      ...INPUT,
      requestedAtMs: Date.parse(requestedAt),
    });
  expect(await pollSince('2026-01-01T12:00:00Z')).toEqual({ isPublished: true });
  expect(await pollSince('2026-01-01T14:00:00Z')).toEqual({ isPublished: false });
  expect(await poll([left, IN_PPA])).toEqual({ isPublished: false });
});

test('a copy that waits for a person, or was rejected, is told of', async () => {
  expect(await poll([IN_PPA])).toEqual({ isPublished: false });
  expect(await poll([IN_PPA], [NEW])).toEqual({ isPublished: false, held: 'Unapproved' });
  const rejected = { ...NEW, status: 'Rejected' };
  expect(await poll([IN_PPA], [rejected, OLD], OLD.self_link)).toEqual({
    isPublished: false,
    held: 'Rejected',
  });
});

describe('a copy that is in the queue twice', () => {
  const second = { self_link: 'https://api/debian/bookworm/+upload/3', status: 'Rejected' };

  test.each(['Unapproved', 'Accepted', 'Done'])(
    'is not rejected where one of them was, and the other is %s',
    async (held) => {
      const first = { ...NEW, status: held };
      expect(await poll([IN_PPA], [second, first])).toEqual({ isPublished: false, held });
      expect(await poll([IN_PPA], [second, first, OLD], OLD.self_link)).toEqual({
        isPublished: false,
        held,
      });
    },
  );

  test('is rejected where both were', async () => {
    const first = { ...NEW, status: 'Rejected' };
    expect(await poll([IN_PPA], [second, first, OLD], OLD.self_link)).toEqual({
      isPublished: false,
      held: 'Rejected',
    });
  });
});

test('of a copy that is about to be published, the queue says nothing', async () => {
  const rejected = { ...NEW, status: 'Rejected' };
  const pending = { ...IN_TARGET, status: 'Pending' };
  expect(await poll([pending, IN_PPA], [rejected])).toEqual({ isPublished: false });
});

test('what was rejected before the copy was asked for says nothing of it', async () => {
  expect(await poll([IN_PPA], [OLD], OLD.self_link)).toEqual({ isPublished: false });
  const older = { ...OLD, self_link: 'https://api/debian/bookworm/+upload/0' };
  expect(await poll([IN_PPA], [OLD, older], OLD.self_link)).toEqual({ isPublished: false });
});
