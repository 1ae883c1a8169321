import { findBarriers, seeInHistory, serveWeb, settled, type Web } from './browse.ts';
import { addPastBuild, addPastTicket } from './seed.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

const DAY_MS = 86_400_000;

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 20 });
});
afterAll(() => web.close());

describe('the front page', () => {
  it('says what this is, what failed last, what needs somebody, and how to begin', async () => {
    const { page, go, close } = await web.open();
    const { failed, longLog } = web.story.build;
    await go('/');
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.locator(`a[href="/build/${longLog}"]`).waitFor();
    // Its ticket has ended: nobody has to mind.
    expect(await attention.locator(`a[href="/build/${failed}"]`).count()).toBe(0);
    const failures = page.getByRole('region', { name: 'Latest failures' });
    await failures.locator(`a[href="/build/${failed}"]`).waitFor();
    await page.getByText('airline submit ../hello_2.10-3_source.changes').waitFor();
    await page.getByRole('contentinfo').getByText('times are those of UTC').waitFor();
    await page.getByRole('link', { name: 'builds under way' }).click();
    await page.waitForURL(/\/builds\?show=active/);
    await close();
  });

  it('makes a ticket, and says at its field what cannot be taken', async () => {
    const { page, go, close } = await web.open();
    await go('/');
    await page.getByRole('button', { name: 'New ticket' }).click();
    const dialog = page.getByRole('dialog', { name: 'New ticket' });
    await page.locator('[name=title]:focus').waitFor();
    await dialog.getByLabel('Title').fill('Made by hand');
    await dialog.getByLabel('Owner').fill(`${'long'.repeat(30)}@example.com`);
    await dialog.getByRole('button', { name: 'Make the ticket' }).click();
    await page.locator('[name=owner][aria-invalid=true]:focus').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByLabel('Owner').fill('ann@example.com');
    await dialog.getByRole('button', { name: 'Make the ticket' }).click();
    await page.waitForURL(/\/ticket\/\d+$/);
    await page.getByRole('heading', { level: 1, name: 'Made by hand' }).waitFor();

    await page.getByRole('button', { name: 'Link', exact: true }).click();
    await page.getByLabel('Address').fill('https://bugs.example/7');
    await page.getByRole('button', { name: 'Link it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const id = Number(new URL(page.url()).pathname.split('/').at(-1));
    expect(
      (await web.api.call('GET', `/api/v1/reference/?ticket=${id}`)).json.objects,
    ).toMatchObject([{ url: 'https://bugs.example/7' }]);

    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByLabel('Why').fill('a trial');
    await page.getByRole('button', { name: 'Close it' }).click();
    await seeInHistory(page, 'a trial');
    await go(`/history?ticket=${id}`);
    await page.getByRole('row', { name: /Moved from Queued to .*a trial/ }).waitFor();
    await page
      .getByRole('row', { name: /Linked bug https:\/\/bugs.example\/7 not recorded/ })
      .waitFor();
    expect(await page.locator('tbody tr').count()).toBe(3);
    await page.getByLabel('What').selectOption('Linked');
    await page.waitForURL(/kind=link/);
    await page.getByText('1 event', { exact: true }).waitFor();
    await page.getByLabel('Until').fill('2026-01-02T03:04');
    await page.waitForURL(/until=2026-01-02T03%3A04%3A00.000Z/);
    await page.getByText('No event matches.').waitFor();
    await close();
  });

  it.each([
    ['complete', { current_workflow_step: '1000', status: '1000' }],
    ['failed, by its status alone', { current_workflow_step: '200', status: '999' }],
  ])('tells of a ticket that somebody has closed as %s: it needs nobody', async (_, closed) => {
    const { sequelize } = web.api.database;
    const nowMs = Date.now();
    const ticketId = await addPastTicket(
      sequelize,
      { owner: 'ann@example.com', title: 'Fails, and is given up', madeMinutesAgo: 60 },
      nowMs,
    );
    const build = await addPastBuild(
      sequelize,
      {
        ticketId,
        name: 'given-up',
        version: '1.0',
        requestedMinutesAgo: 30,
        moments: [[2, { amd64: 'Failed to build' }]],
        endedAfter: 5,
        failure: { class: 'build_failed', message: 'given-up 1.0 on amd64 failed' },
      },
      nowMs,
    );
    const { page, go, close } = await web.open();
    await go('/');
    await page.locator('.live-live').waitFor();
    const attention = page.getByRole('region', { name: 'Needs attention' });
    const row = attention.locator(`a[href="/build/${build}"]`);
    await row.waitFor();
    await web.api.call('PATCH', `/api/v1/ticket/${ticketId}/`, closed);
    await attention.getByRole('button', { name: 'Changed: reload what needs attention' }).click();
    await row.waitFor({ state: 'detached' });
    await close();
  });
});

describe('the documentation', () => {
  it('is one click from the front page and from the help, and every document is there', async () => {
    const { page, go, close } = await web.open();
    await go('/');
    await page.getByRole('link', { name: 'more to read' }).click();
    await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor();
    const links = await page.locator('.documents a').all();
    expect(links.length).toBeGreaterThan(10);
    for (const link of links) {
      const path = (await link.getAttribute('href')) ?? '';
      expect([path, (await page.request.get(path)).status()]).toEqual([path, 200]);
    }
    await page.getByRole('link', { name: 'Tutorial', exact: true }).click();
    await page.getByText('# Tutorial').waitFor();
    await go('/status');
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByRole('link', { name: 'documentation' }).click();
    await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await close();
  });
});

describe('the tokens', () => {
  it('end on the day that it is then where the reader is', async () => {
    // In Los Angeles it is still the evening before.
    const day = (at: number) => new Date(at).toISOString().slice(0, 10);
    const expiresAt = new Date(`${day(Date.now() + 30 * DAY_MS)}T01:00:00Z`);
    const before = day(expiresAt.getTime() - DAY_MS);
    await web.api.database.AccessToken.issue(
      { name: 'ends-at-night', scopes: ['read'], expiresAt },
      { defaultMs: DAY_MS, maxMs: 40 * DAY_MS },
      { actor: 'a test', requestId: undefined },
    );
    const context = await web.browser.newContext({
      baseURL: web.api.url,
      locale: 'en-GB',
      timezoneId: 'America/Los_Angeles',
    });
    const page = await context.newPage();
    await page.goto('/tokens');
    const row = page.getByRole('row', { name: /ends-at-night/ });
    const ends = (await row.locator('[data-before=ends]').textContent()) ?? '';
    expect(day(Date.parse(`${ends} UTC`))).toBe(before);
    const exact = await row.getByText(ends).getAttribute('title');
    expect(exact).toMatch(/ 1[78]:00:00 /);
    await context.close();
  });

  it('are made, shown once, and revoked', async () => {
    const { page, go, close } = await web.open();
    await go('/tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name').fill('not a name');
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.locator('[name=name][aria-invalid=true]:focus').waitFor();
    await page.getByLabel('Name').fill('robot');
    await page.getByLabel('Only in these PPAs').fill('~team/*, ~ada/ubuntu/greetings');
    await page.getByLabel('Only queues that begin with').fill('team-');
    await page.getByRole('button', { name: 'Make it' }).click();
    const issued = page.getByRole('dialog', { name: 'The token robot' });
    await issued.getByText(/^airline_/).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Revoke robot' }).click();
    await page.getByRole('button', { name: 'Revoke it' }).click();
    const row = page.getByRole('row', { name: /robot Revoked/ });
    await row.getByText('PPAs: ~team/*, ~ada/ubuntu/greetings').waitFor();
    await row.getByText('queues: team-*').waitFor();
    await settled(page);
    await close();
  });
});
