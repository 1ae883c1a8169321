import type { Page } from 'playwright-core';
import { createWorld } from '../support/world.ts';
import { serveWeb, type Web } from './browse.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 0 });
});
afterAll(() => web.close());

const REFERENCES = /\/api\/v1\/reference\/$/;

describe('a dialog whose request fails', () => {
  it('says so where a proxy has answered with a page of its own, and can be sent again', async () => {
    const { page, go, close } = await web.open();
    await go(`/build/${web.story.build.troubled}`);
    const cancel = /\/cancel\/$/;
    await page.route(cancel, (route) =>
      route.fulfill({ status: 200, contentType: 'text/html', body: '<html>Sign in</html>' }),
    );
    await page.getByRole('button', { name: 'Cancel' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel the build' }).click();
    await dialog.getByRole('alert').getByText('The answer could not be read.').waitFor();

    await page.unroute(cancel);
    await dialog.getByRole('button', { name: 'Cancel the build' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.locator('.verdict', { hasText: 'Cancelling' }).waitFor();
    await close();
  });

  it('says so where the page itself is at fault', async () => {
    const { page, go, close } = await web.open();
    await go('/builds?series=noble');
    // An assignment alone would give a function, which is called.
    await page.evaluate(
      "void (crypto.getRandomValues = () => { throw new Error('it is an old page') })",
    );
    await page.getByRole('button', { name: 'Save this view' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Noble');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByRole('alert').getByText('it is an old page').waitFor();
    await dialog.getByRole('button', { name: 'Save', exact: true, disabled: false }).waitFor();
    await close();
  });

  it('takes no lifetime of a token that no server gives', async () => {
    const { page, go, close } = await web.open();
    await go('/tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('forever');
    await dialog.getByLabel('Days until it expires').fill('999999999');
    await dialog.getByRole('button', { name: 'Make it' }).click();
    // The browser itself says what is wrong with it.
    await dialog.locator('[name=expires_at]:invalid:focus').waitFor();
    await dialog.getByRole('button', { name: 'Make it', disabled: false }).waitFor();
    await close();
  });
});

describe('a dialog that is being sent', () => {
  it('cannot be left before it is known what became of it', async () => {
    const { page, go, close } = await web.open();
    const { landing } = web.story.ticket;
    // What is held would be given up on a slow machine.
    await page.addInitScript('AbortSignal.timeout = () => new AbortController().signal');
    await go(`/ticket/${landing}`);
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route(REFERENCES, async (route) => {
      await answered;
      const body = JSON.stringify({ code: 'internal', detail: 'It is broken.', hint: 'Later.' });
      await route.fulfill({ status: 500, contentType: 'application/problem+json', body });
    });
    await page.getByRole('button', { name: 'Link', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Link this ticket' });
    await dialog.getByLabel('Address').fill('https://bugs.example/7');
    await dialog.getByRole('button', { name: 'Link it' }).click();
    await dialog.getByRole('button', { name: 'Sending…', disabled: true }).waitFor();
    // A browser may ask once, and close at the second.
    for (let times = 0; times < 3; times++) await page.keyboard.press('Escape');
    for (const name of ['Close', 'Cancel'])
      await dialog.getByRole('button', { name, disabled: true }).waitFor();

    answer();
    await dialog.getByRole('alert').getByText('It is broken.').waitFor();
    expect(await dialog.getByLabel('Address').inputValue()).toBe('https://bugs.example/7');

    await page.unroute(REFERENCES);
    await dialog.getByRole('button', { name: 'Link it' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { json } = await web.api.call('GET', `/api/v1/reference/?ticket=${landing}`);
    expect(json.objects).toMatchObject([{ url: 'https://bugs.example/7' }]);
    await close();
  });

  it('can be left by Escape again once it has failed', async () => {
    const { page, go, close } = await web.open();
    await go(`/ticket/${web.story.ticket.failed}`);
    await page.route(REFERENCES, (route) => route.fulfill({ status: 403, body: '{}' }));
    await page.getByRole('button', { name: 'Link', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('https://bugs.example/8');
    await dialog.getByRole('button', { name: 'Link it' }).click();
    await dialog.getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await close();
  });
});

/** Lets the API do what it is asked, and the page never hear of it. @returns what mends the way */
async function loseAnswers(page: Page, path: RegExp): Promise<() => Promise<void>> {
  await page.route(path, async (route) => {
    await route.fetch();
    await route.abort();
  });
  return () => page.unroute(path);
}

describe('a dialog whose answer is lost', () => {
  it('can be sent again: what it asks for is done once', async () => {
    const { page, go, close } = await web.open();
    await go('/tickets');
    const mend = await loseAnswers(page, /\/api\/v1\/ticket\/$/);
    await page.getByRole('button', { name: 'New ticket' }).click();
    const dialog = page.getByRole('dialog', { name: 'New ticket' });
    await dialog.getByLabel('Title').fill('Once only');
    await dialog.getByLabel('Owner').fill('ann@example.com');
    await dialog.getByRole('button', { name: 'Make the ticket' }).click();
    await dialog.getByRole('alert').waitFor();

    await mend();
    await dialog.getByRole('button', { name: 'Make the ticket' }).click();
    await page.waitForURL(/\/ticket\/\d+$/);
    await page.locator('h1', { hasText: 'Once only' }).waitFor();
    const { json } = await web.api.call('GET', '/api/v1/ticket/?title=Once+only');
    expect(json.meta.total_count).toBe(1);
    await close();
  });

  it('and whose form is changed then is not sent before its reader knows that the first was done', async () => {
    const { page, go, close } = await web.open();
    const { landing } = web.story.ticket;
    await go(`/ticket/${landing}`);
    const mend = await loseAnswers(page, REFERENCES);
    await page.getByRole('button', { name: 'Link', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Link this ticket' });
    await dialog.getByLabel('Address').fill('https://bugs.example/first');
    await dialog.getByRole('button', { name: 'Link it' }).click();
    await dialog.getByRole('alert').waitFor();

    await mend();
    await dialog.getByLabel('Address').fill('https://bugs.example/second');
    await dialog.getByRole('button', { name: 'Link it' }).click();
    await dialog.getByRole('alert').getByText('What you sent before was done.').waitFor();
    await dialog.getByRole('button', { name: 'Link it' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { json } = await web.api.call('GET', `/api/v1/reference/?ticket=${landing}`);
    const urls = json.objects.map(({ url }: { url: string }) => url);
    expect(urls).toEqual(
      expect.arrayContaining(['https://bugs.example/first', 'https://bugs.example/second']),
    );
    await close();
  });

  it('says that a token was made whose secret is lost, and shows it in the list to be revoked', async () => {
    const { page, go, close } = await web.open();
    await go('/tokens');
    const mend = await loseAnswers(page, /\/api\/v1\/token\/$/);
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog', { name: 'New token' });
    await dialog.getByLabel('Name').fill('never-seen');
    await dialog.getByLabel('Days until it expires').fill('1');
    await dialog.getByRole('button', { name: 'Make it' }).click();
    await dialog.getByRole('alert').waitFor();

    await mend();
    await dialog.getByRole('button', { name: 'Make it' }).click();
    const said = dialog.getByRole('alert');
    await said.getByText('its secret was lost on the way').waitFor();
    expect(await said.textContent()).not.toContain('Idempotency-Key');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Revoke never-seen' }).waitFor();
    const { json } = await web.api.call('GET', '/api/v1/token/');
    expect(json.objects.map(({ name }: { name: string }) => name)).toEqual(['never-seen']);
    await close();
  });
});

describe('a dialog that is open', () => {
  it('keeps what it has filled in, whatever becomes of the ticket meanwhile', async () => {
    const { page, go, close } = await web.open();
    const world = createWorld({ now: web.api });
    const ticket = await world.ticket();
    await world.build(ticket, { ppa: 'ppa:airline/mine', series: 'noble', progress_trigger: 'a' });
    await go(`/ticket/${ticket.id}`);
    await page.locator('.live-live').waitFor();
    await page.getByRole('button', { name: 'Request a build' }).click();
    const filledIn = () =>
      page.evaluate<Record<string, string>>(
        "Object.fromEntries(new FormData(document.querySelector('dialog form')))",
      );
    const before = await filledIn();
    expect(before).toMatchObject({
      ppa: 'ppa:airline/mine',
      series: 'noble',
      progress_trigger: 'a',
    });

    await world.build(ticket, {
      ppa: 'ppa:somebody/else',
      series: 'jammy',
      progress_trigger: 'b',
      source_packages: ['https://store.example:8443/other_1.0_source.changes'],
    });
    await page
      .locator('.builds-of-ticket', { hasText: 'somebody/else' })
      .or(page.getByText('1 new: show in Builds'))
      .first()
      .waitFor();
    expect(await filledIn()).toEqual(before);
    await close();
  });

  it('tells a screen reader what is announced meanwhile', async () => {
    const { page, go, context, close } = await web.openAlone();
    await go('/tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('heard');
    await dialog.getByRole('button', { name: 'Make it' }).click();
    await dialog.getByRole('button', { name: 'Copy The token' }).click();
    const announced = /^The token (was copied|is selected: press Ctrl-C)$/;
    await page.locator('[role=status]', { hasText: announced }).first().waitFor();
    const screenReader = await context.newCDPSession(page);
    const { nodes } = await screenReader.send('Accessibility.getFullAXTree');
    const heard = nodes.filter(({ ignored, role, name }) =>
      !ignored && role?.value === 'StaticText' ? announced.test(String(name?.value)) : false,
    );
    expect(heard).toHaveLength(1);
    await close();
  });
});

describe('while Airline does not answer', () => {
  it('a form says that it was not sent, and can be sent when Airline is back', async () => {
    const { page, go, context, close } = await web.openAlone();
    await go('/tickets');
    await page.locator('.live-live').waitFor();
    await page.getByRole('button', { name: 'New ticket' }).click();
    const dialog = page.getByRole('dialog', { name: 'New ticket' });
    await dialog.getByLabel('Title').fill('Sent when it was back');
    await dialog.getByLabel('Owner').fill('ann@example.com');
    await context.setOffline(true);
    await page.evaluate("dispatchEvent(new Event('offline'))");
    await page.locator('.away').waitFor();
    await dialog.getByRole('button', { name: 'Make the ticket' }).click();
    const alert = dialog.getByRole('alert');
    await alert.getByText('Airline does not answer.').waitFor();
    await alert.getByText('Press again when it answers').waitFor();

    await context.setOffline(false);
    await page.locator('.live-live').waitFor();
    await dialog.getByRole('button', { name: 'Make the ticket' }).click();
    await page.locator('h1', { hasText: 'Sent when it was back' }).waitFor();
    await close();
  });

  it('the search says that it was not asked, and is asked again when that is wanted', async () => {
    const { page, go, context, close } = await web.openAlone();
    await go('/tickets');
    await page.locator('.live-live').waitFor();
    await context.setOffline(true);
    await page.evaluate("dispatchEvent(new Event('offline'))");
    await page.locator('.away').waitFor();
    await page.keyboard.press('/');
    const dialog = page.getByRole('dialog', { name: 'Search' });
    await dialog.getByRole('combobox').fill('kernel');
    await dialog.getByRole('alert').getByText('Airline does not answer.').waitFor();

    await context.setOffline(false);
    await page.locator('.live-live').waitFor();
    await dialog.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await dialog.getByRole('alert').waitFor({ state: 'detached' });
    await dialog.getByRole('option').nth(1).waitFor();
    await close();
  });
});
