import { serveWeb, settled, type Web } from './browse.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 5 });
});
afterAll(() => web.close());

describe('a page that broke', () => {
  it('keeps the head of all pages, and is left by Back', async () => {
    const { page, go, close } = await web.open();
    await go('/packages');
    // No link of ours leads there, but somebody may have typed it.
    await page.evaluate(
      "history.pushState(null, '', '/package/100%'); dispatchEvent(new PopStateEvent('popstate'))",
    );
    await page.getByRole('heading', { name: 'This page broke' }).waitFor();
    await page.getByRole('button', { name: 'Search everything' }).waitFor();
    expect(await page.locator('main').count()).toBe(1);

    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Packages' }).waitFor();
    await settled(page);

    await page.goForward();
    await page.getByRole('heading', { name: 'This page broke' }).waitFor();
    await page.getByRole('link', { name: 'Status' }).click();
    await page.getByRole('heading', { level: 1, name: 'Status' }).waitFor();
    await close();
  });
});

describe('a browser that lets the page keep nothing', () => {
  it('shows the pages, in the colours that are chosen until the page is left', async () => {
    const { page, go, faults, close } = await web.open({ scheme: 'light' });
    await page.addInitScript(`
      for (const storage of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, storage, {
          get() { throw new DOMException('Access is denied for this document.', 'SecurityError'); },
        });`);
    for (const path of ['/tickets', '/builds?series=noble']) {
      await go(path);
      await page.locator('h1').waitFor();
    }
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    await page.getByRole('button', { name: 'Colours' }).click();
    await page.getByRole('button', { name: 'Colours: light' }).click();
    expect(await ground()).not.toBe(light);
    await page.getByRole('button', { name: 'Save this view' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Noble');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog
      .getByRole('alert')
      .getByText('This browser keeps nothing for this page.')
      .waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
