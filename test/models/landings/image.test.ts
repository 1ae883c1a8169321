import { addImage } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();
const PLACE = { distribution: 'debian', series: 'bookworm', architecture: 'amd64' };
const LANDED = '~team/debian/landed';

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
