import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { findBarriers, serveWeb, settled, type Web } from './browse.ts';
import { EVERY_PAGE, fillEveryPage, signedIn } from './every-page.ts';
import { SITE_MAP } from '../../web/site-map.ts';
import { until } from '../support/until.ts';

/**
 * A page is met once with an API that is slow and once with one that is away, in both widths and both schemes:
 * `pages.test.ts` looks at what is loaded in all of them.
 */
const LOOKS = [
  { slow: { width: 390, scheme: 'light' }, away: { width: 1280, scheme: 'dark' } },
  { slow: { width: 1280, scheme: 'light' }, away: { width: 390, scheme: 'dark' } },
] as const;
/** Who waits so long is told why. */
const TOLD_MS = 2_000;
/** A lost stream is tried again by then. */
const MAX_RETRY_MS = 10_000;
/** What a page asks for; who asks, and what changes, is known before. */
const DATA = /\/api\/v1\/(?!session\/|changes\/|about\/)/;
/** Loads nothing. */
const REST = '/help';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
let page: Page;
let faults: string[];
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 20 });
  await fillEveryPage(web);
  const visit = await web.openAlone();
  ({ page, faults } = visit);
  await signedIn(visit.page);
  await page.clock.install();
  // No fake clock has it: what is held would be given up and asked again on a slow machine.
  await page.addInitScript('AbortSignal.timeout = () => new AbortController().signal');
  await visit.go(REST);
  await page.locator('.live-live').waitFor();
});
afterAll(() => web.close());

it('a page that waits for the session, and then for what it shows, goes on saying so', async () => {
  const held = [/\/api\/v1\/session\//, DATA].map((path) => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    return { path, answered, answer };
  });
  const { page: other, close } = await web.openAlone();
  for (const { path, answered } of held)
    await other.route(path, (route) => answered.then(() => route.continue()));
  await other.clock.install();
  await other.goto('/status');
  await other.locator('.skeleton').waitFor();
  await other.clock.runFor(TOLD_MS);
  await other.getByText('Airline has not answered yet.').waitFor();
  held[0]?.answer();
  await other.getByRole('heading', { level: 1, name: 'Status' }).waitFor();
  expect(await other.locator('.skeleton > .note:visible').count()).toBe(1);
  held[1]?.answer();
  await close();
});

const PAGES = Object.entries(EVERY_PAGE)
  .filter(([name]) => name !== 'help')
  .map(([name, pathOf], at) => ({ name, pathOf, ...(LOOKS[at % 2] ?? LOOKS[0]) }));

describe.each(PAGES)('$name', ({ pathOf, slow, away }) => {
  afterEach(() => leaveFor(REST));

  it('while the API is slow says so, and has all in its place when it answers', async () => {
    const asked: string[] = [];
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route(DATA, async (route) => {
      const { pathname, search } = new URL(route.request().url());
      asked.push(`${route.request().method()} ${pathname}${search}`);
      await answered;
      await route.continue();
    });
    await look(slow);
    await leaveFor(pathOf(web));
    await page.clock.runFor(TOLD_MS);
    await page.getByText('Airline has not answered yet.').first().waitFor();
    expect(await stateOf(slow.width)).toEqual(AS_IT_SHOULD);
    await pressEachButton();
    const before = await placesOf();

    answer();
    await settled(page);
    await page.locator('main :is([data-row], .card, .list, .empty)').first().waitFor();
    expect(await placesOf()).toMatchObject(before);
    // The status is polled.
    const once = asked.filter((one) => one !== 'GET /api/v1/status');
    expect(once).toEqual([...new Set(once)]);
    expect(once.filter((one) => !one.startsWith('GET '))).toEqual([]);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      // Plots are drawn again once they have seen their new width.
      await until(
        `it fits ${width} pixels`,
        async () => (await page.evaluate('document.documentElement.scrollWidth')) === width,
      );
    }
    expect(faults).toEqual([]);
    await page.unroute(DATA);
  });

  it('while the API is away says so, claims nothing, and goes on by itself', async () => {
    await page.route(/\/api\/v1\/(?!about\/)/, (route) => route.abort());
    await look(away);
    await leaveFor(pathOf(web));
    await page.locator('.away', { hasText: 'Airline does not answer.' }).waitFor();
    await page.locator('.skeleton').first().waitFor();
    expect(await stateOf(away.width)).toEqual(AS_IT_SHOULD);

    // What is refused at this moment is refused to its end.
    await page.unrouteAll({ behavior: 'wait' });
    await until('it is live again', async () => {
      await page.clock.runFor(MAX_RETRY_MS);
      return (await page.locator('.live-live').count()) === 1;
    });
    await settled(page);
    await page.locator('main :is([data-row], .card, .list, .empty)').first().waitFor();
    expect(await page.locator('.away').count()).toBe(0);
    // The browser itself says so of each request that nobody answers.
    expect(faults.filter((fault) => !fault.includes('ERR_FAILED'))).toEqual([]);
    faults.length = 0;
  });
});

it('every page is among them', () => {
  const named = [...readFileSync('web/app.tsx', 'utf8').matchAll(/<Route path="([^"]+)"/g)]
    .map(([, path = '']) => path)
    .filter((path) => path !== '/sign-in');
  expect(named).toEqual(['/ticket/:id', '/build/:id', '/package/:name']);
  const routes = [...SITE_MAP.map(({ path }) => path), ...named];
  const met = Object.values(EVERY_PAGE).map((pathOf) => pathOf(web));
  for (const route of routes) {
    const pattern = new RegExp(`^${route.replace(/:\w+/, '[^/]+')}$`);
    expect(met.some((path) => pattern.test(path)) ? 'met' : route).toBe('met');
  }
});

async function look({ width, scheme }: { width: number; scheme: 'light' | 'dark' }): Promise<void> {
  await page.setViewportSize({ width, height: 844 });
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
}

/** Goes to a page as a link does: what is known of the visitor stays known. */
async function leaveFor(path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await page.locator('h1').waitFor();
}

const AS_IT_SHOULD = { isTooWide: false, barriers: [], claims: [] };

/** What is wrong with a page that has no answer: it is cut off, keeps people out, or says that there is nothing. */
async function stateOf(width: number) {
  return {
    isTooWide: (await page.evaluate<number>('document.documentElement.scrollWidth')) > width,
    barriers: await findBarriers(page),
    claims: await page.locator('main .empty').allTextContents(),
  };
}

/** Where that stands which is there with an answer and without one. */
function placesOf(): Promise<Record<string, number>> {
  return page.evaluate<Record<string, number>>(`Object.fromEntries(
    [...document.querySelectorAll('h1, main h2, main .actions button, main .actions a, main label')]
      .filter((one) => one.checkVisibility())
      .map((one) => [
        one.tagName === 'H1' ? 'h1' : one.textContent,
        Math.round(one.getBoundingClientRect().top + scrollY),
      ]))`);
}

/** Presses all that can be pressed; what asks something is left again. */
async function pressEachButton(): Promise<void> {
  for (const button of await page.locator('main button:enabled').all()) {
    if (!(await button.isVisible())) continue;
    await button.click();
    // What it opens has the focus after a moment, and hears the key then.
    await page.clock.runFor(100);
    for (const dialog of await page.locator('dialog').all())
      expect(await dialog.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
  }
}
