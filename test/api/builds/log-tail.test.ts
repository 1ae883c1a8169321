import type { ArchitectureBuild } from '../../../domain/builds/progress.ts';
import { endReading, takeOnTails } from '../../../models/builds/log-tail.ts';
import { architectureBuild, report } from '../../support/rows.ts';
import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);
const ONE = 'package=hello&architecture=amd64';

async function buildIn(...states: ArchitectureBuild['buildstate'][]) {
  const build = await world.build(await world.ticket());
  const builds = states.map((state, at) =>
    architectureBuild({
      architecture: ['amd64', 'arm64'][at] ?? '',
      buildstate: state,
      web_link: 'http://lp.example/+build/1',
    }),
  );
  await report(api.now.database, build, 'INPROGRESS', { builds });
  return build;
}
const tail = async ({ id }: { id: number }, query = ONE) =>
  (await world.get(`build/${id}/log_tail/?${query}`)).json;
const wanted = () => takeOnTails(api.now.database.sequelize, 10, 60_000);

describe('the end of a log that is being written', () => {
  it('is read on for a reader, and given with its time', async () => {
    const build = await buildIn('Currently building');
    expect(await tail(build)).toMatchObject({
      state: 'building',
      text: '',
      end: 0,
      as_of: null,
      problem: null,
      log: null,
    });
    const [reading] = await wanted();
    expect(reading).toMatchObject({ buildId: build.id, pageUrl: 'http://lp.example/+build/1' });
    if (!reading) throw new Error('nothing is wanted');
    await endReading(api.now.database.sequelize, reading, { shown: 'cc -c a.c' }, 60_000);
    expect(await tail(build)).toMatchObject({
      text: 'cc -c a.c',
      end: 9,
      as_of: expect.stringMatching(/Z$/),
    });
    await endReading(api.now.database.sequelize, reading, { problem: 'not_public' }, 60_000);
    expect(await tail(build)).toMatchObject({
      text: 'cc -c a.c',
      problem: { code: 'not_public', message: expect.stringContaining('signed in') },
    });
    await report(api.now.database, build, 'COMPLETE', {
      builds: [architectureBuild({ architecture: 'amd64', buildstate: 'Successfully built' })],
      logs: ['http://store.example/builds/1/hello_2.10-3_amd64.build.log'],
    });
    expect(await tail(build)).toMatchObject({
      state: 'ended',
      problem: null,
      log: 'http://store.example/builds/1/hello_2.10-3_amd64.build.log',
    });
  });

  it('is not asked of the PPA before the build begins, and after it has ended', async () => {
    const build = await buildIn('Needs building', 'Successfully built');
    expect(await tail(build)).toMatchObject({ state: 'waiting' });
    expect(await tail(build, 'package=hello&architecture=arm64')).toMatchObject({ state: 'ended' });
    expect((await wanted()).filter(({ buildId }) => buildId === build.id)).toEqual([]);
  });

  it('is that of one package on one architecture which the build has', async () => {
    const build = await buildIn('Currently building');
    const answer = async (path: string) => {
      const { status, json } = await world.get(path);
      return [status, json.error];
    };
    expect(await answer(`build/${build.id}/log_tail/`)).toEqual([400, 'Name the package.']);
    expect(await answer(`build/${build.id}/log_tail/?package=hello&architecture=s390x`)).toEqual([
      404,
      `The PPA has no build of hello on s390x in build ${build.id}.`,
    ]);
    expect((await answer(`build/999999/log_tail/?${ONE}`))[0]).toBe(404);
  });
});
