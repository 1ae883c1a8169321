import { openLandingBuild } from '../../models/landing-build.ts';
import { addBuild, addLanding } from '../support/rows.ts';
import { useDatabase } from './use-database.ts';

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
    await earlier.update({ state: 'completed', phase: 'completed', finishedAt: new Date() });
    const open = (source: string) =>
      openLandingBuild(database.now.sequelize, database.now, {
        landingId: landing.id,
        attempt: landing.attempt,
        source,
      });
    return { landing, earlier, open, source: one?.source ?? '' };
  }

  it('is one of the same files that is completed', async () => {
    const { earlier, open, source } = await stage();
    expect((await open(source)).id).toBe(earlier.id);
  });

  it('is none where the landing has no such package, whatever else was built', async () => {
    const { landing, open } = await stage();
    await expect(open('elsewhere')).rejects.toMatchObject({
      code: 'internal',
      message: `Landing ${landing.id} has no package elsewhere.`,
    });
  });
});
