import { findBarriers, serveWeb, settled, type Web } from './browse.ts';
import type { Scope } from '../../domain/access/access.ts';

const HOUR_MS = 3_600_000;
// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
beforeAll(async () => {
  web = await serveWeb({ authentication: 'token' }, { tickets: 10, hasLongLog: true });
});
afterAll(() => web.close());

async function issue(name: string, scopes: readonly Scope[]) {
  return web.api.database.AccessToken.issue(
    { name, scopes },
    { defaultMs: HOUR_MS, maxMs: HOUR_MS },
    { actor: 'a test', requestId: undefined },
  );
}

describe('who has not signed in', () => {
  it.each(['light', 'dark'] as const)(
    'is asked for a token, in %s, and nobody is kept out',
    async (scheme) => {
      const { page, go, faults, close } = await web.open({ scheme, width: 390 });
      await go('/sign-in');
      await page.getByLabel('Token').waitFor();
      await page.getByText('The browser keeps the token only if you have it do so.').waitFor();
      expect(await findBarriers(page)).toEqual([]);
      expect(faults).toEqual([]);
      await close();
    },
  );

  it('comes to the page that was asked for once the token is good, and is told when it is not', async () => {
    const { page, close } = await web.open();
    const { text } = await issue('reader@example.com', ['read']);
    const path = `/build/${web.story.build.failed}`;
    await page.goto(path);
    await page.waitForURL(/\/sign-in\?next=/);
    await page.getByLabel('Token').fill('not-a-token');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Token').fill(text);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(new RegExp(`${path}$`));
    await settled(page);
    expect(
      await page.evaluate('JSON.stringify([document.cookie, { ...localStorage }])'),
    ).not.toContain(text);

    await page.getByText('reader@example.com').first().waitFor();
    expect(await page.getByRole('button', { name: /Retry|Cancel/ }).count()).toBe(0);
    await page.goto(`/ticket/${web.story.landed.approving}`);
    const landing = page.locator('.landing');
    const needs = (to: string) => landing.getByText(new RegExp(`To ${to}, sign in`));
    expect(await needs('approve or reject it').textContent()).toContain('landing:approve');
    expect(await needs('pause or cancel it').textContent()).toContain('build:write');
    await landing.getByText('Yours has read.').waitFor();
    await page.getByText('To say that a test does not count, sign in').waitFor();
    expect(await landing.getByRole('button').count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await page.goto('/pool');
    await page.getByText('To add, clean or retire a PPA, sign in').waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    await close();
  });

  it('comes to the lines of a log that were asked for', async () => {
    const { page, close } = await web.open();
    const { text } = await issue('line-reader@example.com', ['read']);
    const log = 'kernel_6.11.0-9_amd64.build.log';
    await page.goto(`/build/${web.story.build.longLog}?log=${log}#L3-L5`);
    await page.getByLabel('Token').fill(text);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('.line-target', { hasText: 'part_3.o' }).waitFor();
    expect(await page.locator('.line-target').count()).toBe(3);
    const { pathname, search, hash } = new URL(page.url());
    expect(`${pathname}${search}${hash}`).toBe(
      `/build/${web.story.build.longLog}?log=${log}#L3-L5`,
    );
    await close();
  });

  it('is told where a proxy answers in the place of Airline, and can try again', async () => {
    const { page, close } = await web.open();
    const { text } = await issue('proxied@example.com', ['read']);
    await page.goto('/sign-in');
    await page.getByLabel('Token').fill(text);
    const session = /\/api\/v1\/session\/$/;
    await page.route(session, (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 200, contentType: 'text/html', body: '<html>Sign in</html>' })
        : route.continue(),
    );
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('The answer could not be read.').waitFor();

    await page.unroute(session);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('[data-row]').first().waitFor();
    await close();
  });

  it('finds every page whole once signed in, however narrow it is and long the name', async () => {
    const name = `${'a-long-name'.repeat(5)}@example.com`;
    const { text } = await issue(name, ['read', 'ticket:write', 'build:write', 'admin']);
    const { page, go, faults, close } = await web.open({ width: 390, scheme: 'dark' });
    await go('/sign-in');
    await page.getByLabel('Token').fill(text);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/$/);
    const { build, ticket } = web.story;
    const pages = ['/', '/workers', `/ticket/${ticket.landing}`, `/build/${build.failed}`];
    for (const path of pages) {
      await go(path);
      const leave = await page.getByRole('button', { name: 'Sign out' }).boundingBox();
      expect([path, (leave?.x ?? 999) + (leave?.width ?? 0) <= 390]).toEqual([path, true]);
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 844 });
        const pageWidth = await page.evaluate('document.documentElement.scrollWidth');
        expect([path, pageWidth, faults]).toEqual([path, width, []]);
      }
      // In a wide window, `pages.test.ts` has nobody signed in; what that adds is in the head of every page.
      if (path === '/') expect(await findBarriers(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
    }
    await close();
  });

  it('is not led away from Airline', async () => {
    const { page, close } = await web.open();
    const { text } = await issue('second@example.com', ['read']);
    await page.goto('/sign-in?next=//evil.example/');
    await page.getByLabel('Token').fill(text);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('[data-row]').first().waitFor();
    expect(new URL(page.url()).origin).toBe(web.api.url);
    await close();
  });
});

