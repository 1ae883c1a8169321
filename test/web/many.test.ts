import type { Page } from 'playwright-core';
import { findBarriers, serveWeb, settled, type Web } from './browse.ts';
import { tellMany, type ManyStory } from './many-story.ts';
import { showsFocus, walkBy } from './tab-stops.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

/**
 * Takes all rows but a dozen out of the tables of a page: a row has the markup of the one before it. One run of axe
 * looks at all of them. To tell another not to judge them saves little, as it still looks at all that a page has.
 */
async function keepADozenRows(page: Page): Promise<void> {
  await page.evaluate(
    `document.querySelectorAll('tbody tr:nth-child(n+13)').forEach((row) => row.remove())`,
  );
}

/**
 * The links of a table that no pixel is seen of when one comes to them from below by the keyboard, in a window that is
 * too small for the table.
 */
async function hiddenLinks(page: Page, table: string): Promise<string[]> {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  await page.setViewportSize({ width: width === 390 ? 320 : width, height: 500 });
  await page.locator(`${table} tbody a`).last().focus();
  const { stops, hidden } = await walkBy(page, 'Shift+Tab', 120);
  expect(stops).toBe(120);
  await page.setViewportSize({ width, height });
  return hidden;
}

let web: Web;
let many: ManyStory;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 20 });
  many = await tellMany(web.api.database.sequelize, web.store, Date.now());
});
afterAll(() => web.close());

describe.each([1280, 390])('%i pixels wide, the page of a build', (width) => {
  it('of 50 packages on 7 architectures has a heading of one line, and failures first with their log', async () => {
    const { page, go, faults, close } = await web.open({ width });
    await go(`/build/${many.ended}`);
    const heading = await page.locator('h1').boundingBox();
    expect(heading?.height).toBeLessThan(40);
    expect(await page.textContent('h1')).toBe(`Build ${many.ended} 50 packages`);
    expect(await page.textContent('#architectures')).toBe('3 of 350 failed');
    const first = page.locator('.build-matrix tbody tr').first();
    expect(await first.locator('.state-bad').count()).toBe(1);
    expect(await page.locator('.build-matrix .build-cell').count()).toBe(350);

    // The log that tells of the failure is there, and no more than a look away.
    const open = page.locator('.build-cell[aria-current]');
    expect(await open.getAttribute('aria-label')).toMatch(
      /: Failed, waited \d+ min, built \d+ min$/,
    );
    await page.locator('.line-marked', { hasText: 'cc -c' }).waitFor();
    const top = (await page.locator('.log-frame').boundingBox())?.y ?? Infinity;
    expect(top).toBeLessThan(width === 1280 ? 844 : 2_000);

    const pageHeight = await page.evaluate<number>('document.documentElement.scrollHeight');
    expect(pageHeight).toBeLessThan(width === 1280 ? 3_000 : 4_500);
    const pageWidth = await page.evaluate('document.documentElement.scrollWidth');
    expect(pageWidth).toBe(width);
    expect(await hiddenLinks(page, '.build-matrix')).toEqual([]);
    if (width === 390) await keepADozenRows(page);
    expect({ faults, barriers: await findBarriers(page) }).toEqual({ faults: [], barriers: [] });
    await keepADozenRows(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await findBarriers(page, 'colours')).toEqual([]);
    await close();
  });

  it('shows each cell that the key j goes to', async () => {
    const { page, go, close } = await web.open({ width });
    await go(`/build/${many.ended}`);
    const cells = page.locator('.build-matrix tbody tr').first().locator('.build-cell');
    expect(await cells.count()).toBe(7);
    const shown: boolean[] = [];
    for (let cell = 0; cell < 7; cell++) {
      await page.keyboard.press('j');
      shown.push(await showsFocus(page, '.build-matrix'));
    }
    expect(shown).toEqual(Array(7).fill(true));
    await close();
  });

  it('opens the log of each cell beside it', async () => {
    const { page, go, close } = await web.open({ width });
    await go(`/build/${many.ended}`);
    await page.locator('.line-marked').waitFor();
    const cell = page.getByRole('link', { name: 'hello on riscv64' });
    await cell.click();
    await page.waitForURL(/log=hello_1\.0-1_riscv64\.build\.log/);
    await page.locator('.line', { hasText: 'cc -c part_hello.c' }).first().waitFor();
    expect(await page.textContent('#log')).toBe('hello on riscv64');
    expect(await page.locator('.log-frame').isVisible()).toBe(true);
    await page.reload();
    await settled(page);
    expect(await cell.getAttribute('aria-current')).toBe('true');
    await close();
  });

  it('of 10 packages under way shows what waits and what builds, and why there is no log yet', async () => {
    const { page, go, faults, close } = await web.open({ width });
    await go(`/build/${many.underWay}`);
    expect(await page.textContent('#architectures')).toBe('1 of 70 failed');
    const groups = await page.locator('.chip').allTextContents();
    expect(groups).toEqual([
      'All 70',
      'Failed 1',
      'Dependency wait 1',
      'Waiting 22',
      'Building 23',
      'Built 23',
    ]);
    await page.getByRole('link', { name: 'Waiting 22' }).click();
    await page.waitForURL(/show=waiting/);
    await page.locator('.build-cell').nth(21).waitFor();
    expect(await page.locator('.build-cell').count()).toBe(22);
    await page.locator('.build-cell').first().click();
    await page.getByText(/It has waited for a builder of \w+ for \d+ min/).waitFor();
    expect({ faults, barriers: await findBarriers(page) }).toEqual({ faults: [], barriers: [] });
    await close();
  });
});

