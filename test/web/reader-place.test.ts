import type { Page } from 'playwright-core';
import { until } from '../support/until.ts';
import { serveWeb, settled, type Web } from './browse.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 100 });
});
afterAll(() => web.close());

const focused = (page: Page) =>
  page.evaluate<string>(
    `document.activeElement.getAttribute('href') ?? document.activeElement.tagName`,
  );
/** Waits until the page is drawn, and what follows the drawing is done. */
const drawn = (page: Page) =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
/** Which rows of a list are shown, as its foot says. */
const rowsShown = (page: Page, told: RegExp) => page.locator('.pager').getByText(told);
const scrolled = (page: Page) => page.evaluate<number>('Math.round(scrollY)');

/** The heading of the log has the focus, and all of its frame is in view. */
const seesLog = async (page: Page) => {
  await page.locator('.log-lines').waitFor();
  await page.locator('#log:focus').waitFor();
  await until('the log is in view', () =>
    page.evaluate<boolean>(
      `[document.querySelector('.log-frame').getBoundingClientRect()]
        .every(({ top, bottom }) => top > 0 && bottom <= innerHeight)`,
    ),
  );
};

describe('where the reader is', () => {
  it('is not moved when the data of a first page comes late', async () => {
    const { page, close } = await web.open();
    const { landing } = web.story.ticket;
    let goOn = () => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    await page.route(/\/api\/v1\/fullticket\//, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`/ticket/${landing}`);
    await page.locator('.skeleton').first().waitFor();
    for (let at = 0; at < 3; at++) await page.keyboard.press('Tab');
    const before = await focused(page);
    expect(before).toBe('/tickets');
    goOn();
    await settled(page);
    await page.locator('.timeline').first().waitFor();
    expect(await focused(page)).toBe(before);
    await close();
  });

  it('is the heading and the top of a page that a link leads to', async () => {
    const { page, go, close } = await web.open();
    await go('/tickets');
    await page.locator('[data-row]').nth(20).click();
    await page.waitForURL(/\/ticket\//);
    await settled(page);
    await page.locator('h1:focus').waitFor();
    expect(await scrolled(page)).toBe(0);
    await close();
  });

  it('is found again by Back, and by a reload', async () => {
    const { page, go, close } = await web.open();
    await go('/tickets');
    const row = page.locator('[data-row]').nth(22);
    const address = await row.getAttribute('href');
    await page.evaluate('scrollTo(0, 400)');
    await row.click();
    await page.waitForURL(/\/ticket\//);
    await settled(page);
    await page.goBack();
    await page.waitForURL(/\/tickets$/);
    await page.locator(`[data-row][href="${address}"]:focus`).waitFor();
    const back = await scrolled(page);
    expect(back).toBeGreaterThan(300);

    await page.reload();
    await page.locator(`[data-row][href="${address}"]:focus`).waitFor();
    expect(await scrolled(page)).toBe(back);
    await close();
  });

  it('is the top of the next page of a list', async () => {
    const { page, go, close } = await web.open();
    await go('/tickets');
    await page.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL(/offset=25/);
    await rowsShown(page, /^26–50 of/).waitFor();
    expect(await scrolled(page)).toBe(0);
    expect(await focused(page)).toBe('H1');
    await close();
  });

  it('is found again by Back and Forward between the pages of a list', async () => {
    const { page, go, close } = await web.open();
    await go('/tickets');
    await page.locator('a[href="/tickets?offset=25"]').focus();
    await drawn(page);
    const first = await scrolled(page);
    expect(first).toBeGreaterThan(300);
    await page.keyboard.press('Enter');
    await rowsShown(page, /^26–50 of/).waitFor();
    await page.locator('h1:focus').waitFor();
    await page.locator('a[href="/tickets?offset=50"]').focus();
    await drawn(page);
    const second = await scrolled(page);

    await page.goBack();
    await rowsShown(page, /^1–25 of/).waitFor();
    await page.locator('a[href="/tickets?offset=25"]:focus').waitFor();
    await drawn(page);
    expect([await scrolled(page), await focused(page)]).toEqual([first, '/tickets?offset=25']);
    await page.goForward();
    await rowsShown(page, /^26–50 of/).waitFor();
    await page.locator('a[href="/tickets?offset=50"]:focus').waitFor();
    await drawn(page);
    expect([await scrolled(page), await focused(page)]).toEqual([second, '/tickets?offset=50']);
    await close();
  });

  it('stays in a filter that leads from a later page to the first', async () => {
    const { page, go, close } = await web.open();
    await go('/tickets?offset=25');
    await rowsShown(page, /^26–50 of/).waitFor();
    await page.getByLabel('Search').focus();
    await page.keyboard.type('h');
    await page.waitForURL(/\?q=h$/);
    await rowsShown(page, /^26–50 of/).waitFor({ state: 'detached' });
    await drawn(page);
    expect(await focused(page)).toBe('INPUT');
    await page.keyboard.type('e');
    await page.waitForURL(/\?q=he$/);
    await close();
  });

  it('is the log of a test that a link leads to, each time and from elsewhere, but not after Back', async () => {
    const { page, go, close } = await web.open();
    await go(`/ticket/${web.story.landed.approving}`);
    const cell = page.getByRole('link', { name: /^hello on amd64: .* its log$/ });
    await cell.press('Enter');
    await seesLog(page);
    await cell.press('Enter');
    await seesLog(page);
    const other = await web.open();
    await other.go(page.url());
    await seesLog(other.page);
    await other.close();

    // Of those with one address, the first has the focus after Back.
    const hello = page.locator('main a[href="/package/hello"]').first();
    await hello.focus();
    await drawn(page);
    const left = await scrolled(page);
    await hello.press('Enter');
    await page.waitForURL(/\/package\//);
    await page.goBack();
    await page.locator('.log-lines').waitFor();
    await page.locator('a[href="/package/hello"]:focus').waitFor();
    // What is above may be a little higher by now.
    expect(Math.abs((await scrolled(page)) - left)).toBeLessThan(100);
    await close();
  });

  it.each([390, 1280])(
    'is the log that a build failed in, where no line of it is known, in a window of %d pixels',
    async (width) => {
      const { page, go, close } = await web.open({ width });
      const { failed } = web.story.build;
      await page.route(`**/api/v1/build/${failed}/`, async (route) => {
        const response = await route.fetch();
        const build = await response.json();
        await route.fulfill({
          response,
          json: { ...build, failure: { ...build.failure, line: undefined } },
        });
      });
      await go(`/build/${failed}`);
      await page.getByRole('link', { name: 'Go to the log' }).press('Enter');
      await seesLog(page);
      await close();
    },
  );
});
