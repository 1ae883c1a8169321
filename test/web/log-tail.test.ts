import { endReading, takeOnTails } from '../../models/builds/log-tail.ts';
import { until } from '../support/until.ts';
import { findBarriers, movedFrom, notePlaces, serveWeb, type Web } from './browse.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 20 });
});
afterAll(() => web.close());

const lines = (count: number) =>
  Array.from({ length: count }, (_, at) => `cc -c part_${at + 1}.c`).join('\n');
/** Does what a worker does once it has read the page of the build. */
async function show(found: Parameters<typeof endReading>[2]): Promise<void> {
  const { sequelize } = web.api.database;
  const [reading] = await until('somebody to look', async () => {
    const due = await takeOnTails(sequelize, 1, 60_000);
    return due.length > 0 && due;
  });
  if (reading) await endReading(sequelize, reading, found, 0);
}

describe.each([1280, 390])('the log of a build that runs, %i pixels wide', (width) => {
  it('follows its end until the reader scrolls up, and goes on when it is asked to', async () => {
    const { page, go, faults, close } = await web.open({ width });
    await web.api.database.sequelize.query('DELETE FROM log_tail');
    await go(`/build/${web.story.build.running}?cell=hello%2Farm64`);
    await page.getByText('The end of its log comes in a few seconds.').waitFor();
    await notePlaces(page);

    await show({ shown: lines(60) });
    const log = page.getByRole('region', { name: 'End of the log of hello on arm64' });
    await log.getByText('cc -c part_60.c').waitFor();
    await page.getByText(/^As of \d\d:\d\d:\d\d\. The end of the log/).waitFor();
    expect(await movedFrom(page)).toEqual([]);
    const leftPx = () => log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    expect(await leftPx()).toBeLessThan(2);

    await log.evaluate((box) => box.scrollTo(0, 0));
    const button = page.getByRole('button', { name: 'Follow the end' });
    await button.waitFor();
    await show({ shown: lines(90) });
    await log.getByText('cc -c part_90.c').waitFor();
    expect(await log.evaluate((box) => box.scrollTop)).toBe(0);
    await button.press('Enter');
    await until('the end to be seen', async () => (await leftPx()) < 2);
    await button.waitFor({ state: 'hidden' });
    expect(await log.evaluate((box) => box.matches(':focus'))).toBe(true);

    await show({ problem: 'not_public' });
    await page.getByText('only to people who are signed in there').waitFor();
    expect(await log.textContent()).toContain('cc -c part_90.c');
    expect(await findBarriers(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });
});
