import type { Page } from 'playwright-core';
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
const scrolled = (page: Page) => page.evaluate<number>('Math.round(scrollY)');

describe('where the reader is', () => {
  it('is not moved when the data of a first page comes late', async () => {
    const { page, context } = await web.open();
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
    await context.close();
  });

  it('is the heading and the top of a page that a link leads to', async () => {
    const { page, go, context } = await web.open();
    await go('/tickets');
    await page.locator('[data-row]').nth(20).click();
    await page.waitForURL(/\/ticket\//);
    await settled(page);
    expect(await focused(page)).toBe('H1');
    expect(await scrolled(page)).toBe(0);
    await context.close();
  });

  it('is found again by Back, and by a reload', async () => {
    const { page, go, context } = await web.open();
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
    await context.close();
  });

  it('is the top of the next page of a list', async () => {
    const { page, go, context } = await web.open();
    await go('/tickets');
    await page.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL(/offset=25/);
    await page.getByText(/^26–50 of/).waitFor();
    expect(await scrolled(page)).toBe(0);
    expect(await focused(page)).toBe('H1');
    await context.close();
  });

  it('stays in a filter that leads from a later page to the first', async () => {
    const { page, go, context } = await web.open();
    await go('/tickets?offset=25');
    await page.getByText(/^26–50 of/).waitFor();
    await page.getByLabel('Search').focus();
    await page.keyboard.type('h');
    await page.waitForURL(/\?q=h$/);
    await page.getByText(/^26–50 of/).waitFor({ state: 'detached' });
    // Once what follows the drawing is done, too.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))');
    expect(await focused(page)).toBe('INPUT');
    await page.keyboard.type('e');
    await page.waitForURL(/\?q=he$/);
    await context.close();
  });
});
