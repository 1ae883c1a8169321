import type { PoolPpa } from '../../../models/pool/pool-ppa.ts';
import { addLanding } from '../../support/rows.ts';
import { BACKUPS, restore } from '../restore.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

describe.each(BACKUPS)('a PPA of the pool after a restore of a backup "%s"', (backup) => {
  const distribution = backup.toLowerCase().replaceAll(' ', '-');

  async function add(name: string): Promise<PoolPpa> {
    const { sequelize, PoolPpa } = database.now;
    const ppa = { owner: 'team', distribution, name };
    const row = await sequelize.transaction((transaction) => PoolPpa.add(ppa, transaction));
    await PoolPpa.endCleaning({ poolPpaId: row.id, cleaning: row.cleaning }, null);
    return row.reload();
  }
  const take = async () => {
    const landing = await addLanding(database.now, { ppa: null, archive: distribution });
    return database.now.PpaLease.take({ landingId: landing.id, attempt: 1 });
  };

  it('is looked at again before a landing gets it, because others may have had it since', async () => {
    const { sequelize, PoolPpa } = database.now;
    const leased = await add('leased');
    expect(await take()).toEqual({ ppa: leased.reference });
    const free = await add('free');
    const cleaned = await add('cleaned');
    await sequelize.transaction((transaction) => PoolPpa.clean(cleaned.id, transaction));
    await PoolPpa.update({ dispatchedAt: new Date() }, { where: { id: cleaned.id } });
    const { cleaning: beforeRestore } = await cleaned.reload();

    const { before, after } = await restore(database.now, backup);

    expect(before.at(-1)).toBe('compose up --detach --wait postgresql');
    expect(after).toEqual(['compose up --detach']);
    for (const row of [free, cleaned])
      expect(await row.reload()).toMatchObject({ state: 'cleaning', isPastKnown: false });
    expect((await PoolPpa.undispatched(100)).map(({ id }) => id)).toEqual(
      expect.arrayContaining([free.id, cleaned.id]),
    );
    // The workflow that cleaned it when the backup was made has no say any more.
    expect(cleaned.cleaning).toBeGreaterThan(beforeRestore);
    expect(await take()).toHaveProperty('waitsFor');
    // Whoever has it goes on; when it is given back, its past is read again.
    expect(await leased.reload()).toMatchObject({ state: 'leased', isPastKnown: false });
  });
});
