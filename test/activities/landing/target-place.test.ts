import { publicationOf } from '../../../activities/landing/target-place.ts';
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

const ONE = { source: SOURCE, version: '1.2' };

const inPpa = (more: Partial<Publication> = {}): Publication => ({ ...IN_PPA, ...more });
const inTarget = (more: Partial<Publication> = {}): Publication => ({ ...IN_TARGET, ...more });
/** How the package stands in a series of the target. */
const stateIn = (series: string, publications: readonly Publication[], requestedAtMs?: number) =>
  publicationOf(
    archivesInMemory(publications),
    { ppa: PPA, target: { ...TARGET, series }, requestedAtMs },
    ONE,
  );

describe('a package in its target', () => {
  it('is absent until the copy is made, and where it was deleted', async () => {
    expect(await stateIn('bookworm', [inPpa()])).toBe('absent');
    expect(await stateIn('bookworm', [inTarget({ status: 'Deleted' }), inPpa()])).toBe('absent');
  });

  it('is pending until the source and all packages of the PPA are published', async () => {
    const both = [
      { architecture: 'amd64', build: 'A', status: 'Published' },
      { architecture: 'arm64', build: 'B', status: 'Published' },
    ];
    const ppa = inPpa({ binaries: both });
    const stateWith = (more: Partial<Publication>) => stateIn('bookworm', [inTarget(more), ppa]);
    expect([
      await stateWith({ binaries: both, status: 'Pending' }),
      await stateWith({ binaries: both.slice(0, 1) }),
      await stateWith({ binaries: both.map((one) => ({ ...one, status: 'Pending' })) }),
      await stateWith({ binaries: both }),
    ]).toEqual(['pending', 'pending', 'pending', 'published']);
  });

  it.each(['Superseded', 'Deleted'])(
    'is published though it is %s by now, where it came since the landing was requested',
    async (status) => {
      const requestedAtMs = Date.parse('2026-01-01T12:00:00Z');
      const createdAt = '2026-01-01T13:00:00+00:00';
      const amd64 = { architecture: 'amd64', build: 'A', status };
      const stateWith = (more: Partial<Publication>) =>
        stateIn(
          'bookworm',
          [inTarget({ createdAt, status, binaries: [amd64], ...more }), inPpa()],
          requestedAtMs,
        );
      expect(await stateWith({})).toBe('published');
      expect(await stateWith({ createdAt: '2026-01-01T11:00:00+00:00' })).toBe('absent');
      expect(await stateWith({ binaries: [] })).toBe('absent');
      expect(await stateWith({ binaries: [{ ...amd64, build: 'B' }] })).toBe('absent');
      expect(
        await stateWith({ binaries: [{ ...amd64, status: 'Pending' }], status: 'Published' }),
      ).toBe('pending');
    },
  );

  it('is foreign where another build made what the PPA has made', async () => {
    const binaries = [{ architecture: 'amd64', build: 'B', status: 'Published' }];
    expect(await stateIn('bookworm', [inTarget({ binaries }), inPpa()])).toBe('foreign');
  });

  it('is foreign where the PPA never had it', async () => {
    expect(await stateIn('bookworm', [inTarget()])).toBe('foreign');
  });

  it('does not wait for what the target builds for other architectures', async () => {
    const binaries = [
      { architecture: 'amd64', build: 'A', status: 'Published' },
      { architecture: 'arm64', build: 'of the target', status: 'Pending' },
    ];
    expect(await stateIn('bookworm', [inTarget({ binaries }), inPpa()])).toBe('published');
  });

  it('is published in another series than it was built for', async () => {
    expect(await stateIn('trixie', [inTarget({ series: 'trixie' }), inPpa()])).toBe('published');
  });

  it('is published where the PPA has it in two series', async () => {
    const copies = [inPpa({ series: 'trixie' }), inPpa()];
    expect(await stateIn('bookworm', [inTarget(), ...copies])).toBe('published');
    expect(await stateIn('trixie', [inTarget({ series: 'trixie' }), ...copies])).toBe('published');
  });

  it('is published where its series lacks an architecture that a package for all is for', async () => {
    const forAll = (architecture: string) => ({
      architecture,
      build: 'A',
      status: 'Published',
      isForAll: true,
    });
    const ppa = inPpa({ binaries: [forAll('amd64'), forAll('armhf')] });
    const target = inTarget({ series: 'trixie', binaries: [forAll('amd64')] });
    expect(await stateIn('trixie', [target, ppa])).toBe('published');
  });

  it.each([
    ['published', 'lacks', 'powerpc'],
    ['pending', 'has', 'arm64'],
  ])(
    'is %s where its series %s the architecture of a package that is not there',
    async (...row) => {
      const [state, , architecture] = row;
      const amd64 = { architecture: 'amd64', build: 'A', status: 'Published' };
      const ppa = inPpa({ binaries: [amd64, { ...amd64, architecture, build: 'B' }] });
      const copied = { series: 'trixie', binaries: [amd64] };
      expect(await stateIn('trixie', [inTarget(copied), ppa])).toBe(state);
      expect(await stateIn('trixie', [inTarget({ ...copied, binaries: [] }), ppa])).toBe('pending');
      expect(await stateIn('trixie', [inTarget({ ...copied, status: 'Pending' }), ppa])).toBe(
        'pending',
      );
    },
  );

  it.each(['Superseded', 'Deleted'])('is published though the PPA has it as %s', async (status) => {
    const gone = inPpa({ status, binaries: [{ architecture: 'amd64', build: 'A', status }] });
    expect(await stateIn('bookworm', [inTarget(), inPpa({ version: '1.3' }), gone])).toBe(
      'published',
    );
  });
});

