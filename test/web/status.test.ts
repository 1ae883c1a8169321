import { call } from '../cli/call.ts';
import type { Status } from '../../web/server/api-types.ts';
import { until } from '../support/until.ts';
import { linesOf, look, serveWeb, settled, type Web } from './browse.ts';
import { addPastBuild, addPastBuilds, addPastTicket, type SeededBuild } from './seed.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 20 });
});
afterAll(() => web.close());

describe('the counts', () => {
  it('say what they count, lead to it, and do not take what was cancelled for failed', async () => {
    const { page, go, close } = await web.open();
    await go('/status');
    const { hours } = (await web.api.call('GET', '/api/v1/status/history/')).json as {
      hours: { failed: number }[];
    };
    const failed = hours.reduce((sum, hour) => sum + hour.failed, 0);
    const tile = page.getByRole('link', { name: /^Failed/ });
    await tile.getByText(String(failed), { exact: true }).waitFor();
    await tile.click();
    await page.waitForURL(/\/builds\?show=failed&age=ended-1d$/);
    await page.locator('[data-row]').first().waitFor();
    await close();
  });
});

describe('a plot', () => {
  it('says the values of the moment that is pointed at', async () => {
    const { page, go, close } = await web.open();
    await go('/status');
    const plot = page.locator('.plot').first();
    await plot.locator('.u-over').hover();
    await plot.locator('.legend-when').waitFor();
    expect(await plot.locator('.legend b').count()).toBe(4);
    await go('/package/hello');
    await page.locator('.plot .u-over').hover();
    await page.locator('.plot .legend-when').waitFor();
    await close();
  });
});

describe('the whole', () => {
  it('is said to be well or not, with the causes first', async () => {
    const { page, go, close } = await web.open();
    let change = (status: Status): Status => ({ ...status, overdue: null });
    await page.route(/\/api\/v1\/status$/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: change(await response.json()) });
    });
    const whole = page.locator('main .note').first();
    await go('/status');
    await whole.getByText('Not all is well').waitFor();
    expect(await whole.getByRole('listitem').allTextContents()).toEqual([
      'All slots for activity tasks of build-source are taken, and 3 tasks must wait: another worker helps.',
      expect.stringMatching(/^A build has waited \d+ min .*for its workflow to start\.$/),
    ]);
    expect(await page.title()).toBe('! Status · Airline');

    change = (status) => ({
      ...status,
      health: {
        ...status.health,
        broker: { healthy: false, latency_ms: 5, error: 'connect ECONNREFUSED' },
      },
      worker_queues: (status.worker_queues ?? []).map((queue) => ({ ...queue, pollers: [] })),
      dispatch: null,
    });
    await page.reload();
    await whole.getByText('Broker unhealthy: connect ECONNREFUSED.').waitFor();
    const [, second] = await whole.getByRole('listitem').allTextContents();
    expect(second).toBe('No worker runs: builds are accepted, and wait until one does.');

    const onTime = (status: Status): Status => ({
      ...status,
      worker_queues: (status.worker_queues ?? []).map((queue) => ({ ...queue, slots: null })),
      dispatch: { backlog: 0, oldest_age_ms: null },
      overdue: null,
    });
    change = (status) => ({
      ...onTime(status),
      overdue: {
        build_step_failing_ms: 7_200_000,
        tester_wait_ms: 5_400_000,
        event_wait_ms: 600_000,
        ppa_unwatched_ms: 3_600_000,
        webhook_behind_ms: 7_260_000,
        stuck_landings: 1,
        stuck_cleanings: 2,
      },
    });
    await page.reload();
    await whole.getByText('for a tester').waitFor();
    expect(await whole.getByRole('listitem').allTextContents()).toEqual([
      'A step of a build has failed for 2 h: see what waits, below.',
      'A landing has a workflow that cannot get on: the log of an API has the alarm workflow_stuck.',
      'The cleaning of 2 PPAs of the pool cannot get on: the pool says why.',
      'No watch has polled a PPA for 1 h, and its builds poll it one by one: the logs of the workers say why.',
      'A landing has waited 1 h 30 min for a tester: start one.',
      'A message has waited 10 min for the broker: it is away, short of memory or disk, or refuses a queue.',
      'A webhook has been behind for 2 h 1 min: its receiver fails, or takes longer to answer than events come.',
    ]);

    change = onTime;
    await page.reload();
    await whole.getByText('All is well').waitFor();
    expect(await page.title()).toBe('✓ Status · Airline');
    await close();
  });
});

