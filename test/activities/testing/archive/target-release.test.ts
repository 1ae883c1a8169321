import { createHash } from 'node:crypto';
import { readTargetRelease } from '../../../../activities/testing/archive/target-release.ts';
import type { Archive } from '../../../../ppa/wire.ts';
import { startFileServer, type Answer, type FileServer } from '../../file-server.ts';

const PLACE = {
  distribution: 'debian',
  series: 'bookworm',
  architecture: 'amd64',
  target: '~team/debian/landed',
};
const IN_RELEASE = 'team/landed/debian/dists/bookworm/InRelease';
const PPA: Archive = { private: false };
const { signal } = new AbortController();

let server: FileServer;
beforeEach(async () => {
  server = await startFileServer();
});
afterEach(() => server.stop());

/** What the target has. @param archive what Launchpad says of it */
function ask(place: Parameters<ReturnType<typeof readTargetRelease>>[0], archive?: Archive) {
  return readTargetRelease({
    ppaClient: { getArchive: async () => archive },
    repositoryOf: ({ owner, name, distribution }) =>
      `${server.url}/${owner}/${name}/${distribution}`,
    idleTimeoutMs: 60_000,
  })(place, signal);
}

describe('what a target has', () => {
  it('is named by the checksum of its InRelease', async () => {
    server.answer(IN_RELEASE, 'Suite: bookworm\n');
    expect(await ask(PLACE, PPA)).toBe(
      createHash('sha256').update('Suite: bookworm\n').digest('hex'),
    );
  });

  it('is nothing where it has published nothing for the series', async () => {
    expect(await ask(PLACE, PPA)).toBeUndefined();
  });

  it.each([
    ['is private', { private: true }],
    ['is not there for us', undefined],
  ])('is not asked for where the PPA %s', async (_, archive) => {
    server.answer(IN_RELEASE, 'Suite: bookworm\n');
    expect(await ask(PLACE, archive)).toBeUndefined();
    expect(server.asked(IN_RELEASE)).toBe(0);
  });

  it('is not asked for where a place has no target', async () => {
    expect(await ask({ ...PLACE, target: null }, PPA)).toBeUndefined();
  });

  it.each<[string, Answer, string]>([
    ['fails', (_, response) => response.writeHead(503).end(), '503'],
    ['is far too long', (_, response) => response.end(Buffer.alloc(5 * 2 ** 20)), 'bytes'],
  ])('is not known now where the answer %s', async (_, answer, why) => {
    server.answer(IN_RELEASE, answer);
    await expect(ask(PLACE, PPA)).rejects.toThrow(why);
  });
});
