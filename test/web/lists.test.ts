import { stateOfPhase } from '../../domain/builds/build-phase.ts';
import { LIMIT } from '../../web/builds/builds-query.ts';
import { until } from '../support/until.ts';
import { serveWeb, type Web } from './browse.ts';
import { addPastLanding } from './seed-landing.ts';
import { addPastBuilds } from './seed.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 20 });
});
afterAll(() => web.close());

describe('the list of landings', () => {
  beforeAll(async () => {
    const ended = {
      ticketId: web.story.ticket.landing,
      parts: [{ source: 'hello', version: '2.12-1', state: 'published' }],
      way: [
        ['queued', 30],
        ['complete', 20],
      ],
    } as const;
    for (const target of ['~airline/ubuntu/landed-here', '~airline/ubuntu/landed-there'])
      await addPastLanding(web.api.database.sequelize, { ...ended, target }, Date.now());
  });

  it('says of a page after its last one that it has ended before, and leads back', async () => {
    const { page, go, close } = await web.open();
    await go('/landings?offset=500');
    const list = page.getByRole('region', { name: 'On their way' });
    await list.getByText('The list ends before this page.').waitFor();
    expect(await page.getByText('Nothing is on its way.').count()).toBe(0);
    await list.getByRole('link', { name: 'Go to its last page' }).click();
    await page.waitForURL(/\/landings$/);
    await list.getByRole('row', { name: 'Waiting in line' }).waitFor();
    await close();
  });

  it.each(['ppa:airline/landed-here', 'Airline/landed-here', 'ed-here'])(
    'is narrowed to a target as people write it: %s',
    async (target) => {
      const { page, go, close } = await web.open();
      await go(`/landings?show=all&target=${encodeURIComponent(target)}`);
      await page.getByRole('row', { name: 'ubuntu/landed-here' }).waitFor();
      expect(await page.locator('[data-row]').count()).toBe(1);
      await close();
    },
  );

  it('says that it is loading, and no more where it cannot be had', async () => {
    const { page, close } = await web.open();
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route(/\/landing\/\?.*limit=25/, async (route) => {
      await answered;
      await route.fulfill({ status: 500, body: '{"detail":"It is broken."}' });
    });
    await page.goto('/landings?show=all');
    await page.locator('.list-line', { hasText: 'Loading…' }).waitFor();
    answer();
    await page.getByRole('alert').getByText('It is broken.').waitFor();
    expect(await page.getByText('Loading…').count()).toBe(0);
    await close();
  });
});

describe('a list whose address has just changed', () => {
  it('counts the rows that it shows, until those of the address come', async () => {
    const { page, go, close } = await web.open();
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route(/\/ticketevent\/\?.*offset=50/, async (route) => {
      await answered;
      await route.continue();
    });
    await go('/history');
    const pager = page.getByRole('navigation', { name: 'Pages' });
    await pager.getByText(/^1–50 of/).waitFor();
    await pager.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL(/offset=50/);
    await page.locator('.list-line', { hasText: 'Loading…' }).waitFor();
    expect(await pager.getByText(/^1–50 of/).count()).toBe(1);

    answer();
    await pager.getByText(/^51–100 of/).waitFor();
    await page.locator('.list-line', { hasText: /\d events/ }).waitFor();
    await close();
  });

  it('shows no rows of another one where its own cannot be had', async () => {
    const { page, go, close } = await web.open();
    await page.route(/\/ticketstatus\/\?.*failed_at_step/, (route) =>
      route.fulfill({ status: 500, body: '{"detail":"It is broken."}' }),
    );
    await go('/tickets');
    await page.locator('[data-row]').first().waitFor();
    await page.getByLabel('Show').selectOption('999');
    await page.getByRole('alert').getByText('It is broken.').waitFor();
    expect(await page.locator('[data-row]').count()).toBe(0);
    expect(await page.locator('.list-line', { hasText: 'tickets' }).count()).toBe(0);
    await close();
  });
});

describe('a filter', () => {
  it('holds what the page that one goes back to is filtered by', async () => {
    const { page, go, close } = await web.open();
    await go('/tickets');
    const rows = await page.locator('[data-row]').count();
    await page.getByLabel('Show').selectOption('all');
    const search = page.getByLabel('Search', { exact: true });
    await search.fill('no such ticket');
    await page.waitForURL(/q=no/);
    await page.goBack();
    await page.waitForURL(/\/tickets$/);
    await page
      .locator('[data-row]')
      .nth(rows - 1)
      .waitFor();
    expect(await search.inputValue()).toBe('');
    await close();
  });
});

