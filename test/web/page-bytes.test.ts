import { serveWeb, settled, type Web } from './browse.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

/** A list is of use on a slow line, too. */
const MAX_BYTES = 50_000;
const LISTS = ['/', '/tickets', '/builds', '/landings', '/packages', '/status'];

/** Has a page wait for its stream of changes (`PATIENCE_MS`) for as long as a busy machine takes to open it. */
const WAIT_FOR_STREAM = `
  const wait = window.setTimeout;
  window.setTimeout = (act, ms, ...rest) => wait(act, ms === 1_000 ? 60_000 : ms, ...rest);`;

let web: Web;
beforeAll(async () => {
  web = await serveWeb();
});
afterAll(() => web.close());

describe('what a page loads', () => {
  it.each(LISTS)('at %s is under 50 kB, and nothing of it is asked for twice', async (path) => {
    const { page, context, close } = await web.openAlone();
    await page.addInitScript(WAIT_FOR_STREAM);
    const cdp = await context.newCDPSession(page);
    await cdp.send('Network.enable');
    const asked = new Map<string, string>();
    const loaded: string[] = [];
    let bytes = 0;
    cdp.on('Network.responseReceived', ({ requestId, response }) => {
      const { pathname, search } = new URL(response.url);
      // The stream of changes has no end.
      if (pathname.startsWith('/api/') && !pathname.endsWith('/changes/'))
        asked.set(requestId, `${pathname}${search}`);
    });
    cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      const address = asked.get(requestId);
      if (address === undefined) return;
      loaded.push(address);
      bytes += encodedDataLength;
    });
    await page.goto(path);
    await settled(page);
    await page.locator('.live-live').waitFor();
    expect(loaded.length).toBeGreaterThan(1);
    expect(bytes).toBeLessThan(MAX_BYTES);
    // The status is polled.
    expect(loaded.filter((one) => one !== '/api/v1/status')).toEqual([
      ...new Set(loaded.filter((one) => one !== '/api/v1/status')),
    ]);
    await close();
  });

  it('at a build that runs is asked for once, its events among it', async () => {
    const { page, close } = await web.open();
    await page.addInitScript(WAIT_FOR_STREAM);
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      const isStream = request.headers()['accept']?.includes('event-stream');
      if (pathname.startsWith('/api/v1/build/') && !isStream) asked.push(`${pathname}${search}`);
    });
    await page.goto(`/build/${web.story.build.running}`);
    await settled(page);
    await page.locator('.event').first().waitFor();
    await page.locator('.live-live').waitFor();
    expect(asked.length).toBeGreaterThan(2);
    expect(asked).toEqual([...new Set(asked)]);
    await close();
  });
});
