import { Readable } from 'node:stream';
import { until } from '../support/until.ts';
import { serveWeb, settled, inspectPage, type Web } from './browse.ts';
import { sbuildLog } from './many-story.ts';
import { addPastBuild } from './seed.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

const LOG = 'hello_1.0-1_amd64.build.log';
const NEEDLE_AT = 3_000;

let web: Web;
let build: number;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 20 });
  const wide = `${'x'.repeat(NEEDLE_AT)}needle-in-a-long-line`;
  const text = sbuildLog('hello', 'amd64').replace('Purging 2\n', `${wide}\n`);
  await web.store.put(`parts/${LOG}`, Readable.from([Buffer.from(text)]));
  build = await addPastBuild(
    web.api.database.sequelize,
    {
      ticketId: web.story.ticket.landing,
      name: 'hello',
      version: '1.0-1',
      requestedMinutesAgo: 60,
      moments: [[1, { amd64: 'Successfully built' }]],
      endedAfter: 6,
      logs: [web.store.urlOf(`parts/${LOG}`)],
    },
    Date.now(),
  );
});
afterAll(() => web.close());

const line = (number: number) => `.line:has(> a[aria-label="Line ${number}"])`;

describe.each([1280, 390])('%i pixels wide, a log of sbuild', (width) => {
  it('is folded into its parts, of which those that matter are open', async () => {
    const { page, go, faults, close } = await web.open({ width });
    await go(`/build/${build}`);
    const folds = page.locator('.line-fold');
    const told = await folds.allTextContents();
    expect(told.slice(0, 4)).toEqual([
      'hello 1.0-1 (amd64) 9 lines',
      'Fetch source files 13 lines',
      'Install package build dependencies 41 lines',
      'Build',
    ]);
    expect(await folds.first().getAttribute('aria-expanded')).toBe('false');
    expect(await page.getByText('Setting up lib 7', { exact: true }).count()).toBe(0);

    await folds.nth(2).click();
    await page.getByText('Setting up lib 7', { exact: true }).waitFor();
    await folds.nth(2).click();
    await page.getByText('Setting up lib 7', { exact: true }).waitFor({ state: 'detached' });
    expect(await inspectPage({ page, faults })).toEqual({
      pageWidth: width,
      faults: [],
      barriers: [],
    });
    await close();
  });

  it('has a way to each part, which opens it', async () => {
    const { page, go, close } = await web.open({ width });
    await go(`/build/${build}`);
    const parts = page.getByRole('navigation', { name: 'Parts of the log' });
    await parts.getByRole('link', { name: 'Install package build dependencies' }).click();
    await page.getByText('Setting up lib 1', { exact: true }).waitFor();
    expect(page.url()).toMatch(/#L\d+$/);
    await parts.getByRole('button', { name: 'Unfold all' }).click();
    await parts.getByRole('button', { name: 'Fold all' }).click();
    await page.locator('.line-fold', { hasText: 'Summary 7 lines' }).waitFor();
    await close();
  });
});

describe('a log that is scrolled by keys from the title of a part', () => {
  it('goes on being scrolled once that title is far away', async () => {
    const { page, go, close } = await web.open();
    await go(`/build/${build}`);
    const log = page.getByRole('region', { name: `Log ${LOG}` });
    await page.getByRole('button', { name: 'Unfold all' }).click();
    await log.evaluate((box) => box.scrollTo(0, 0));
    const title = log.getByRole('button', { name: 'hello 1.0-1 (amd64)' });
    await title.focus();
    const topOf = () => log.evaluate((box) => box.scrollTop);
    const pressPageDown = async () => {
      const before = await topOf();
      await page.keyboard.press('PageDown');
      await until('the log is scrolled', async () => (await topOf()) > before, 10_000);
    };
    await pressPageDown();
    await pressPageDown();
    await title.waitFor({ state: 'detached' });
    await pressPageDown();
    expect(await log.evaluate((box) => box.matches(':focus'))).toBe(true);
    await close();
  });
});

describe('lines of a log', () => {
  it('are named from one to another, in the address and by it', async () => {
    const { page, go, close } = await web.open();
    await go(`/build/${build}`);
    await page.locator(`${line(80)} > a`).click();
    await page.locator(`${line(84)} > a`).click({ modifiers: ['Shift'] });
    await page.waitForURL(`**/build/${build}?attempt=1&log=${LOG}#L80-L84`);
    expect(await page.locator('.line-target').count()).toBe(5);
    await page.reload();
    await settled(page);
    await page.locator(`${line(84)}.line-target`).waitFor();
    expect(await page.locator('.line-target').count()).toBe(5);
    await close();
  });

  it('are named by the keyboard: typed, or with Shift and an arrow', async () => {
    const { page, go, close } = await web.open();
    await go(`/build/${build}`);
    await page.getByLabel('Search the log').fill(':85-87');
    await page.locator(`${line(85)}.line-current`).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/#L85-L87$/);
    await page.locator('.log-lines').focus();
    await page.keyboard.press('Shift+ArrowDown');
    await page.waitForURL(/#L85-L88$/);
    await page.keyboard.press('Shift+ArrowUp');
    await page.keyboard.press('Shift+ArrowUp');
    await page.waitForURL(/#L85-L86$/);
    await close();
  });

  it('that are folded away are found, and what is far to the right is brought into view', async () => {
    const { page, go, faults, close } = await web.open();
    await go(`/build/${build}`);
    // A hyphen means nothing to a search.
    await page.getByLabel('Search the log').fill('needle-in-');
    const found = page.locator('.line-current mark');
    await found.waitFor();
    const box = await page.locator('.log-lines').boundingBox();
    const mark = await found.boundingBox();
    if (!box || !mark) throw new Error('nothing is shown');
    expect(mark.x).toBeGreaterThan(box.x);
    expect(mark.x + mark.width).toBeLessThan(box.x + box.width);
    expect(faults).toEqual([]);
    await close();
  });
});
