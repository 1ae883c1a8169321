import { Op } from 'sequelize';
import {
  importBinaryPackages,
  type BinaryPackageEntry,
  type ImportCounts,
} from '../../../models/tickets/import-binary-packages.ts';
import { query } from '../../../models/sql/query.ts';
import { TESTS } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

const imported = async (...entries: BinaryPackageEntry[]) =>
  importBinaryPackages(database.now.sequelize, entries, TESTS);
const entry = (
  name: string,
  version = '1',
  sourcePackage = 'source',
  seeded?: boolean,
): BinaryPackageEntry => ({ name, version, sourcePackage, seeded });
const row = async (name: string) =>
  (await database.now.BinaryPackage.findOne({ where: { name } }))?.get({ plain: true });

describe('an import of binary packages', () => {
  it('adds what is new, changes what differs and leaves the rest as it is', async () => {
    expect(await imported(entry('kept'), entry('changed'), entry('alone'))).toEqual({
      created: 3,
      updated: 0,
      unchanged: 0,
    });
    const [kept, alone] = [await row('kept'), await row('alone')];
    expect(await imported(entry('kept'), entry('changed', '2'), entry('new'))).toEqual({
      created: 1,
      updated: 1,
      unchanged: 1,
    });
    expect(await row('kept')).toEqual(kept);
    expect(await row('alone')).toEqual(alone);
    expect(await row('changed')).toMatchObject({ version: '2', revision: 2 });
  });

  it('moves a package to another source package, which it adds', async () => {
    await imported(entry('moving', '1', 'before'));
    const sources = await database.now.SourcePackage.count();
    expect(await imported(entry('moving', '1', 'after'))).toMatchObject({ updated: 1 });
    const after = await database.now.SourcePackage.findOne({ where: { name: 'after' } });
    expect(await row('moving')).toMatchObject({ sourcePackageId: after?.id });
    expect(await database.now.SourcePackage.count()).toBe(sources + 1);
  });

  it('leaves seeded as it is where the file does not say', async () => {
    await imported(entry('seed', '1', 'source', true));
    expect(await imported(entry('seed'))).toMatchObject({ unchanged: 1 });
    expect(await imported(entry('seed', '2'))).toMatchObject({ updated: 1 });
    expect(await row('seed')).toMatchObject({ version: '2', seeded: true });
    expect(await imported(entry('seed', '2', 'source', false))).toMatchObject({ updated: 1 });
    expect(await row('seed')).toMatchObject({ seeded: false });
  });

  it('uses no ids up for what is there already', async () => {
    const packages = Array.from({ length: 50 }, (_, index) =>
      entry(`id-${index}`, '1', `${index}`),
    );
    await imported(...packages);
    const highest = await highestIds();
    await imported(...packages);
    await imported(entry('id-after', '1', 'source-after'));
    expect(await highestIds()).toEqual({
      binary: highest.binary + 1,
      source: highest.source + 1,
    });
  });

  it('does nothing where the file is empty', async () => {
    expect(await imported()).toEqual({ created: 0, updated: 0, unchanged: 0 });
  });
});

describe('imports and other writers at once', () => {
  it('take turns, in whatever order their files are, and lose nothing', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `turn-${index}`);
    const files = Array.from({ length: 6 }, (_, file) =>
      (file % 2 === 0 ? names : names.toReversed()).map((name) => entry(name, `${file}`, name)),
    );
    const writers = names
      .slice(0, 50)
      .toReversed()
      .map(async (name) => {
        const { id } = await database.now.SourcePackage.findOrCreateOne({ name }, TESTS);
        return database.now.BinaryPackage.findOrCreateOne({ name, sourcePackageId: id }, TESTS);
      });
    const [counts] = await Promise.all([
      Promise.all(files.map(async (file) => imported(...file))),
      Promise.all(writers),
    ]);
    const sum = (key: keyof ImportCounts) => counts.reduce((total, count) => total + count[key], 0);
    expect(sum('created')).toBeGreaterThanOrEqual(450);
    expect(sum('created')).toBeLessThanOrEqual(500);
    expect(sum('created') + sum('updated')).toBe(6 * 500);
    const rows = await database.now.BinaryPackage.findAll({
      where: { name: { [Op.startsWith]: 'turn-' } },
    });
    expect(rows).toHaveLength(500);
    // The last of them wrote all of its file.
    expect(new Set(rows.map(({ version }) => version)).size).toBe(1);
  });
});

async function highestIds() {
  const [highest = { binary: 0, source: 0 }] = await query<{ binary: number; source: number }>(
    database.now.sequelize,
    'SELECT (SELECT max(id) FROM binary_package) AS binary, (SELECT max(id) FROM source_package) AS source',
  );
  return highest;
}
