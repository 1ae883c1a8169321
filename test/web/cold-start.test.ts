import { until } from '../support/until.ts';
import { findBarriers, serveWeb, settled, type Web } from './browse.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 20 });
});
afterAll(() => web.close());

describe('a page that is opened', () => {
  it.each(['nobody answers', 'the API is unavailable'])(
    'while %s says so, and goes on by itself',
    async (fault) => {
      const { page, close } = await web.open();
      await page.route(/\/api\//, (route) =>
        fault === 'nobody answers'
          ? route.abort()
          : route.fulfill({ status: 503, contentType: 'text/html', body: 'no backend' }),
      );
      await page.goto(`/build/${web.story.build.failed}`);
      await page.getByRole('heading', { name: 'Airline does not answer' }).waitFor();
      expect(await page.title()).toContain('Airline does not answer');
      await page.getByText(`curl ${new URL(page.url()).origin}/readyz`).waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await page.unroute(/\/api\//);
      await page.getByRole('heading', { name: /rocketscience/, level: 1 }).waitFor();
      await close();
    },
  );

  it('while the API does not get to an answer says so', async () => {
    const { page, close } = await web.open();
    await page.route(/\/api\/v1\/(?!changes)/, () => new Promise(() => {}));
    await page.goto('/tickets');
    await page.getByText('Airline has not answered yet.').waitFor();
    await close();
  });

  it.each(['/nope', '/ticket', '/ticket/abc', '/ticket/1.5', '/Tickets'])(
    'at %s, where there is none, is told of on a page',
    async (path) => {
      const { page, close } = await web.open();
      const answer = await page.goto(path);
      expect(answer?.status()).toBe(404);
      await settled(page);
      await page.getByText('Nothing is at this address.').waitFor();
      // It is one page for all of them.
      if (path === '/nope') expect(await findBarriers(page)).toEqual([]);
      await close();
    },
  );
});

describe('a page of one version of Airline, while another is asked for its files', () => {
  const NOT_HERE = { status: 404, contentType: 'application/json', body: '{}' };
  /** Counts how often a window loads a page. */
  function watch({ page }: Pick<Awaited<ReturnType<Web['open']>>, 'page'>) {
    let loads = 0;
    page.on('domcontentloaded', () => (loads += 1));
    return {
      loads: () => loads,
      async isLoadedAgain() {
        await page.goto('/tickets', { waitUntil: 'commit' });
        await until('the page is loaded again', () => loads === 2);
        await settled(page);
      },
    };
  }

  it.each(['main-[^/]+.js', 'main-[^/]+.css', 'theme-[^/]+.js'])(
    'loads again by itself where /assets/%s is not there',
    async (name) => {
      const visit = await web.open();
      const { page, close } = visit;
      const { isLoadedAgain } = watch(visit);
      const files = new RegExp(`/assets/${name}$`);
      await page.route(files, (route) => route.fulfill(NOT_HERE), { times: 1 });
      await isLoadedAgain();
      expect(await page.evaluate('document.styleSheets.length')).toBe(1);
      await close();
    },
  );

  it('loads again by itself where none of its scripts is there', async () => {
    const visit = await web.open();
    const { page, close } = visit;
    const { loads, isLoadedAgain } = watch(visit);
    await page.route(/\/assets\/[^/]+\.js$/, (route) => {
      const url = route.request().url();
      return route.continue(loads() === 0 ? { url: url.replace(/-\w+\.js$/, '-OTHER7.js') } : {});
    });
    await isLoadedAgain();
    await close();
  });

  it('stays where only what an extension has put into it cannot be loaded', async () => {
    const visit = await web.openAlone();
    const { page, close } = visit;
    const { loads } = watch(visit);
    await page.clock.install();
    await page.goto('/tickets');
    await page.evaluate(`new Promise((resolve) => {
      const script = document.createElement('script');
      script.src = 'https://extension.example/assets/of-its-own.js';
      script.onerror = resolve;
      document.head.append(script);
    })`);
    await page.clock.runFor(60_000);
    await settled(page);
    expect(loads()).toBe(1);
    await close();
  });
});

describe('a page that cannot load what it shows', () => {
  it('does not say that it is loading, or that all is live', async () => {
    const { page, close } = await web.open();
    await page.route(/\/api\/v1\/opentickets\//, (route) =>
      route.fulfill({
        status: 500,
        contentType: 'application/problem+json',
        body: JSON.stringify({ code: 'internal', detail: 'It is broken.', hint: 'Try again.' }),
      }),
    );
    await page.goto('/tickets');
    await page.getByText('It is broken.').waitFor();
    expect(await page.getByText('Loading…').count()).toBe(0);
    await page.locator('.live', { hasText: 'Errors' }).waitFor();
    await close();
  });
});

describe('the bars of the page', () => {
  it('leave the window to the page where everything is four times as large', async () => {
    const { page, go, close } = await web.open({ width: 320 });
    await page.setViewportSize({ width: 320, height: 256 });
    await go('/tickets');
    await page.evaluate('scrollTo(0, 600)');
    const covered = await page.evaluate<number>(`[...document.querySelectorAll('.top, .places')]
      .map((one) => one.getBoundingClientRect())
      .reduce((sum, { top, bottom }) => sum + Math.max(0, Math.min(256, bottom) - Math.max(0, top)), 0)`);
    expect(covered).toBe(0);
    await settled(page);
    await close();
  });
});