describe('what is wrong', () => {
  /** Keeps what a screen reader says of itself: all of a region in which something changes. */
  const HEAR = `
    window.heard = [];
    new MutationObserver((changes) => {
      const parts = [...document.querySelectorAll('[role=status]')].filter((part) =>
        changes.some(({ target }) => part.contains(target)));
      window.heard.push(...parts.map((part) => part.textContent));
    }).observe(document.body, { subtree: true, childList: true, characterData: true });`;

  it('is said to a screen reader once, however long it lasts', async () => {
    const { page, go, close } = await web.open();
    const heard = () => page.evaluate<string[]>('window.heard');
    const WELL = { stuck_landings: 0, stuck_cleanings: 0, build_step_failing_ms: null };
    let late: { event_wait_ms: number | null; tester_wait_ms: number | null };
    await page.route(/\/api\/v1\/status$/, async (route) => {
      const response = await route.fetch();
      const json = { ...((await response.json()) as Status), overdue: { ...WELL, ...late } };
      await route.fulfill({ response, json });
    });
    const shown = (text: string) => page.getByRole('listitem').getByText(text).waitFor();
    late = { event_wait_ms: 600_000, tester_wait_ms: null };
    await go('/status');
    await shown('A message has waited 10 min for the broker');
    await page.evaluate(HEAR);

    late = { ...late, event_wait_ms: 605_000 };
    await shown('A message has waited 10 min 5 s for the broker');
    expect(await heard()).toEqual([]);

    late = { event_wait_ms: 610_000, tester_wait_ms: 5_400_000 };
    const NEWS = 'A landing has waited 1 h 30 min for a tester: start one.';
    await page.getByRole('status').filter({ hasText: NEWS }).waitFor();
    expect(await heard()).toEqual([NEWS]);

    late = { event_wait_ms: 615_000, tester_wait_ms: 5_460_000 };
    await shown('A landing has waited 1 h 31 min for a tester');
    expect(await heard()).toEqual([NEWS]);
    await close();
  });
});

describe('what is not known any more', () => {
  const WELL = (status: Status): Status => ({
    ...status,
    worker_queues: (status.worker_queues ?? []).map((queue) => ({ ...queue, slots: null })),
    dispatch: { backlog: 0, oldest_age_ms: null },
    overdue: null,
  });
  const openWell = async () => {
    const visit = await web.open();
    await visit.page.route(/\/api\/v1\/status$/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: WELL(await response.json()) });
    });
    await visit.go('/status');
    await visit.page.getByText('All is well').waitFor();
    return visit;
  };

  it.each([
    ['the status cannot be read', /\/api\/v1\/status$/, { status: 500, body: '{}' }],
    ['Airline does not answer', /\/api\/v1\//, undefined],
  ])('is not said to be well: %s', async (_, path, answer) => {
    const { page, close } = await openWell();
    await page.route(path, (route) => (answer ? route.fulfill(answer) : route.abort()));
    const whole = page.getByRole('main').getByRole('status').first();
    await whole.getByText('Not known').waitFor();
    expect(await page.getByText('All is well').count()).toBe(0);
    expect(await page.title()).toBe('! Status · Airline');
    await close();
  });

  it('is not said to be well in a tab that is looked at again, until it is read again', async () => {
    const { page, close } = await openWell();
    await look(page, 'hidden');
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route(/\/api\/v1\//, (route) => answered.then(() => route.fallback()));
    await look(page, 'visible');
    const whole = page.getByRole('main').getByRole('status').first();
    await whole.getByText('Not known').waitFor();
    expect(await page.getByText('All is well').count()).toBe(0);
    answer();
    await whole.getByText('All is well').waitFor();
    await close();
  });

  it('has no sign in a tab that is not seen', async () => {
    const { page, go, close } = await openWell();
    expect(await page.title()).toBe('✓ Status · Airline');
    await look(page, 'hidden');
    await until('the sign is gone', async () => (await page.title()) === 'Status · Airline');
    await look(page, 'visible');
    await until('it is back', async () => (await page.title()) === '✓ Status · Airline');

    const { running } = web.story.build;
    await go(`/build/${running}`);
    expect(await page.title()).toBe(`▸ Build ${running}: Building · Airline`);
    await look(page, 'hidden');
    await until('it says nothing of the build', async () => {
      return (await page.title()) === `Build ${running} · Airline`;
    });
    await close();
  });
});

