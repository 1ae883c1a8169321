import { DEFAULT_LANDING_POLICY } from '../../../domain/landings/landing-policy.ts';
import type { Landing } from '../../../models/landings/landing.ts';
import { openLandingBuild } from '../../../models/landings/landing-build.ts';
import { addBuild, addLanding, report } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

describe('the build of a package of a landing', () => {
  /** A landing, with a build of its package that was completed before. */
  async function stage() {
    const landing = await addLanding(database.now);
    const { ticketId, series, packages } = landing;
    const [one] = packages;
    const earlier = await addBuild(database.now, {
      ticketId,
      series,
      ppa: 'ppa:airline/silo',
      archive: 'debian',
      sourcePackages: [...(one?.files ?? [])],
    });
    const end = { state: 'completed', phase: 'completed', finishedAt: new Date() } as const;
    const made = {
      name: 'hello',
      version: '1',
      architecture: 'amd64',
      url: null,
      size: null,
      sha256: null,
    };
    const published = { ...made, published_at: '2026-11-26T12:00:00.000Z' };
    await earlier.update({ ...end, builtPackages: [published] });
    const open = (source: string) =>
      openLandingBuild(database.now.sequelize, database.now, {
        landingId: landing.id,
        attempt: landing.attempt,
        source,
      });
    return { landing, earlier, made, published, open, source: one?.source ?? '' };
  }

  it('is one of the same files that is completed', async () => {
    const { earlier, open, source } = await stage();
    expect((await open(source)).id).toBe(earlier.id);
  });

  it('is one of its own where no build of the same files has ended with all of it published', async () => {
    const { landing, earlier, made, published, open, source } = await stage();
    for (const builtPackages of [[], [published, made]]) {
      await earlier.update({ builtPackages });
      const own = await open(source);
      expect(own).toMatchObject({ landingId: landing.id, finishedAt: null });
      expect((await open(source)).id).toBe(own.id);
      // One that somebody retried by itself may end before that, too.
      await own.update({ state: 'completed', phase: 'completed', finishedAt: new Date() });
    }
    expect((await open(source)).id).not.toBe(earlier.id);
  });

  it('is one of its own where an architecture was built of which nothing is listed', async () => {
    const { landing, earlier, published, open, source } = await stage();
    const architectureBuilds = ['amd64', 'arm64'].map((architecture) => ({
      package: source,
      version: '1',
      architecture,
      buildstate: 'Successfully built',
      state: 'completed' as const,
      web_link: `https://lp.example/+build/${architecture}`,
    }));
    const forAll = { ...published, name: 'hello-doc', architecture: 'all' };
    const onArm64 = { ...published, architecture: 'arm64' };
    await earlier.update({ architectureBuilds, builtPackages: [published, forAll, onArm64] });
    expect((await open(source)).id).toBe(earlier.id);
    // One build makes what is for all architectures.
    const [onAmd64] = architectureBuilds;
    await earlier.update({
      architectureBuilds: onAmd64 ? [onAmd64] : [],
      builtPackages: [forAll],
    });
    expect((await open(source)).id).toBe(earlier.id);
    await earlier.update({ architectureBuilds, builtPackages: [published, forAll] });
    expect(await open(source)).toMatchObject({ landingId: landing.id, finishedAt: null });
  });

  it('is one of its own where nothing is listed of one of the packages built with it', async () => {
    const { landing, earlier, published, open, source } = await stage();
    const builds = [source, 'other'].map((name) => ({
      package: name,
      version: '1',
      architecture: 'amd64',
      buildstate: 'Successfully built',
      state: 'completed' as const,
      web_link: `https://lp.example/+build/${name}`,
    }));
    await earlier.update({
      architectureBuilds: builds,
      builtPackages: [{ ...published, name: 'other', source: 'other' }],
    });
    expect(await open(source)).toMatchObject({ landingId: landing.id, finishedAt: null });
  });

  it('is none where the landing has no such package, whatever else was built', async () => {
    const { landing, open } = await stage();
    await expect(open('elsewhere')).rejects.toMatchObject({
      code: 'internal',
      message: `Landing ${landing.id} has no package elsewhere.`,
    });
  });
});

describe('a landing that failed, and so did its build', () => {
  /** Both, and what people ask of them then. */
  async function stage() {
    const { sequelize, Build, Landing: Landings, LandingEvent } = database.now;
    const landing = await addLanding(database.now);
    const open = ({ id, attempt, packages }: Landing) =>
      openLandingBuild(sequelize, database.now, {
        landingId: id,
        attempt,
        source: packages[0]?.source ?? '',
      });
    const build = await open(landing);
    const endBuild = (attempt: number) =>
      report(database.now, build, 'FAILURE', { attempt, key: `final-${attempt}` });
    await endBuild(1);
    const of = { landingId: landing.id, attempt: 1 };
    await LandingEvent.record({ ...of, key: 'failed', phase: 'failed' });
    const request = { policy: DEFAULT_LANDING_POLICY, requestedBy: 'ann', requestId: 'r' };
    return {
      landing,
      build,
      open,
      endBuild,
      retryLanding: () =>
        sequelize.transaction((transaction) => Landings.retry(landing.id, request, transaction)),
      retryBuild: () =>
        sequelize.transaction(async (transaction) => {
          await Landings.assertEnded(landing.id, transaction);
          return Build.retry(build.id, { requestedBy: 'ann', maxAttempts: 9 }, transaction);
        }),
    };
  }

  it('is not retried while its build is, and takes up that build afterwards', async () => {
    const { landing, build, open, endBuild, retryBuild, retryLanding } = await stage();
    await retryBuild();
    await expect(retryLanding()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`Build ${build.id} of landing ${landing.id} is under way`),
    });
    await endBuild(2);
    await retryLanding();
    expect(await open(await landing.reload())).toMatchObject({ id: build.id, attempt: 3 });
  });

  it('keeps its build from being retried by itself while it is retried', async () => {
    const { landing, build, retryBuild, retryLanding } = await stage();
    await retryLanding();
    await expect(retryBuild()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`Landing ${landing.id} is queued`),
    });
    expect(await build.reload()).toMatchObject({ attempt: 1, state: 'failed' });
  });
});