it('it is drawn without a look at all logs for each of its cells', async () => {
  const { page, go, close } = await web.open();
  await page.addInitScript(`
    const { canParse } = URL;
    window.looks = 0;
    URL.canParse = (...given) => {
      window.looks += 1;
      return canParse.apply(URL, given);
    };`);
  await go(`/build/${many.ended}`);
  await page.locator('.line-marked').waitFor();
  const looks = await page.evaluate<number>('window.looks');
  // All logs, each time that it is drawn.
  expect(looks).toBeGreaterThanOrEqual(350);
  expect(looks).toBeLessThan(350 * 50);
  await close();
});

it('packages are found by their name', async () => {
  const { page, go, close } = await web.open();
  await go(`/build/${many.ended}`);
  await page.getByLabel('Packages whose name has').fill('weather-3');
  await page.locator('.build-matrix tbody tr').nth(1).waitFor();
  await page.locator('.build-matrix tbody tr').nth(2).waitFor({ state: 'detached' });
  const names = await page.locator('.build-matrix tbody th .cut:first-child').allTextContents();
  expect(names).toEqual(['ruby-weather-3', 'weather-3']);
  await close();
});

it('its events, each of which tells of all builds, are loaded when they are asked for', async () => {
  const { page, go, close } = await web.open();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await go(`/build/${many.ended}`);
  await page.locator('.line-marked').waitFor();
  expect(asked.filter((url) => url.includes('/events/'))).toEqual([]);
  await page.getByRole('button', { name: 'Show the events' }).click();
  await page.getByText('There are no events yet.').waitFor();
  await close();
});

describe.each([1280, 390])('%i pixels wide, the page of the ticket', (width) => {
  it('shows all architectures of 50 packages, with what failed first', async () => {
    const { page, go, faults, close } = await web.open({ width });
    await go(`/ticket/${many.ticket}`);
    const rows = page.locator('.matrix tbody tr');
    for (const row of [0, 1, 2]) expect(await rows.nth(row).locator('.state-bad').count()).toBe(1);
    expect(await rows.nth(3).locator('.state-bad').count()).toBe(0);
    const box = page.locator('.matrix-box');
    const [shown, all] = await box.evaluate((at) => [at.clientWidth, at.scrollWidth]);
    if (width === 1280) expect(all).toBe(shown);
    else {
      await box.evaluate((at) => (at.scrollLeft = 400));
      for (let row = 0; row < 3; row++) await page.keyboard.press('j');
      expect(await box.evaluate((at) => at.scrollLeft)).toBe(400);
      await box.evaluate((at) => (at.scrollLeft = 0));
    }
    const pageWidth = await page.evaluate('document.documentElement.scrollWidth');
    expect(pageWidth).toBe(width);
    expect(await hiddenLinks(page, '.matrix')).toEqual([]);
    await keepADozenRows(page);
    expect({ faults, barriers: await findBarriers(page) }).toEqual({ faults: [], barriers: [] });
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await findBarriers(page, 'colours')).toEqual([]);
    await close();
  });
});
