import type { Page } from 'playwright-core';
import { countProcessorTime, findBarriers, NOTE_SAID, serveWeb, type Web } from './browse.ts';
import { EVERY_PAGE, fillEveryPage, signedIn } from './every-page.ts';
import { NASTY } from './story.ts';
import { walkBy } from './tab-stops.ts';

/** A scheme has other colours, and nothing else: a page that is there is shown in the other one, too. */
const LOOKS = [
  { width: 1280, scheme: 'light', other: 'dark', who: 'nobody' },
  { width: 390, scheme: 'dark', other: 'light', who: 'somebody' },
] as const;

/** The least that a page is read in: a small phone, and a large window where everything is four times as large. */
const NARROWEST = [
  { width: 320, height: 640 },
  { width: 320, height: 256 },
] as const;
/** The narrowest whose lists have columns, and one of those whose places are at the top. */
const NARROW = [
  { width: 720, height: 844 },
  { width: 1_000, height: 844 },
] as const;

const VISITS = 5;

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { hasLongLog: true });
  await fillEveryPage(web);
});
afterAll(() => web.close());

const PAGES: typeof EVERY_PAGE = {
  ...EVERY_PAGE,
  'tickets, filtered and sorted': () => '/tickets?show=all&q=hello&order=owner&offset=25',
  'no tickets': () => '/tickets?q=nobody-has-this',
  'a ticket that failed': ({ story }) => `/ticket/${story.ticket.failed}`,
  'a ticket of a stranger': ({ story }) => `/ticket/${story.ticket.nasty}`,
  'a build that completed': ({ story }) => `/build/${story.build.completed}`,
  'a build that was cancelled': ({ story }) => `/build/${story.build.cancelled}`,
  'a build that waits for dependencies': ({ story }) => `/build/${story.build.dependencyWait}`,
  'a build that waits for its start': ({ story }) => `/build/${story.build.queued}`,
  'a build that cannot get on': ({ story }) => `/build/${story.build.troubled}`,
  'a build of a stranger with a long log': ({ story }) => `/build/${story.build.longLog}`,
  'a ticket whose landing waits in line': ({ story }) => `/ticket/${story.landed.queued}`,
  'a ticket whose landing failed': ({ story }) => `/ticket/${story.landed.failed}`,
  'no landings': () => '/landings?target=nobody-has-this',
  'no such ticket': () => '/ticket/999999',
};

/** What sticks out of its frame, and cannot be scrolled to. */
const TOO_WIDE = `[...document.querySelectorAll('.card, .card li, .list tr, .note, .empty, .field, .places a')]
  .filter((one) => getComputedStyle(one).overflowX === 'visible' && one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.textContent)`;

/** A plot has the width of its place a frame after that has changed. */
const PLOTS_DRAWN =
  'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

function pageWidth(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth');
}

describe.each(LOOKS)(
  'at $width pixels in $scheme, then in $other, for $who',
  ({ other, who, ...look }) => {
    // One window for all pages of a look: what a first visit costs is told below.
    let visit: Awaited<ReturnType<Web['open']>>;
    beforeAll(async () => {
      visit = await web.open(look);
      if (who === 'somebody') await signedIn(visit.page);
    });
    afterAll(() => visit.close());

    it.each(Object.keys(PAGES))(
      '%s: nothing fails, nobody is kept out, nothing is cut off, the focus is always seen',
      async (name) => {
        const { page, faults, go } = visit;
        faults.length = 0;
        await page.emulateMedia({ colorScheme: look.scheme });
        await page.setViewportSize({ width: look.width, height: 844 });
        await go(PAGES[name]?.(web) ?? '/');
        const width = await pageWidth(page);
        const tooWide = await page.evaluate<string[]>(TOO_WIDE);
        expect({ width, tooWide, barriers: await findBarriers(page), faults }).toEqual({
          tooWide: [],
          width: look.width,
          barriers: [],
          // The browser itself says so of an address that is not there.
          faults: name === 'no such ticket' ? expect.anything() : [],
        });
        faults.length = 0;
        await page.emulateMedia({ colorScheme: other });
        expect({ barriers: await findBarriers(page, 'colours'), faults }).toEqual({
          barriers: [],
          faults: [],
        });
        if (who === 'nobody') {
          expect((await walkBy(page, 'Shift+Tab')).hidden).toEqual([]);
          return;
        }
        for (const size of [...NARROW, ...NARROWEST]) {
          await page.setViewportSize(size);
          await page.evaluate(PLOTS_DRAWN);
          const wide = await page.evaluate<string[]>(TOO_WIDE);
          expect([size, await pageWidth(page), wide]).toEqual([size, size.width, []]);
        }
        await page.setViewportSize(NARROWEST[0]);
        const { stops, hidden } = await walkBy(page, 'Tab');
        expect(hidden).toEqual([]);
        expect(stops).toBeGreaterThan(10);
      },
      300_000,
    );
  },
);