describe('a package that a PPA has built which the landing had before', () => {
  /** How it stands for a landing that has uploaded it to both PPAs. */
  const stateOf = (
    there: Partial<Publication>,
    { own = {}, before = {}, uploads = [EARLIER_UPLOAD], requestedAtMs = Infinity } = {},
  ) =>
    publicationOf(
      archivesInMemory([
        { ...IN_TARGET_FROM_EARLIER, ...there },
        inPpa(own),
        { ...IN_EARLIER_PPA, ...before },
      ]),
      { ppa: PPA, target: TARGET, requestedAtMs, uploads },
      ONE,
    );
  const ofEarlierAs = (status: string) => [{ architecture: 'amd64', build: 'E', status }];

  it('is published once the target has let it in, though that PPA has been emptied since', async () => {
    const before = { status: 'Deleted', binaries: ofEarlierAs('Deleted') };
    expect(await stateOf({}, { before })).toBe('published');
  });

  it('is pending while the target is about to publish it', async () => {
    expect(await stateOf({ status: 'Pending', binaries: ofEarlierAs('Pending') })).toBe('pending');
  });

  it('is published though it has left its pocket by now', async () => {
    const left = {
      status: 'Superseded',
      createdAt: '2026-01-01T13:00:00+00:00',
      binaries: ofEarlierAs('Superseded'),
    };
    const requestedAtMs = Date.parse('2026-01-01T12:00:00Z');
    expect(await stateOf(left, { requestedAtMs })).toBe('published');
  });

  it('is foreign where the landing has uploaded nothing of it there', async () => {
    const other = { ...EARLIER_UPLOAD, source: 'libhello' };
    const older = { ...EARLIER_UPLOAD, version: '1.1' };
    expect(await stateOf({}, { uploads: [other, older] })).toBe('foreign');
    expect(await stateOf({}, { uploads: [] })).toBe('foreign');
  });

  it('is foreign where neither PPA has built what is there', async () => {
    const binaries = [{ architecture: 'amd64', build: 'B', status: 'Published' }];
    expect(await stateOf({ binaries })).toBe('foreign');
  });

  it('is foreign where its files are not those that are landed now; they may be signed anew', async () => {
    const files = { dsc: 'signed', tarball: 'one' };
    expect(await stateOf(files, { own: { dsc: 'signed anew', tarball: 'other' } })).toBe('foreign');
    expect(await stateOf(files, { own: { dsc: 'signed anew', tarball: 'one' } })).toBe('published');
  });
});
