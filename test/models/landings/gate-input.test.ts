import { readGateBuilds } from '../../../models/landings/gate-input.ts';
import { addBuild, architectureBuild } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

test('of a build of two packages, the gate sees for each what was made of it', async () => {
  const made = (source: string, architecture: string) => ({
    name: source,
    source,
    version: '1',
    architecture,
    url: null,
    size: null,
    sha256: null,
  });
  const build = await addBuild(database.now);
  await build.update({
    architectureBuilds: [
      architectureBuild({ package: 'doc' }),
      architectureBuild({ package: 'lib' }),
      architectureBuild({ package: 'lib', architecture: 'arm64' }),
    ],
    builtPackages: [made('doc', 'all'), made('lib', 'amd64'), made('lib', 'arm64')],
  });
  const part = { subticket_id: 1, version: '1', state: 'built' as const, build_id: build.id };
  const seen = await readGateBuilds(database.now.Build, [
    { ...part, source: 'doc' },
    { ...part, source: 'lib' },
  ]);
  expect(seen).toMatchObject([
    { source: 'doc', builds: [{ architecture: 'amd64' }], made: ['all'] },
    { source: 'lib', builds: [{}, {}], made: ['amd64', 'arm64'] },
  ]);
});