describe('on paper', () => {
  it('nothing covers what stands at the same place of each sheet', async () => {
    // A4, with the margins that Chromium has by default.
    const { page, go, close } = await web.open({ width: 717 });
    await go('/builds');
    await page.emulateMedia({ media: 'print' });
    const fixed = await page.evaluate<string[]>(`[...document.querySelectorAll('#app *')]
      .filter((one) => one.checkVisibility() && getComputedStyle(one).position === 'fixed')
      .map((one) => one.className)`);
    expect(fixed).toEqual([]);
    await close();
  });
});

describe('a list of many pages', () => {
  it('is gone through by the number of a page, which it keeps within its own', async () => {
    const { page, go, close } = await web.open({ width: 390 });
    await go('/tickets?show=all');
    const number = page.getByRole('spinbutton', { name: 'Page, of 40' });
    const address = page.url();
    await number.focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await number.inputValue()).toBe('3');
    await page.keyboard.press('Tab');
    await page.locator('button:focus', { hasText: 'Go' }).waitFor();
    expect(page.url()).toBe(address);
    await page.keyboard.press('Enter');
    await page.waitForURL(/offset=50$/);
    await page
      .getByRole('status')
      .getByText(/^51–75 of /)
      .waitFor();
    expect(await number.inputValue()).toBe('3');
    await number.fill('9999');
    await number.press('Enter');
    await page.locator('.pager .button-off', { hasText: 'Next' }).waitFor();
    expect(Number(await number.inputValue())).toBeLessThan(100);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await close();
  });

  it('keeps the number that somebody types while a row of the list changes', async () => {
    const { page, go, close } = await web.open();
    await go('/tickets?show=all');
    const number = page.getByRole('spinbutton', { name: /^Page, of / });
    await number.fill('2');
    await web.api.call('PATCH', `/api/v1/ticket/${web.story.ticket.landing}/`, {
      title: 'Changed while somebody types',
    });
    await page.getByText('Changed while somebody types').waitFor();
    expect(await number.inputValue()).toBe('2');
    await number.press('Enter');
    await page.waitForURL(/offset=25$/);
    await close();
  });

  it('forgets the number that somebody has typed once another list is shown', async () => {
    const { page, go, close } = await web.open();
    await go('/tickets?show=all');
    const number = page.getByRole('spinbutton', { name: /^Page, of / });
    await number.fill('2');
    await page.getByRole('link', { name: 'Owner', exact: true }).click();
    await page.waitForURL(/order/);
    expect(await number.inputValue()).toBe('1');
    await number.fill('');
    await page.keyboard.press('Tab');
    expect(await number.inputValue()).toBe('1');
    await close();
  });

  it('that is followed by an empty one is told by that alone', async () => {
    const { page, go, close } = await web.open();
    await go('/builds?offset=25');
    await page.evaluate(NOTE_SAID);
    await page.route(/\/buildsummary\//, async (route) => {
      const response = await route.fetch();
      const { meta } = await response.json();
      const none = { meta: { ...meta, next: null, total_count: 0 }, objects: [] };
      await route.fulfill({ response, json: none });
    });
    await page.getByRole('link', { name: 'Waiting', exact: true }).click();
    await page.getByText('No build matches').waitFor();
    await page.getByRole('status').getByText('0 builds').waitFor();
    expect(await page.evaluate('window.said')).not.toContain('past the end');
    await close();
  });
});