describe('a filter with the cursor in it', () => {
  it('shows what the list is filtered by, where the search asked for something else', async () => {
    const { page, go, close } = await web.open();
    await go('/tickets');
    const filter = page.getByLabel('Search', { exact: true });
    await filter.fill('hello');
    await page.waitForURL(/q=hello/);
    await page.keyboard.press('Control+k');
    await page.locator('[role=combobox]:focus').waitFor();
    await page.keyboard.type('zzz');
    await page.getByRole('option', { name: 'Tickets with “zzz”' }).click();
    await page.waitForURL(/q=zzz/);
    await until('it is shown', async () => (await filter.inputValue()) === 'zzz', 10_000);
    await close();
  });

  it('keeps what is typed into it as it is typed, until something else is asked for', async () => {
    const { page, go, close } = await web.openAlone();
    await page.clock.install();
    await go('/builds');
    const filter = page.getByLabel('Package', { exact: true });
    // The list is asked for by the name alone.
    await filter.fill(' hello');
    await page.waitForURL(/package=hello$/);
    expect(await filter.inputValue()).toBe(' hello');
    await filter.fill(' hello ');
    await page.clock.runFor(1_000);
    expect(await filter.inputValue()).toBe(' hello ');

    await page.keyboard.press('Control+k');
    await page.locator('[role=combobox]:focus').waitFor();
    await page.keyboard.type('chroot');
    await page.getByRole('dialog').getByRole('option', { name: 'chroot_problem' }).click();
    await page.waitForURL(/\/builds\?failure=chroot_problem$/);
    await until('it is empty', async () => (await filter.inputValue()) === '', 10_000);
    await close();
  });
});

describe('the list of packages', () => {
  it.each([
    ['Package', 'name', 'ascending'],
    ['Builds', '-builds', 'descending'],
    ['Success', 'success_rate', 'ascending'],
  ])('is sorted by %s, however often that is pressed', async (name, order, shownAs) => {
    const { page, go, close } = await web.open();
    await go('/packages');
    const head = page.getByRole('columnheader', { name, exact: true });
    const answered = page.waitForResponse(
      (answer) => new URL(answer.url()).searchParams.get('order_by') === order,
    );
    await head.getByRole('link').click();
    const { objects } = (await (await answered).json()) as { objects: { name: string }[] };
    const first = page.locator('.packages tbody tr').first();
    await first.getByRole('link', { name: objects[0]?.name ?? '', exact: true }).waitFor();
    expect(await head.getAttribute('aria-sort')).toBe(shownAs);
    // The API has each order one way only.
    const address = page.url();
    expect(await head.getByRole('link').getAttribute('href')).toBe(
      address.slice(new URL(address).origin.length),
    );
    await close();
  });
});

describe('a list whose rows are so large that the API ends a page early', () => {
  // The API reads 11 of them at once.
  const BYTES = 800_000;
  const BUILDS = 60;
  const buildsOf = (tickets: readonly number[]) =>
    Array.from({ length: BUILDS }, (_, at) => ({
      ticketId: tickets[at % tickets.length] ?? 0,
      name: 'large',
      version: `${at}`,
      requestedMinutesAgo: 60,
      moments: [[2, { amd64: 'Successfully built' }]] as const,
      endedAfter: 5,
    }));

  beforeAll(async () => {
    const { sequelize, Ticket } = web.api.database;
    const tickets = await Ticket.findAll({ attributes: ['id'], order: [['id', 'ASC']] });
    const builds = buildsOf(tickets.map(({ id }) => id));
    await addPastBuilds(sequelize, builds, Date.now());
    await sequelize.query(
      `UPDATE build SET built_packages = jsonb_build_array(jsonb_build_object('name', repeat('x', ${BYTES})))`,
    );
  });

  it('shows each row on one of its pages', async () => {
    const { page, go, close } = await web.open();
    const ids = await web.api.database.Build.findAll({
      attributes: ['id'],
      order: [['id', 'DESC']],
    });
    await go('/builds');
    const pager = page.getByRole('navigation', { name: 'Pages' });
    const shown: string[] = [];
    for (let first = 1; first <= ids.length; first += LIMIT) {
      if (first > 1) await pager.getByRole('link', { name: 'Next' }).click();
      const last = Math.min(first + LIMIT - 1, ids.length);
      await pager.getByText(`${first}–${last} of ${ids.length}`).waitFor();
      shown.push(...(await page.locator('tbody .number').allTextContents()));
    }
    expect(shown.map(Number)).toEqual(ids.map(({ id }) => id));
    await close();
  });

  it('says of no ticket that it has no build yet where it has one', async () => {
    const { page, go, close } = await web.open();
    await go('/tickets?show=all');
    const rows = page.locator('tbody tr');
    expect(await rows.count()).toBeGreaterThan(11);
    await rows.locator('.cell-build a').first().waitFor();
    expect(await rows.getByText(/none yet|not known/).count()).toBe(0);
    await close();
  });

  it('shows how the rows are that have left their page', async () => {
    const { sequelize, Build } = web.api.database;
    const { page, go, close } = await web.open();
    await go('/builds');
    await page.locator('.live-live').waitFor();
    const { id, ticketId } = await Build.findOne({ order: [['id', 'DESC']], rejectOnEmpty: true });
    await addPastBuilds(sequelize, buildsOf([ticketId]), Date.now());
    await page.getByRole('button', { name: 'The list has changed' }).waitFor();
    await Build.update({ phase: 'failed', state: stateOfPhase('failed') }, { where: { id } });
    const row = page.locator('tbody tr', { has: page.locator(`[href="/build/${id}"]`) });
    await row.getByText('Failed').waitFor();
    await close();
  });
});