describe('where the reader has chosen all colours', () => {
  it('what a plot tells by its colours alone keeps them', async () => {
    const { page, go, close } = await web.open();
    await page.emulateMedia({ forcedColors: 'active' });
    await go('/status');
    const colours = await page.evaluate<string[]>(
      `[...document.querySelector('.plot').querySelectorAll('.swatch')]
        .map((one) => getComputedStyle(one).backgroundColor)`,
    );
    expect(new Set(colours).size).toBe(4);
    await close();
  });

  it('what is chosen has a line around it, other than that of what has the focus', async () => {
    const { page, go, close } = await web.open();
    await page.emulateMedia({ forcedColors: 'active' });
    await go(`/build/${web.story.build.failed}`);
    await page.locator('.line-marked').first().waitFor();
    await page.keyboard.press('/');
    await page.locator('[role=combobox]:focus').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.locator('[role=option]:nth-child(2)[aria-selected=true]').waitFor();
    const around = async (selector: string) => (await linesOf(page, selector)).around;
    const line = await around('.line-marked');
    expect(await around('[aria-selected=true]')).toBe(line);
    expect(await around('.places [aria-current]')).toBe(line);
    for (const other of ['.line:not(.line-marked)', '[aria-selected=false]', '.places a'])
      expect([other, await around(other)]).not.toEqual([other, line]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('.places [aria-current]').focus();
    for (const key of ['Tab', 'Shift+Tab']) await page.keyboard.press(key);
    expect(await around('.places [aria-current]')).not.toBe(line);
    await close();
  });

  it('the stages of a build are in the colour of all text', async () => {
    const { page, go, close } = await web.open();
    await page.emulateMedia({ forcedColors: 'active' });
    await go(`/build/${web.story.build.running}`);
    const colours = await page.evaluate<string[]>(
      `[...document.querySelectorAll('h1, .stage')].map((one) => getComputedStyle(one).color)`,
    );
    expect(colours).toHaveLength(7);
    expect(new Set(colours).size).toBe(1);
    await close();
  });
});

describe('the workers', () => {
  it.each([1280, 390])(
    'are shown at %i pixels with their slots and what bounds the work, one click from the status',
    async (width) => {
      const { page, go, close, faults } = await web.open({ width });
      await go('/status');
      await page.getByRole('link', { name: 'Workers', exact: true }).first().click();
      await page.getByRole('heading', { level: 1, name: 'Workers' }).waitFor();
      await settled(page);
      const busy = page.getByRole('row', { name: /4711@worker-1/ });
      expect(await busy.textContent()).toMatch(
        /Running1\.2\.3.*activity tasks 50 of 50 slots · 812 done, 3 f/,
      );
      expect(await page.getByRole('row', { name: /4712@worker-2/ }).textContent()).toMatch(
        /Silent/,
      );
      const queue = page.getByRole('row', { name: /build-source activity tasks/ }).first();
      expect(await queue.textContent()).toMatch(/50 of 50 slots3 tasks for 1 min 35 sFull/);
      expect(await page.locator('.load').textContent()).toMatch(/at most 20 a second/);
      // Whom it keeps out, `pages.test.ts` looks at.
      const pageWidth = await page.evaluate('document.documentElement.scrollWidth');
      expect({ pageWidth, faults }).toEqual({ pageWidth: width, faults: [] });
      await close();
    },
  );

  it('are said to be unknown where Temporal does not tell of them', async () => {
    const { page, go, close } = await web.open();
    await page.route('**/api/v1/status/workers/', async (route) => {
      const response = await route.fetch();
      const json = { ...(await response.json()), workers: null, workers_error: 'no answer' };
      await route.fulfill({ response, json });
    });
    await go('/workers');
    await page.getByText('Temporal does not list the workers: no answer').waitFor();
    await close();
  });
});

describe('what waits', () => {
  it('is shown in the state that the other pages show', async () => {
    const { dependencyWait, queued } = web.story.build;
    await web.api.call('POST', `/api/v1/build/${queued}/cancel/`);
    const { page, go, close } = await web.open();
    await go('/status');
    const rowOf = (build: number) =>
      page.locator('.waiting tr', { has: page.getByRole('link', { name: `Build ${build}` }) });
    await rowOf(dependencyWait).getByText('Dependency wait').waitFor();
    await rowOf(queued).getByText('Cancelling').waitFor();
    expect(await page.locator('.waiting caption').textContent()).toBe(
      'Builds that make no progress: failing steps first, then the longest waits',
    );
    expect(await page.locator('.section-head').getByText('the longest waits').count()).toBe(0);
    await close();
  });

  it.each([1280, 390])(
    'is told of with how much of it is shown, by the page at %i pixels and by the command',
    async (width) => {
      const { sequelize } = web.api.database;
      const ticket = { owner: 'ann@example.com', title: 'Many builds', madeMinutesAgo: 90 };
      const ticketId = await addPastTicket(sequelize, ticket, Date.now());
      const build = { ticketId, name: 'many', version: '1', moments: [], isUndispatched: true };
      for (let index = 0; index < 25; index++)
        await addPastBuild(sequelize, { ...build, requestedMinutesAgo: 60 }, Date.now());
      const { json } = await web.api.call('GET', '/api/v1/status');
      const told = `20 of ${json.waiting_total}: failing steps first, then the longest waits`;

      const { page, go, close } = await web.open({ width });
      await go('/status');
      await page.getByText(told, { exact: true }).waitFor();
      expect(await page.locator('.waiting tbody tr').count()).toBe(20);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      await close();

      const command = await call(['--url', web.api.url, 'status']);
      expect(command.stdout).toContain(`These are ${told}.`);
    },
  );

  it('is found among fifty builds of mixed fate, and why it waits is two clicks away', async () => {
    const BUILDING = { amd64: 'Currently building' };
    const FATES: Record<string, Pick<SeededBuild, 'moments' | 'failure' | 'dependencies'>> = {
      'fate-built': { moments: [[2, { amd64: 'Successfully built' }]] },
      'fate-failed': {
        moments: [[2, { amd64: 'Failed to build' }]],
        failure: { class: 'build_failed', message: 'make failed' },
      },
      'fate-chroot': {
        moments: [[2, { amd64: 'Chroot problem' }]],
        failure: { class: 'chroot_problem', message: 'its chroot is broken' },
      },
      'fate-held': { moments: [[2, BUILDING]] },
      'fate-waits': {
        moments: [[2, { amd64: 'Dependency wait' }]],
        dependencies: 'libmissing-dev',
      },
    };
    const UNDER_WAY = ['fate-held', 'fate-waits'];
    const OF_EACH_FATE = 10;
    const { sequelize } = web.api.database;
    const countBuilds = async (): Promise<Partial<Record<string, number>>> =>
      ((await web.api.call('GET', '/api/v1/status')).json as Status).builds ?? {};
    const before = await countBuilds();
    for (const [name, fate] of Object.entries(FATES)) {
      const ticket = { owner: 'ann@example.com', title: name, madeMinutesAgo: 700 };
      const ticketId = await addPastTicket(sequelize, ticket, Date.now());
      const build = { ticketId, name, version: '1.0', requestedMinutesAgo: 600, ...fate };
      const end = UNDER_WAY.includes(name) ? {} : { endedAfter: 3 };
      const builds = Array.from({ length: OF_EACH_FATE }, (_, at) => ({
        ...build,
        ...end,
        ppa: `ppa:airline/${name}-${at}`,
      }));
      await addPastBuilds(sequelize, builds, Date.now());
    }
    const after = await countBuilds();
    const added = (state: string) => (after[state] ?? 0) - (before[state] ?? 0);
    expect(['completed', 'failed', 'building'].map(added)).toEqual(
      [1, 2, 2].map((fates) => fates * OF_EACH_FATE),
    );

    const { page, faults, go, close } = await web.open();
    await go('/');
    await page.getByRole('link', { name: 'Status' }).click();
    await settled(page);
    const waiting = page.getByRole('row', { name: /waits for libmissing-dev/ });
    await waiting.first().waitFor();
    expect(await waiting.count()).toBe(OF_EACH_FATE);
    await waiting.first().getByRole('link').first().click();
    await settled(page);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toMatch(/fate-waits/);
    expect(await page.getByRole('main').textContent()).toMatch(/libmissing-dev/);
    expect(faults).toEqual([]);
    await close();
  });
});
