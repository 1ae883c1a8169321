import type { Database } from '../../models/database.ts';
import { addBuild, addLanding } from '../support/rows.ts';
import { BACKUPS, restore } from './restore.ts';
import { useDatabase } from './use-database.ts';

const TOLD_AFTER_THE_BACKUP = 20;

/** A build and a landing, as the backup has them, and what each is told to tell. */
async function underWay(database: Database) {
  const build = await addBuild(database);
  const landing = await addLanding(database);
  return {
    build,
    landing,
    async tell(key: string) {
      const ofBuild = { buildId: build.id, key, message: 'INPROGRESS' } as const;
      const ofLanding = { landingId: landing.id, attempt: 1, key, phase: 'building' } as const;
      const buildEvent = await database.ProgressEvent.record(ofBuild);
      const landingEvent = await database.LandingEvent.record(ofLanding);
      return { build: buildEvent?.seq ?? 0, landing: landingEvent?.seq ?? 0 };
    },
  };
}

describe.each(BACKUPS)('events after a restore of a backup "%s"', (backup) => {
  const lost = useDatabase();
  const restored = useDatabase();

  it('have none of the numbers by which callers know those told after the backup', async () => {
    const before = await underWay(lost.now);
    let last = await before.tell('0');
    for (let told = 1; told < TOLD_AFTER_THE_BACKUP; told += 1) last = await before.tell(`${told}`);
    const { tell } = await underWay(restored.now);

    await restore(restored.now, backup);

    const next = await tell('0');
    expect(next.build).toBeGreaterThan(last.build);
    expect(next.landing).toBeGreaterThan(last.landing);
    // It jumps once.
    expect(await tell('1')).toEqual({ build: next.build + 1, landing: next.landing + 1 });
  });

  it('leave the number of the last one of what had ended: who has it has all', async () => {
    const { build, landing } = await underWay(restored.now);
    const { ProgressEvent, LandingEvent } = restored.now;
    const last = await ProgressEvent.record({ buildId: build.id, key: 'end', message: 'FAILURE' });
    const end = { landingId: landing.id, attempt: 1, key: 'end', phase: 'failed' } as const;
    const lastOfLanding = await LandingEvent.record(end);

    await restore(restored.now, backup);

    expect(await build.reload()).toMatchObject({ lastSeq: last?.seq });
    expect(await landing.reload()).toMatchObject({ lastSeq: lastOfLanding?.seq });
  });
});
