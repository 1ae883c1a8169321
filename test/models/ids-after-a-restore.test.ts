import type { Database } from '../../models/database.ts';
import { addBuild, addLanding } from '../support/rows.ts';
import { BACKUPS, restore } from './restore.ts';
import { useDatabase } from './use-database.ts';

async function idsOfRequests(database: Database) {
  const build = await addBuild(database);
  const landing = await addLanding(database);
  return {
    build: build.id,
    landing: landing.id,
    tickets: [build.ticketId, landing.ticketId],
  };
}

describe.each(BACKUPS)('ids after a restore of a backup "%s"', (backup) => {
  // The backup was made when nothing was requested yet: both give ids from there on.
  const lost = useDatabase();
  const restored = useDatabase();

  it('are none that callers, files and Temporal know from before as those of something else', async () => {
    const before = await idsOfRequests(lost.now);

    await restore(restored.now, backup);

    const after = await idsOfRequests(restored.now);
    expect(after.build).toBeGreaterThan(before.build);
    expect(after.landing).toBeGreaterThan(before.landing);
    expect(Math.min(...after.tickets)).toBeGreaterThan(Math.max(...before.tickets));
    // They have to fit where they are read from the id of a workflow, and from the name of a file.
    for (const id of [after.build, after.landing, ...after.tickets])
      expect(String(id).length).toBeLessThanOrEqual(9);
  });
});
