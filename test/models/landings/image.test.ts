import { addImage } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();
const PLACE = { distribution: 'debian', series: 'bookworm', architecture: 'amd64' };
const LANDED = '~team/debian/landed';

describe('an image of the same content as an earlier one', () => {
  it('has the row of that one, and its own file in it', async () => {
    const { Image } = database.now;
    const [one, other] = [await addImage(database.now), await addImage(database.now)];
    const { id, contentKey } = await addImage(database.now, {
      kind: 'landing',
      baseImageId: one.id,
    });
    const made = {
      ...PLACE,
      kind: 'landing',
      format: 'tar',
      contentKey,
      baseImageId: other.id,
      releases: { 'ppa.example/InRelease': 'a' },
      sha256: '1'.repeat(64),
      size: 2,
      url: 'http://127.0.0.1/files/again.tar',
      manifestUrl: 'http://127.0.0.1/files/again.manifest',
    } as const;
    expect((await Image.add(made)).id).toBe(id);
    expect(await Image.findAll({ where: { contentKey }, raw: true })).toMatchObject([
      { id, ...made },
    ]);
  });
});

describe('the newest base image', () => {
  it('is one of the same target, and of none where none is asked for', async () => {
    const since = new Date(Date.now() - 60_000);
    const newest = (target?: string | null) =>
      database.now.Image.newestBase(
        { ...PLACE, ...(target === undefined ? {} : { target }) },
        since,
      );
    const old = await addImage(database.now);
    const mirrors = await addImage(database.now);
    const landed = await addImage(database.now, { target: LANDED });
    await addImage(database.now, { target: '~other/debian/landed' });
    await addImage(database.now, { target: LANDED, kind: 'landing', baseImageId: landed.id });
    expect(mirrors.id).toBeGreaterThan(old.id);
    expect((await newest())?.id).toBe(mirrors.id);
    expect((await newest(null))?.id).toBe(mirrors.id);
    expect(await newest(LANDED)).toMatchObject({ id: landed.id, target: LANDED });
    expect(await newest('~nobody/debian/landed')).toBeNull();
  });
});
