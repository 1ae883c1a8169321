import { findBarriers, serveWeb, type Web } from './browse.ts';
import { walkBy } from './tab-stops.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 20 });
});
afterAll(() => web.close());

describe('the search', () => {
  it('finds a ticket, a build, a package, a version, a PPA and a failure class', async () => {
    const { page, go, close } = await web.open();
    const { ticket, build } = web.story;
    const FINDS = [
      [`#${ticket.failed}`, 'Ticket', 'rocketscience: compute', `/ticket/${ticket.failed}`],
      [`build ${build.failed}`, 'Build', 'rocketscience', `/build/${build.failed}`],
      ['rocketsc', 'Package', 'rocketscience', '/package/rocketscience'],
      ['4.1-2', 'Version', 'libgreet 4.1-2ubuntu1', `/build/${build.completed}`],
      ['airline/lan', 'PPA', 'ppa:airline/landing', '/builds?ppa=ppa%3Aairline%2Flanding'],
      ['chroot', 'Failure class', 'chroot_problem', '/builds?failure=chroot_problem'],
    ] as const;
    await go('/status');
    for (const [asked, kind, name, address] of FINDS) {
      await page.keyboard.press('Control+k');
      await page.locator('[role=combobox]:focus').waitFor();
      await page.keyboard.type(asked);
      await page
        .getByRole('option')
        .filter({ has: page.getByText(kind, { exact: true }) })
        .filter({ hasText: name })
        .click();
      await page.waitForURL((url) => `${url.pathname}${url.search}` === address);
    }
    await close();
  });

  it.each([
    { width: 1280, scheme: 'light' },
    { width: 390, scheme: 'dark' },
  ] as const)('is one box for keys and pointer, at $width pixels', async (look) => {
    const { page, go, faults, close } = await web.open(look);
    await go('/packages');
    await page.getByRole('button', { name: 'Search everything' }).click();
    await page.locator('[role=combobox]:focus').waitFor();
    await page.keyboard.type('builds');
    await page.getByRole('option', { name: 'Builds that failed' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect((await walkBy(page, 'Tab', 5)).hidden).toEqual([]);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.keyboard.press('/');
    await page.locator('[role=combobox]:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.keyboard.press('/');
    await page.locator('[role=combobox]:focus').waitFor();
    await page.keyboard.type('builds that wait');
    await page.getByRole('option', { selected: true, name: 'Builds that wait' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/builds\?show=waiting$/);
    await page.getByRole('heading', { level: 1, name: 'Builds' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it.each([
    ['workers', 'Workers', '/workers'],
    ['documentation', 'Documentation', '/help'],
    ['merge proposals', 'Merge proposals', '/proposals'],
  ])('knows of the page that is called %s', async (asked, name, address) => {
    const { page, go, close } = await web.open();
    await go('/status');
    await page.keyboard.press('/');
    await page.locator('[role=combobox]:focus').waitFor();
    await page.keyboard.type(asked);
    await page
      .getByRole('option')
      .filter({ has: page.getByText('Page', { exact: true }) })
      .filter({ has: page.getByText(name, { exact: true }) })
      .click();
    await page.waitForURL((url) => url.pathname === address);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await close();
  });

  it('opens by Enter what was typed last, however late that is found', async () => {
    const { page, go, close } = await web.open();
    const { failed, landing } = web.story.ticket;
    await go('/status');
    await page.keyboard.press('Control+k');
    const box = page.locator('[role=combobox]:focus');
    await box.fill(`#${failed}`);
    await page
      .getByRole('option', { selected: true, name: `#${failed} rocketscience: compute` })
      .waitFor();
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route(/\/api\/v1\/search\//, async (route) => {
      await answered;
      await route.continue();
    });
    const asked = page.waitForRequest(/\/api\/v1\/search\//);
    await box.fill(`#${landing}`);
    await asked;
    await page.keyboard.press('Enter');
    answer();
    await page.waitForURL((url) => url.pathname.startsWith('/ticket/'));
    expect(new URL(page.url()).pathname).toBe(`/ticket/${landing}`);
    await close();
  });

  it('says so where nothing answers it', async () => {
    const { page, go, close } = await web.open();
    await go('/packages');
    await page.route(/\/api\/v1\/search/, (route) =>
      route.fulfill({
        status: 500,
        contentType: 'application/problem+json',
        body: JSON.stringify({ code: 'internal', detail: 'It is broken.', hint: 'Try again.' }),
      }),
    );
    await page.keyboard.press('/');
    await page.locator('[role=combobox]:focus').waitFor();
    await page.keyboard.type('hello');
    await page.getByRole('alert').getByText('It is broken.').waitFor();
    await close();
  });
});
