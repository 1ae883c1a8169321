import { publicationOf } from '../../../activities/landing/target-place.ts';
import {
  archivesInMemory,
  IN_PPA,
  IN_TARGET,
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

  it.each(['Superseded', 'Deleted'])('is published though the PPA has it as %s', async (status) => {
    const gone = inPpa({ status, binaries: [{ architecture: 'amd64', build: 'A', status }] });
    expect(await stateIn('bookworm', [inTarget(), inPpa({ version: '1.3' }), gone])).toBe(
      'published',
    );
  });
});
