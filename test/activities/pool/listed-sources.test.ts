import { gzipSync } from 'node:zlib';
import { listedSources } from '../../../activities/pool/listed-sources.ts';
import { runActivity } from '../activity.ts';
import { startFileServer, type FileServer } from '../file-server.ts';

const PPA = { owner: 'me', distribution: 'ubuntu', name: 'silo' };
const SUITE = 'me/silo/ubuntu/dists/noble';

let server: FileServer;
beforeEach(async () => {
  server = await startFileServer();
});
afterEach(() => server.stop());

/** @param indexes text by path; those that end with .gz are compressed */
async function listedIn(indexes: Readonly<Record<string, string>>): Promise<string[]> {
  for (const [path, text] of Object.entries(indexes))
    server.answer(`${SUITE}/${path}`, path.endsWith('.gz') ? gzipSync(text) : text);
  const asked = { ppa: PPA, series: 'noble', aptUrl: server.url, idleTimeoutMs: 10_000 };
  return [...(await runActivity(listedSources, asked))];
}

test('a PPA that has published nothing yet lists nothing', async () => {
  expect(await listedIn({})).toEqual([]);
});

test('sources are listed, and those that a package of any architecture was built from', async () => {
  const listed = await listedIn({
    Release: 'Suite: noble\nArchitectures: amd64 arm64 riscv64\nComponents: main\n',
    'main/source/Sources.gz': 'Package: hello\nVersion: 1:2.10-3\n',
    'main/binary-amd64/Packages.gz': 'Package: hello\nVersion: 1:2.10-3\nArchitecture: amd64\n',
    'main/binary-arm64/Packages.gz': [
      'Package: libfoo-dev\nSource: libfoo\nVersion: 2.0\n',
      'Package: libbar1\nSource: bar (1.0)\nVersion: 1.0+b1\n',
    ].join('\n'),
  });
  expect(listed).toEqual(['hello 1:2.10-3', 'libfoo 2.0', 'bar 1.0']);
});
