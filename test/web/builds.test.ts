import type { Page, Request } from 'playwright-core';
import { failureOf } from '../../domain/builds/failure.ts';
import { findBarriers, movedFrom, notePlaces, serveWeb, settled, type Web } from './browse.ts';
import { addPastBuild, addPastBuilds, addPastTicket } from './seed.ts';
import { showsFocus } from './tab-stops.ts';

const DAY_MS = 86_400_000;
// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 20 });
});
afterAll(() => web.close());

const LOOKS = [
  { width: 1280, scheme: 'light' },
  { width: 390, scheme: 'dark' },
] as const;

describe('the list of builds', () => {
  it.each(LOOKS)('keeps nobody out at $width pixels in $scheme', async (look) => {
    const { page, go, faults, close } = await web.open(look);
    for (const path of ['/builds?show=failed&failure=build_failed', '/builds?ppa=none']) {
      await go(path);
      expect(await findBarriers(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(look.width);
    }
    await go('/builds');
    await page.getByLabel('Choose all on this page').first().waitFor({ state: 'attached' });
    await page.locator('.choice input').nth(1).check();
    await page.getByText('1 build chosen').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  it('shows its filters in one row on a phone until more are asked for', async () => {
    const { page, go, close } = await web.open({ width: 390 });
    await go('/builds?ppa=ppa:airline/landing&age=30d');
    const height = async () => (await page.locator('.filters').boundingBox())?.height ?? NaN;
    expect(await height()).toBeLessThan(80);
    await page.getByRole('button', { name: 'More filters, 2 set' }).click();
    await page.getByLabel('PPA').fill('none');
    await page.waitForURL(/ppa=none/);
    await page.getByRole('button', { name: 'Fewer filters' }).click();
    expect(await height()).toBeLessThan(80);
    await close();
  });

  it('is narrowed by state, failure, package, PPA, owner and age, all in the address', async () => {
    const { page, go, close } = await web.open();
    const { failed, longLog, cancelled } = web.story.build;
    await go('/builds?show=failed&age=1d');
    const linkOf = (build: number) => page.locator(`[data-row][href="/build/${build}"]`);
    await linkOf(failed).waitFor();
    expect(await linkOf(cancelled).count()).toBe(0);

    await page.getByLabel("Ticket's owner").fill('eve@');
    await page.waitForURL(/owner=eve%40/);
    await linkOf(failed).waitFor({ state: 'detached' });
    await linkOf(longLog).waitFor();
    expect(await page.locator('.list-line').textContent()).toContain('1 build');

    await go('/builds?failure=cancelled');
    await linkOf(cancelled).waitFor();
    expect(await page.locator('[data-row]').count()).toBe(1);
    await go('/builds?package=rocketscience&ppa=ppa:airline/landing&series=noble&age=over-1h');
    await linkOf(failed).waitFor();
    await go('/builds?ppa=eve');
    await linkOf(longLog).waitFor();
    expect(await page.locator('[data-row]').count()).toBe(1);
    await close();
  });

  it('goes on to the next row from the box that chooses one, by the keyboard', async () => {
    const { page, go, close } = await web.open();
    await go('/builds');
    const next = await page.locator('[data-row]').nth(2).getAttribute('href');
    const box = page.locator('tbody').getByRole('checkbox').nth(1);
    await box.press(' ');
    expect(await box.isChecked()).toBe(true);
    await page.keyboard.press('j');
    await page.locator(`[data-row][href="${next}"]:focus`).waitFor();
    await close();
  });

  it('comes back to the row that the key j goes to, where it is scrolled to the side', async () => {
    const { page, go, close } = await web.open({ width: 760 });
    await go('/builds');
    const box = page.locator('.scroller');
    await box.evaluate((at) => (at.scrollLeft = 300));
    expect(await box.evaluate((at) => at.scrollLeft)).toBe(300);
    await page.keyboard.press('j');
    expect(await showsFocus(page, '.scroller')).toBe(true);
    await close();
  });

  it('counts an age from now, on a page that was left open, too', async () => {
    const { page, go, close } = await web.openAlone();
    const since = (request: Request) => {
      const at = new URL(request.url()).searchParams.get('requested_at__gte');
      return at === null ? NaN : Date.parse(at);
    };
    await page.clock.install();
    const opened = page.waitForRequest((request) => since(request) > 0);
    await go('/builds?age=1d');
    const before = since(await opened);
    await page.locator('.live-live').waitFor();

    await page.clock.setSystemTime(Date.now() + 2 * DAY_MS);
    // The API's clock goes on, too.
    await page.route(/\/api\/v1\/(?!changes\/)/, async (route) => {
      const response = await route.fetch();
      const date = new Date(Date.now() + 2 * DAY_MS).toUTCString();
      await route.fulfill({ response, headers: { ...response.headers(), date } });
    });
    const later = page.waitForRequest((request) => since(request) >= before + 2 * DAY_MS);
    const { sequelize } = web.api.database;
    const ticketId = await addPastTicket(
      sequelize,
      { owner: 'ann@example.com', title: 'Two days later', madeMinutesAgo: 1 },
      Date.now(),
    );
    const build = { ticketId, name: 'later', version: '1', moments: [], requestedMinutesAgo: 0 };
    await addPastBuild(sequelize, { ...build, isUndispatched: true }, Date.now());
    await later;
    await close();
  });

  it('retries and cancels several at once, once it has shown which', async () => {
    const { sequelize } = web.api.database;
    const nowMs = Date.now();
    const ticketId = await addPastTicket(
      sequelize,
      { owner: 'bulk@example.com', title: 'Many builds', madeMinutesAgo: 90 },
      nowMs,
    );
    const common = { ticketId, name: 'many', version: '1', moments: [], requestedMinutesAgo: 60 };
    const failure = { class: 'chroot_problem', message: 'no chroot' } as const;
    const failed = [
      await addPastBuild(sequelize, { ...common, endedAfter: 2, failure }, nowMs),
      await addPastBuild(sequelize, { ...common, endedAfter: 2, failure }, nowMs),
    ];
    const queued = await addPastBuild(sequelize, { ...common, isUndispatched: true }, nowMs);

    const { page, go, close } = await web.open();
    await go('/builds?owner=bulk@example.com');
    await page.getByLabel('Choose all on this page').check();
    await page.getByText('3 builds chosen').waitFor();
    await page.getByRole('button', { name: 'Retry 2' }).click();
    const dialog = page.getByRole('dialog', { name: 'Retry 2 builds?' });
    await dialog.getByText('1 other that you chose did not fail, and is left as it is.').waitFor();
    expect(await dialog.locator('.preview li').count()).toBe(2);
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Retry 2 builds' }).click();
    await dialog.waitFor({ state: 'detached' });
    for (const id of failed)
      expect((await web.api.call('GET', `/api/v1/build/${id}/`)).json.attempt).toBe(2);

    // One that somebody else cancels meanwhile does not keep the others from it.
    await page.getByLabel('Choose all on this page').check();
    await page.getByRole('button', { name: 'Cancel 3' }).click();
    await page.getByRole('button', { name: 'Cancel 3 builds' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    for (const id of [...failed, queued])
      expect(
        (await web.api.call('GET', `/api/v1/build/${id}/`)).json.cancel_requested_at,
      ).not.toBeNull();
    await page.locator('tr', { hasText: 'many' }).first().getByText('Cancel').first().waitFor();
    await close();
  });

  it('retries a build once where the answer is lost and the dialog is sent again', async () => {
    const { sequelize } = web.api.database;
    const nowMs = Date.now();
    const owner = { owner: 'lost@example.com', title: 'An answer is lost', madeMinutesAgo: 90 };
    const id = await addPastBuild(
      sequelize,
      {
        ticketId: await addPastTicket(sequelize, owner, nowMs),
        name: 'lost',
        version: '1',
        moments: [],
        requestedMinutesAgo: 60,
        endedAfter: 2,
        failure: { class: 'chroot_problem', message: 'no chroot' },
      },
      nowMs,
    );
    const { page, go, close } = await web.open();
    await go('/builds?owner=lost@example.com');
    await page.getByLabel('Choose all on this page').check();
    await page.getByRole('button', { name: 'Retry 1' }).click();
    const dialog = page.getByRole('dialog', { name: 'Retry 1 build?' });
    const retry = /\/retry\/$/;
    await page.route(retry, async (route) => {
      await route.fetch();
      await route.abort();
    });
    await dialog.getByRole('button', { name: 'Retry 1 build' }).click();
    await dialog.getByRole('alert').waitFor();

    await page.unroute(retry);
    await dialog.getByRole('button', { name: 'Retry 1 build' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await web.api.call('GET', `/api/v1/build/${id}/`)).json.attempt).toBe(2);
    await close();
  });

  it('says of each build why it is left, and asks for all of them again under the same key', async () => {
    const { sequelize } = web.api.database;
    const nowMs = Date.now();
    const owner = { owner: 'refused@example.com', title: 'Some are refused', madeMinutesAgo: 90 };
    const failed = {
      ticketId: await addPastTicket(sequelize, owner, nowMs),
      name: 'refused',
      version: '1',
      moments: [],
      requestedMinutesAgo: 60,
      endedAfter: 2,
      failure: { class: 'chroot_problem', message: 'no chroot' },
    } as const;
    await addPastBuilds(sequelize, [failed, failed], nowMs);
    const { page, go, close } = await web.open();
    await go('/builds?owner=refused@example.com');
    const answers = ['request_in_flight', 'conflict', 'conflict', 'request_in_flight'];
    const asked: { build: string | undefined; key: string | undefined }[] = [];
    await page.route(/\/retry\/$/, async (route) => {
      const request = route.request();
      const [, build] = /build\/(\d+)\//.exec(request.url()) ?? [];
      asked.push({ build, key: request.headers()['idempotency-key'] });
      const body = { code: answers.shift(), detail: 'It is under way.', hint: 'Look again.' };
      const contentType = 'application/problem+json';
      await route.fulfill({ status: 409, contentType, body: JSON.stringify(body) });
    });
    await page.getByLabel('Choose all on this page').check();
    await page.getByRole('button', { name: 'Retry 2' }).click();
    const dialog = page.getByRole('dialog', { name: 'Retry 2 builds?' });
    const retry = dialog.getByRole('button', { name: 'Retry 2 builds' });
    const alert = dialog.getByRole('alert').filter({ hasText: '0 of 2 are retried.' });
    const isSaid = (inFlight: string | undefined, refused: string | undefined) =>
      alert
        .filter({ hasText: `Build ${inFlight}: What you sent before is still being done.` })
        .filter({ hasText: `Build ${refused}: It is under way.` })
        .waitFor();
    await retry.click();
    await alert.waitFor();
    const [first, second] = asked.map(({ build }) => build);
    await isSaid(first, second);

    // Now what is still being done comes last.
    await retry.click();
    await isSaid(second, first);
    const key = asked[0]?.key;
    expect(key).toMatch(/./);
    expect(asked).toEqual([first, second, first, second].map((build) => ({ build, key })));
    await close();
  });

  it('is narrowed to a PPA however the requests wrote it', async () => {
    const { sequelize } = web.api.database;
    const nowMs = Date.now();
    const ticketId = await addPastTicket(
      sequelize,
      { owner: 'ann@example.com', title: 'Builds in her own PPA', madeMinutesAgo: 5 },
      nowMs,
    );
    const build = { ticketId, name: 'own', version: '1', moments: [], requestedMinutesAgo: 1 };
    const { page, go, close } = await web.open();
    await addPastBuild(sequelize, { ...build, ppa: 'ppa:ann/own' }, nowMs);
    const id = await addPastBuild(sequelize, { ...build, ppa: '~Ann/ubuntu/Own' }, nowMs);
    await go('/builds?ppa=ppa:ann/own');
    await page.locator(`[data-row][href="/build/${id}"]`).waitFor();
    expect(await page.locator('[data-row]').count()).toBe(2);
    await close();
  });

  it('is narrowed by both of two filters that are filled in at once', async () => {
    const { page, go, close } = await web.open();
    await go('/builds');
    await page.getByLabel('Package', { exact: true }).fill('hello');
    await page.getByLabel('PPA', { exact: true }).fill('ppa:airline/landing');
    await page.waitForURL(/\?package=hello&ppa=ppa%3Aairline%2Flanding$/);
    await close();
  });

  it('has a view of what failed in the last day, also where it was requested before', async () => {
    const { page, go, close } = await web.open();
    const { sequelize } = web.api.database;
    const now = Date.now();
    const ticketId = await addPastTicket(
      sequelize,
      { owner: 'ann@example.com', title: 'Slow to fail', madeMinutesAgo: 60 * 60 },
      now,
    );
    const failure = { class: 'timed_out', message: 'Not built within a day' } as const;
    const build = { ticketId, name: 'slow', version: '1', moments: [], failure };
    const [today, before] = await addPastBuilds(
      sequelize,
      [
        { ...build, requestedMinutesAgo: 30 * 60, endedAfter: 29 * 60 },
        { ...build, requestedMinutesAgo: 59 * 60, endedAfter: 29 * 60 },
      ],
      now,
    );
    await go('/builds');
    await page.getByRole('link', { name: 'Failed in the last day' }).click();
    await page.waitForURL(/\?show=failed&age=ended-1d$/);
    await page.locator(`[data-row][href="/build/${today}"]`).waitFor();
    await page.locator(`[data-row][href="/build/${before}"]`).waitFor({ state: 'detached' });
    await close();
  });

  it('keeps a view under a name, in this browser', async () => {
    const { page, go, close } = await web.open();
    await go('/builds?show=failed&series=noble');
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByLabel('Name').fill('Noble, broken');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await go('/builds');
    await page.getByRole('link', { name: 'Noble, broken' }).click();
    await page.waitForURL(/show=failed&series=noble/);
    await page.getByRole('button', { name: 'Remove the view Noble, broken' }).click();
    await page.getByRole('button', { name: 'Save this view' }).waitFor();
    await close();
  });

  it.each([
    ['ann@example.com', 1],
    ['ann', 0],
  ])('has the view "Mine" only where the name is an address: %s', async (name, views) => {
    const { page, go, close } = await web.open();
    const session = { authentication: 'token', name, scopes: ['read'] };
    await page.route(/\/session\/$/, (route) => route.fulfill({ json: session }));
    await go('/builds');
    await page.locator('.who', { hasText: name }).waitFor();
    const own = page.getByRole('link', { name: 'Mine', exact: true });
    expect(await own.count()).toBe(views);
    await close();
  });

  it('keeps the views that two tabs have saved, and shows them in both', async () => {
    const { page, go, context, close } = await web.openAlone();
    const other = await context.newPage();
    await go('/builds?series=noble');
    await other.goto('/builds?series=jammy');
    const save = async (tab: Page, name: string) => {
      await tab.getByRole('button', { name: 'Save this view' }).click();
      await tab.getByLabel('Name').fill(name);
      await tab.getByRole('button', { name: 'Save', exact: true }).click();
      await tab.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await other.getByRole('button', { name: 'Save this view' }).waitFor();
    await save(page, 'Of the first tab');
    await save(other, 'Of the second tab');
    for (const tab of [page, other])
      for (const name of ['Of the first tab', 'Of the second tab'])
        await tab.getByRole('link', { name }).waitFor();

    await page.getByRole('button', { name: 'Remove the view Of the second tab' }).click();
    await other.getByRole('link', { name: 'Of the second tab' }).waitFor({ state: 'detached' });
    await go('/builds');
    expect(await page.locator('.view-own').allTextContents()).toEqual([
      'Of the first tabRemove the view Of the first tab',
    ]);
    await close();
  });

  it('keeps no more views than twenty, and loses none of them for another', async () => {
    const { page, go, close } = await web.open();
    const views = Array.from({ length: 20 }, (_, at) => ({ name: `V${at}`, query: `q=${at}` }));
    await page.addInitScript(
      `localStorage.setItem('views of builds', ${JSON.stringify(JSON.stringify(views))})`,
    );
    await go('/builds?series=noble');
    await page.getByRole('button', { name: 'Save this view' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('One too many');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByRole('alert').getByText('Remove one first').waitFor();
    expect(await page.locator('.view-own').count()).toBe(20);

    // Under a name that is taken it takes that one's place.
    await dialog.getByLabel('Name').fill('V7');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.locator('.view-own').count()).toBe(20);
    await close();
  });

  it('changes in its place, and new builds wait until they are asked for', async () => {
    const { page, go, close } = await web.open();
    const { queued, completed } = web.story.build;
    await go('/builds');
    const first = await page.textContent('[data-row]');
    await page.locator('.live-live').waitFor();
    await notePlaces(page);
    const { sequelize } = web.api.database;
    const build = { name: 'brand-new', version: '1', moments: [], requestedMinutesAgo: 0 };
    const { ticket_id: ticketId } = (await web.api.call('GET', `/api/v1/build/${completed}/`)).json;
    await addPastBuild(sequelize, { ...build, ticketId, isUndispatched: true }, Date.now());
    await web.api.call('POST', `/api/v1/build/${queued}/cancel/`);
    const row = page.locator('tr', { has: page.locator(`a[href="/build/${queued}"]`) });
    await row.getByText('Cancelling').waitFor();
    expect(await page.textContent('[data-row]')).toBe(first);
    expect(await movedFrom(page)).toEqual([]);
    await page.getByRole('button', { name: 'The list has changed' }).click();
    await page.locator('[data-row]', { hasText: 'brand-new' }).waitFor();
    await settled(page);
    await close();
  });

  it('that was loaded anew is not put back by an answer that comes late', async () => {
    const { database } = web.api;
    const nowMs = Date.now();
    const ticketId = await addPastTicket(
      database.sequelize,
      { owner: 'late@example.com', title: 'One ends', madeMinutesAgo: 90 },
      nowMs,
    );
    const build = { ticketId, name: 'late', version: '1', moments: [], requestedMinutesAgo: 60 };
    const queued = { ...build, isUndispatched: true };
    const stays = await addPastBuild(database.sequelize, queued, nowMs);
    const ends = await addPastBuild(database.sequelize, queued, nowMs);
    const { page, go, close } = await web.open();
    // What is held would be given up on a slow machine.
    await page.addInitScript('AbortSignal.timeout = () => new AbortController().signal');
    await go('/builds?show=active&owner=late@example.com');
    const linkOf = (id: number) => page.locator(`[data-row][href="/build/${id}"]`);
    await linkOf(ends).waitFor();
    await page.locator('.live-live').waitFor();
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const rowThatLeft = /\/buildsummary\/\?id__in=/;
    await page.route(rowThatLeft, async (route) => {
      await answered;
      await route.continue();
    });

    const asked = page.waitForRequest(rowThatLeft);
    const failure = failureOf('build_failed', 'it ended');
    await database.ProgressEvent.record({
      buildId: ends,
      key: 'final',
      message: 'FAILURE',
      failure,
    });
    await asked;
    const givenUp = page.waitForEvent('requestfailed', (request) =>
      rowThatLeft.test(request.url()),
    );
    await page.getByRole('button', { name: 'The list has changed' }).click();
    await linkOf(ends).waitFor({ state: 'detached' });
    await givenUp;
    answer();
    // Once what has come is drawn.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))');
    expect(await linkOf(ends).count()).toBe(0);
    expect(await linkOf(stays).count()).toBe(1);
    expect(await page.getByRole('button', { name: 'The list has changed' }).count()).toBe(0);
    await close();
  });
});

describe('past the last page of a list', () => {
  it.each(['/builds', '/tickets', '/packages'])('%s says so and leads back', async (list) => {
    const { page, go, close } = await web.open();
    await go(`${list}?offset=100000`);
    await page.getByText('The list ends before this page.').waitFor();
    await page.getByRole('link', { name: 'Go to its last page' }).click();
    await page.locator('[data-row]').first().waitFor();
    await close();
  });
});