describe('who signs out while Airline is out of order', () => {
  it('is told that the session lives, and can try again', async () => {
    const { page, faults, close } = await web.open();
    const { text } = await issue('stayer@example.com', ['read']);
    await page.goto('/sign-in');
    await page.getByLabel('Token').fill(text);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('[data-row]').first().waitFor();
    const body = JSON.stringify({ code: 'internal', detail: 'It is broken.', hint: 'Later.' });
    const session = /\/api\/v1\/session\/$/;
    await page.route(session, (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({ status: 500, contentType: 'application/problem+json', body })
        : route.continue(),
    );

    await page.getByRole('button', { name: 'Sign out' }).click();
    const dialog = page.getByRole('dialog', { name: 'You are still signed in' });
    await dialog.getByText('It is broken.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByRole('alert').getByText('It is broken.').waitFor();
    // The browser itself says so of each answer that is a failure.
    expect(faults.filter((fault) => !fault.includes('status of 500'))).toEqual([]);

    await page.unroute(session);
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await page.getByLabel('Token').waitFor();
    await close();
  });
});

/** Opens a page for a visitor with a new token. @returns what ends its sessions, too */
async function signIn(name: string, scopes: readonly Scope[], path: string) {
  const { page, close } = await web.open();
  const { text, row } = await issue(name, scopes);
  await page.goto(path);
  await page.getByLabel('Token').fill(text);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText(name).first().waitFor();
  // What is asked for once the stream is there would find out that the session is over, before the test does more.
  await page.locator('.live-live').waitFor();
  await settled(page);
  const revoke = () =>
    web.api.database.sequelize.query('UPDATE access_token SET revoked_at = now() WHERE id = $1', {
      bind: [row.id],
    });
  return { page, close, revoke };
}

describe('whose token is revoked', () => {
  it('is asked to sign in again', async () => {
    const scopes = ['read', 'ticket:write', 'build:write'] as const;
    const { page, close, revoke } = await signIn('leaver@example.com', scopes, '/tickets');
    await revoke();
    // What the page loads by itself may find out first: then the link is gone, and the sign-in is there.
    const token = page.getByLabel('Token');
    await page.getByRole('link', { name: 'Status' }).or(token).click();
    await token.waitFor();
    expect(await page.locator('.away').count()).toBe(0);
    await close();
  });

  it('is asked to sign in where only a log has found it out', async () => {
    const { page, close } = await signIn('log-reader@example.com', ['read'], '/builds');
    await page.route(/\/store\/.*\.log$/, (route) => route.fulfill({ status: 401 }));
    const path = `/build/${web.story.build.longLog}`;
    await page.goto(`${path}?log=kernel_6.11.0-9_amd64.build.log`);
    await page.getByLabel('Token').waitFor();
    expect(page.url()).toContain(encodeURIComponent(path));
    await close();
  });

  it('keeps what is typed in a form, is told what to do, and sends it after signing in elsewhere', async () => {
    const scopes = ['read', 'ticket:write'] as const;
    const { page, close, revoke } = await signIn('writer@example.com', scopes, '/tickets');
    await page.getByRole('button', { name: 'New ticket' }).click();
    const dialog = page.getByRole('dialog', { name: 'New ticket' });
    await dialog.getByLabel('Title').fill('Half an hour of work');
    await revoke();
    const { landing } = web.story.ticket;
    await web.api.database.sequelize.query(`UPDATE ticket SET title = 'Renamed' WHERE id = $1`, {
      bind: [landing],
    });
    const alert = dialog.getByRole('alert');
    await alert.getByText('Your session is over.').waitFor();
    expect(await dialog.getByLabel('Title').inputValue()).toBe('Half an hour of work');
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Make the ticket' }).click();
    await alert.getByText('Sign in in another tab, then press again.').waitFor();
    expect(await dialog.textContent()).not.toContain('Bearer');

    const { text } = await issue('writer-again@example.com', scopes);
    const [other] = await Promise.all([
      page.waitForEvent('popup'),
      alert.getByRole('link', { name: 'Sign in' }).click(),
    ]);
    await other.getByLabel('Token').fill(text);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByText('writer-again@example.com').first().waitFor();
    await dialog.getByRole('button', { name: 'Make the ticket' }).click();
    await page.locator('h1', { hasText: 'Half an hour of work' }).waitFor();
    await page.getByText('writer-again@example.com').first().waitFor();
    await page.locator('.live-live').waitFor();
    await close();
  });

  it('comes to the sign-in once the form is left', async () => {
    const scopes = ['read', 'ticket:write'] as const;
    const { page, close, revoke } = await signIn('quitter@example.com', scopes, '/tickets');
    await page.getByRole('button', { name: 'New ticket' }).click();
    const dialog = page.getByRole('dialog', { name: 'New ticket' });
    await dialog.getByLabel('Title').fill('Never mind');
    await revoke();
    await dialog.getByRole('button', { name: 'Make the ticket' }).click();
    await dialog.getByRole('alert').getByText('Your session is over.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL(/\/sign-in\?next=%2Ftickets$/);
    await close();
  });
});
