import { openDatabase } from '../../models/database.ts';
import { query } from '../../models/sql/query.ts';
import { createTestDatabase } from '../support/database.ts';
import { addBuild, addTicket } from '../support/rows.ts';

describe('two databases in one process', () => {
  it('have models of their own', async () => {
    const created = [await createTestDatabase(), await createTestDatabase()] as const;
    const [one, other] = [openDatabase(created[0].url, 2), openDatabase(created[1].url, 2)];
    try {
      // No connection has the code of a statement compiled.
      expect(await query(one.sequelize, "SELECT current_setting('jit') AS jit")).toEqual([
        { jit: 'off' },
      ]);

      const build = await addBuild(one, { requestId: 'of the one' });
      expect(await other.Build.count()).toBe(0);
      expect(await other.Ticket.count()).toBe(0);

      await addTicket(other);
      await addBuild(other, { requestId: 'of the other' });
      const report = { buildId: build.id, key: 'begun', message: 'STARTED' as const };
      await one.ProgressEvent.record(report);
      expect(await build.reload()).toMatchObject({ requestId: 'of the one', state: 'checking' });
      expect(await other.ProgressEvent.unpublished()).toBe(1);
      expect(await one.ProgressEvent.unpublished()).toBe(2);
      expect(await other.Build.findByPk(build.id)).toMatchObject({ state: 'queued' });
      expect(await one.Ticket.count()).toBe(1);
      expect(await other.Ticket.count()).toBe(2);
    } finally {
      await Promise.all([one.close(), other.close()]);
      await Promise.all(created.map(({ drop }) => drop()));
    }
  });
});