describe('a package with many builds', () => {
  it('says of how many its tables tell, and leads to the attempt that each row is of', async () => {
    const { page, go, close } = await web.open();
    await page.route(/\/packagestatistics\/hello\/$/, async (route) => {
      const response = await route.fetch();
      const told = await response.json();
      const history = [{ ...told.history[0], attempt: 2 }];
      await route.fulfill({ response, json: { ...told, builds: 2_345, history } });
    });
    await go('/package/hello');
    const told = page.getByText('The last 1 of 2,345 builds.');
    expect(await told.count()).toBe(2);
    const address = await page.locator('[data-row]').getAttribute('href');
    expect(address).toMatch(/^\/build\/\d+\?attempt=2$/);
    await close();
  });
});

describe('what strangers wrote', () => {
  it('hides nothing and turns no line round, and its lines stay as they were', async () => {
    const made = await web.api.call('POST', '/api/v1/ticket/', {
      owner: 'eve@example.com',
      title: 'Release \u202Eedoc',
      description: 'One.\r\nTwo.\u001b[8m',
    });
    const artifact = {
      name: 'hello_1.0\u202Ecod.sds',
      reference: 'https://x.example',
      type: 'RESULTS',
    };
    const ticket = made.json.resource_uri;
    const { status } = await web.api.call('POST', '/api/v1/ticketartifact/', {
      ...artifact,
      ticket,
    });
    expect(status).toBe(201);
    const { page, go, close } = await web.open();
    await go(`/ticket/${made.json.id}`);
    const shown = (await page.textContent('body')) ?? '';
    expect(shown).toContain('Release <U+202E>edoc');
    expect(shown).toContain('One.\nTwo.\u241b[8m');
    expect(shown).toContain('hello_1.0<U+202E>cod.sds');
    for (const acting of ['\u202E', '\u001b', '\r']) expect(shown).not.toContain(acting);
    expect(await page.title()).toContain('Release <U+202E>edoc');
    await go('/builds?show=failed&series=noble');
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByLabel('Name').fill('Mine \u202Eedoc');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('[title="Remove the view Mine <U+202E>edoc"]').waitFor();
    await close();
  });

  it('is shown as the text that it is, and is no link to a script', async () => {
    const { page, go, faults, close } = await web.open();
    for (const path of [
      '/tickets',
      `/ticket/${web.story.ticket.nasty}`,
      `/build/${web.story.build.longLog}`,
    ]) {
      await go(path);
      expect(await page.textContent('body')).toContain(NASTY);
      expect(
        await page
          .locator('main script, main img, main svg[onload], main b:text-is("bold")')
          .count(),
      ).toBe(0);
      expect(await page.locator('a[href^="javascript:" i]').count()).toBe(0);
    }
    await go(`/package/${encodeURIComponent(NASTY)}`);
    expect(await page.textContent('h1')).toContain(NASTY);
    expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
    await close();
  });
});

describe('what a first visit costs', () => {
  it('is under 100 KB of what is sent, and is of use in under a second', async () => {
    const visits = [];
    for (let visit = 0; visit < VISITS; visit++) visits.push(await firstVisit());
    for (const { assets, sentBytes } of visits) {
      expect(assets).toBeGreaterThan(2);
      expect(sentBytes).toBeGreaterThan(10_000);
      expect(sentBytes).toBeLessThan(100_000);
    }
    // The quickest, in processor time: what else the machine has to do is not the page's work.
    expect(Math.min(...visits.map(({ workMs }) => workMs))).toBeLessThan(1_000);
  });
});

/** Opens the tickets with nothing in the cache: what that sends, and the work until there are rows to go on from. */
async function firstVisit(): Promise<{ assets: number; sentBytes: number; workMs: number }> {
  const { page, context, close } = await web.openAlone();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  let sentBytes = 0;
  const assets = new Set<string>();
  cdp.on('Network.responseReceived', ({ requestId, response }) => {
    const { pathname } = new URL(response.url);
    if (pathname === '/tickets' || pathname.startsWith('/assets/')) assets.add(requestId);
  });
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (assets.has(requestId)) sentBytes += encodedDataLength;
  });
  const processorMs = await countProcessorTime(page);
  await page.goto('/tickets');
  await page.locator('[data-row]').first().waitFor();
  const workMs = await processorMs();
  await close();
  return { assets: assets.size, sentBytes, workMs };
}
