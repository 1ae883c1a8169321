import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PoolPpa } from '../../../models/pool/pool-ppa.ts';
import { query } from '../../../models/sql/query.ts';
import { commandsOf } from '../../compose/page.ts';
import { runWithStub } from '../../compose/run-with-stub.ts';
import { addLanding } from '../../support/rows.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();
const BACKED_UP = ['cluster', 'postgresql', 'rabbitmq', 'data-store', 'signing-keyring'];

describe.each(['While it runs', 'While it is stopped'])(
  'a PPA of the pool after a restore of a backup "%s"',
  (backup) => {
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

    /** Does to the database what the page has done to it. @returns what it has done with Docker, before and after */
    async function restore() {
      const directory = temporaryDirectory();
      mkdirSync(join(directory, 'backup'));
      for (const name of BACKED_UP)
        writeFileSync(join(directory, 'backup', `${name}.tar.gz`), 'as if');
      const script = 'case "$*" in *" psql "*) cat > statements ;; esac';
      const commands = commandsOf(backup, 2);
      const { calls } = await runWithStub(directory, commands, { name: 'docker', script });
      const statements = readFileSync(join(directory, 'statements'), 'utf8').split(';');
      for (const statement of statements.filter((one) => one.trim() !== ''))
        await query(database.now.sequelize, statement);
      const asked = calls.findIndex((call) => call.includes(' psql '));
      return { before: calls.slice(0, asked), after: calls.slice(asked + 1) };
    }

    it('is looked at again before a landing gets it, because others may have had it since', async () => {
      const { sequelize, PoolPpa } = database.now;
      const leased = await add('leased');
      expect(await take()).toEqual({ ppa: leased.reference });
      const free = await add('free');
      const cleaned = await add('cleaned');
      await sequelize.transaction((transaction) => PoolPpa.clean(cleaned.id, transaction));
      await PoolPpa.update({ dispatchedAt: new Date() }, { where: { id: cleaned.id } });
      const { cleaning: beforeRestore } = await cleaned.reload();

      const { before, after } = await restore();

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
  },
);
