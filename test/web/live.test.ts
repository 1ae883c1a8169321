import type { Page, Request } from 'playwright-core';
import { failureOf } from '../../domain/builds/failure.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import {
  findBarriers,
  look,
  movedFrom,
  NOTE_SAID,
  openWindow,
  serveWeb,
  settled,
  stopClock,
  notePlaces,
  type Web,
} from './browse.ts';
import { addPastBuild, addPastTicket } from './seed.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

const HEARTBEAT_MS = 5_000;
/** A gap for which a page does not say that Airline is away (`GRACE_MS`), in steps. */
const SHORT_GAP_MS = 2_500;
const STEP_MS = 250;
/** Notes whether the page ever said that Airline does not answer. */
const NOTE_AWAY = `
  window.wasAway = false;
  new MutationObserver(() => (window.wasAway ||= document.querySelector('.away') !== null))
    .observe(document.body, { subtree: true, childList: true, attributes: true });`;

/**
 * From `hold` on, the row that has left the page of a list comes just after a newer page: drawn, it has had no effect
 * yet, since no frame is due.
 */
const HOLD_ROW_THAT_LEFT = `
  window.hold = () => {
    window.requestAnimationFrame = () => 0;
    const send = window.fetch;
    let isHeld = false;
    let release;
    const held = new Promise((resolve) => (release = resolve));
    window.fetch = async (path, ...rest) => {
      const response = await send(path, ...rest);
      if (path.includes('/ticket/?id__in=')) {
        isHeld = true;
        await held;
      } else if (isHeld && path.includes('/opentickets/')) setTimeout(release, 10);
      return response;
    };
  };`;

/** Counts the events of one kind that the streams of a page bring. */
async function countEvents(page: Page, kind: 'ready' | 'heartbeat'): Promise<() => number> {
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  let events = 0;
  network.on('Network.eventSourceMessageReceived', ({ eventName }) => {
    if (eventName === kind) events += 1;
  });
  return () => events;
}

let web: Web;
beforeAll(async () => {
  const streams = { heartbeatMs: HEARTBEAT_MS, pollMs: 1_000, max: 100 };
  web = await serveWeb({ limits: { streams } }, { tickets: 100 });
});
afterAll(() => web.close());

describe('a build under way', () => {
  it('shows each event and state as it comes, and nothing moves', async () => {
    const { page, go, faults, close } = await web.open();
    const { running } = web.story.build;
    await go(`/build/${running}`);
    const arm = page.locator('.architecture', { hasText: 'arm64' });
    expect(await arm.locator('.state').textContent()).toBe('Building');
    const before = await page.locator('.event').count();
    await notePlaces(page);

    const build = await web.api.database.Build.findByPk(running, { rejectOnEmpty: true });
    const builds = build.architectureBuilds.map((one) =>
      one.architecture === 'arm64'
        ? { ...one, buildstate: 'Successfully built', state: 'completed' as const }
        : one.architecture === 'riscv64'
          ? { ...one, buildstate: 'Cancelled build', state: 'failed' as const }
          : one,
    );
    await web.api.database.ProgressEvent.record({
      buildId: running,
      key: 'arm64 is done',
      message: 'INPROGRESS',
      builds,
    });

    await arm.locator('.state', { hasText: 'Built' }).waitFor();
    await page.locator('.event').nth(before).waitFor();
    // What happened last is in view, though the list has more than it shows.
    const list = page.getByRole('list', { name: 'Events' });
    const [hidden, below] = await list.evaluate((events) => [
      events.scrollHeight - events.clientHeight,
      events.scrollHeight - events.clientHeight - events.scrollTop,
    ]);
    expect(hidden).toBeGreaterThan(10);
    expect(below).toBeLessThan(2);
    expect(await page.textContent('.verdict')).toContain('2 of 3 builds are done, 1 cancelled.');
    expect(await movedFrom(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  it('that fails says all of it in its place, and why when it is asked', async () => {
    const { page, go, faults, close } = await web.open();
    const { queued } = web.story.build;
    await go(`/build/${queued}`);
    const verdict = page.locator('.verdict');
    const topOfVerdict = async () => (await verdict.boundingBox())?.y;
    const before = await topOfVerdict();
    const excerpt = 'main.c:3:1: error: no\n'.repeat(12);
    const failure = failureOf('build_failed', `${'a long sentence, '.repeat(30)}and its end`, {
      excerpt,
    });
    await web.api.database.ProgressEvent.record({
      buildId: queued,
      key: 'final',
      message: 'FAILURE',
      failure,
    });

    const why = page.getByRole('button', { name: 'Why it failed' });
    await why.waitFor();
    expect(await topOfVerdict()).toBe(before);
    const sentence = verdict.locator('.verdict-sentence', { hasText: 'and its end' });
    expect(await sentence.evaluate((at) => at.scrollHeight - at.clientHeight)).toBe(0);
    expect(faults).toEqual([]);

    await why.press('Enter');
    await page.locator('.excerpt', { hasText: 'main.c:3:1' }).waitFor();
    await page.locator('h1:focus').waitFor();
    await close();
  });

  it('has screen readers hear once what has failed since the page was opened, however much it is', async () => {
    const { sequelize, ProgressEvent, Build } = web.api.database;
    const architectures = ['amd64', 'arm64', 'riscv64', 's390x'];
    const id = await addPastBuild(
      sequelize,
      {
        ticketId: web.story.ticket.landing,
        name: 'many',
        version: '1',
        requestedMinutesAgo: 9,
        moments: [
          [1, Object.fromEntries(architectures.map((name) => [name, 'Currently building']))],
        ],
      },
      Date.now(),
    );
    const { page, go, close } = await web.open();
    await go(`/build/${id}`);
    await page.getByRole('status').getByText(`Build ${id}: Building`).waitFor();
    await page.evaluate(NOTE_SAID);
    const fail = async (failed: readonly string[]) => {
      const { architectureBuilds } = await Build.findByPk(id, { rejectOnEmpty: true });
      await ProgressEvent.record({
        buildId: id,
        key: `${failed.join()} failed`,
        message: 'INPROGRESS',
        builds: architectureBuilds.map((one) =>
          failed.includes(one.architecture)
            ? { ...one, buildstate: 'Failed to build', state: 'failed' as const }
            : one,
        ),
      });
      for (const name of failed)
        await page.getByRole('link', { name: `many on ${name}: Failed` }).waitFor();
    };
    await fail(['arm64']);
    await page.getByRole('status').getByText('many on arm64: Failed').waitFor();
    await fail(['riscv64', 's390x']);
    await page.getByRole('status').getByText('3 of 4 failed').waitFor();
    expect(await page.evaluate('window.said')).toEqual(['many on arm64: Failed', '3 of 4 failed']);
    await close();
  });

  it('says where the time that it is expected to take comes from', async () => {
    const { page, go, close } = await web.open();
    await go(`/build/${web.story.build.running}`);
    await page
      .locator('.architecture', { hasText: 'amd64' })
      .getByText('median of its last')
      .waitFor();
    await page
      .locator('.architecture', { hasText: 'riscv64' })
      .getByText('no earlier build on riscv64')
      .waitFor();
    await close();
  });
});

const ROW_THAT_LEFT = /\/ticket\/\?id__in=/;

/** Has a new ticket push the last row out of the first page of the list, and waits until that row is asked for. */
async function pushRowOut(page: Page): Promise<void> {
  const asked = page.waitForRequest(ROW_THAT_LEFT);
  await addPastTicket(
    web.api.database.sequelize,
    { owner: 'new@example.com', title: 'Comes first', madeMinutesAgo: 0 },
    Date.now(),
  );
  await asked;
}

describe('the list of tickets', () => {
  it('changes in its place, and new rows wait until they are asked for', async () => {
    const { page, go, close } = await web.open();
    await go('/tickets');
    const first = await page.textContent('[data-row]');
    await notePlaces(page);
    await addPastTicket(
      web.api.database.sequelize,
      { owner: 'new@example.com', title: 'Just made', madeMinutesAgo: 0 },
      Date.now(),
    );
    const { landing } = web.story.ticket;
    await web.api.call('PATCH', `/api/v1/ticket/${landing}/`, { current_workflow_step: 400 });

    const row = page.locator('tr', { has: page.locator(`a[href="/ticket/${landing}"]`) });
    await row.getByText('Image Testing').waitFor();
    const news = page.getByRole('button', { name: 'The list has changed' });
    await news.waitFor();
    expect(await page.textContent('[data-row]')).toBe(first);
    expect(await movedFrom(page)).toEqual([]);
    await page.getByRole('status').filter({ hasText: 'The list has changed' }).waitFor();

    await news.press('Enter');
    await page.locator('h1:focus').waitFor();
    await page.locator('[data-row]', { hasText: 'Just made' }).waitFor();
    await close();
  });

  it('shows the later of two changes, of which one waits for a row that has left the page', async () => {
    const { page, go, close } = await web.open();
    await page.addInitScript(HOLD_ROW_THAT_LEFT);
    await go('/tickets');
    await page.locator('.live-live').waitFor();
    await page.evaluate('window.hold()');
    await pushRowOut(page);
    const row = page.locator('tr', { has: page.locator('[data-row]') }).first();
    const path = await row.locator('[data-row]').getAttribute('href');
    const changed = await web.api.call('PATCH', `/api/v1${path}/`, { current_workflow_step: 400 });
    expect(changed.status).toBe(202);
    await row.getByText('Image Testing').waitFor();
    await close();
  });

  it('shows each change of a row that it has while one that has left its page is not to be had', async () => {
    const { page, go, close } = await web.open();
    const contentType = 'application/problem+json';
    const refusal = { status: 503, contentType, body: '{"code":"overloaded"}' };
    await page.route(ROW_THAT_LEFT, (route) => route.fulfill(refusal));
    await go('/tickets');
    await page.locator('.live-live').waitFor();
    const rows = page.locator('[data-row]');
    const [first, last] = [
      await rows.first().getAttribute('href'),
      await rows.last().getAttribute('href'),
    ];
    await pushRowOut(page);
    await web.api.call('PATCH', `/api/v1${first}/`, { title: 'Renamed in its place' });
    await page
      .locator(`[data-row][href="${first}"]`, { hasText: 'Renamed in its place' })
      .waitFor();
    await page.locator('.live-failing').waitFor();

    const asked = page.waitForRequest(ROW_THAT_LEFT);
    await web.api.call('PATCH', `/api/v1${last}/`, { title: 'Renamed on the next page' });
    await asked;
    await page.unroute(ROW_THAT_LEFT);
    await page
      .locator(`[data-row][href="${last}"]`, { hasText: 'Renamed on the next page' })
      .waitFor();
    await page.locator('.live-live').waitFor();
    await close();
  });

  it('does not wait for a row that has left its page to show what the others have become', async () => {
    const { page, go, close } = await web.open();
    // It is never answered.
    await page.route(ROW_THAT_LEFT, () => undefined);
    await go('/tickets');
    await page.locator('.live-live').waitFor();
    const first = await page.locator('[data-row]').first().getAttribute('href');
    await pushRowOut(page);
    await web.api.call('PATCH', `/api/v1${first}/`, { title: 'Renamed before the answer' });
    await page
      .locator(`[data-row][href="${first}"]`, { hasText: 'Renamed before the answer' })
      .waitFor();
    await close();
  });

  it('keeps what it is asked for in its address', async () => {
    const { page, go, close } = await web.open();
    await go('/tickets');
    await page.getByLabel('Search').fill('hello');
    await page.waitForURL(/q=hello/);
    await page.getByLabel('Show').selectOption('all');
    await page.waitForURL(/show=all/);
    await page.getByRole('link', { name: 'Owner' }).click();
    await page.waitForURL(/order=owner/);
    await page.reload();
    await settled(page);
    expect(await page.getByLabel('Search').inputValue()).toBe('hello');
    expect(await page.getByLabel('Show').inputValue()).toBe('all');
    expect(await page.locator('th[aria-sort=ascending]').textContent()).toBe('Owner');
    const titles = await page.locator('[data-row]').allTextContents();
    expect(titles.length).toBeGreaterThan(0);
    await close();
  });
});

describe('a page that is opened where nobody sees it', () => {
  it('shows what changed until it is looked at', async () => {
    const ticket = await addPastTicket(
      web.api.database.sequelize,
      { owner: 'new@example.com', title: 'As it was opened', madeMinutesAgo: 3 },
      Date.now(),
    );
    const { page, go, close } = await web.open();
    await page.addInitScript(
      "Object.defineProperty(document, 'visibilityState', { configurable: true, value: 'hidden' })",
    );
    await go(`/ticket/${ticket}`);
    await page.locator('h1', { hasText: 'As it was opened' }).waitFor();
    await web.api.call('PATCH', `/api/v1/ticket/${ticket}/`, { title: 'Changed behind its back' });

    await page.evaluate(
      "delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))",
    );
    await page.locator('h1', { hasText: 'Changed behind its back' }).waitFor();
    await page.locator('.live-live').waitFor();
    await close();
  });
});

describe('while Airline does not answer', () => {
  it('says so over the page, and goes on by itself when it answers again', async () => {
    const { page, go, context, close } = await web.openAlone();
    await go(`/ticket/${web.story.ticket.landing}`);
    await page.locator('.live-live').waitFor();
    await notePlaces(page);
    await context.setOffline(true);
    await page.evaluate("dispatchEvent(new Event('offline'))");
    await page.getByText('Airline does not answer.').waitFor();
    await web.api.call('PATCH', `/api/v1/ticket/${web.story.ticket.landing}/`, {
      title: 'Changed while nobody could see it',
    });
    await context.setOffline(false);
    await page.locator('h1', { hasText: 'Changed while nobody could see it' }).waitFor();
    await page.locator('.away').waitFor({ state: 'detached' });
    expect(await movedFrom(page)).toEqual([]);
    await close();
  }, 300_000);

  it('is told of what changed while the API was started again', async () => {
    const { hostname, port } = new URL(web.api.url);
    const way = await startTcpProxy(hostname, Number(port));
    const { page, go, close } = await openWindow(web.browser, `http://127.0.0.1:${way.port}`);
    await go(`/build/${web.story.build.troubled}`);
    await page.locator('.live-live').waitFor();

    way.close();
    await page.getByText('Airline does not answer.').waitFor();
    await web.api.database.ProgressEvent.record({
      buildId: web.story.build.troubled,
      key: 'final',
      message: 'FAILURE',
      failure: failureOf('superseded', 'ended while nobody could see it'),
    });
    way.open();

    await page.locator('.verdict', { hasText: 'ended while nobody could see it' }).waitFor();
    await page.locator('.event', { hasText: 'ended while nobody could see it' }).waitFor();
    await page.locator('.away').waitFor({ state: 'detached' });
    await close();
    await way.stop();
  }, 300_000);

  it('says nothing of a stream that ends and is there again at once', async () => {
    const ticket = await addPastTicket(
      web.api.database.sequelize,
      { owner: 'new@example.com', title: 'Before the gap', madeMinutesAgo: 3 },
      Date.now(),
    );
    const { hostname, port } = new URL(web.api.url);
    const way = await startTcpProxy(hostname, Number(port));
    const { page, go, close } = await openWindow(web.browser, `http://127.0.0.1:${way.port}`);
    await page.clock.install();
    const told = await countEvents(page, 'ready');
    const underWay = new Set<Request>();
    page.on('request', (request) => underWay.add(request));
    page.on('requestfinished', (request) => underWay.delete(request));
    page.on('requestfailed', (request) => underWay.delete(request));
    await go(`/ticket/${ticket}`);
    await page.locator('.live-live').waitFor();
    // Else the time that a slow machine takes would be a gap.
    await stopClock(page);
    // A request that is cut in its middle does say that nothing answers.
    await until('the stream alone is open', () =>
      [...underWay].every((request) => request.url().endsWith('/changes/')),
    );
    await page.evaluate(NOTE_AWAY);

    const before = told();
    way.close();
    way.open();
    await web.api.call('PATCH', `/api/v1/ticket/${ticket}/`, { title: 'After the gap' });
    let gapMs = 0;
    await until('the stream is there again', async () => {
      if (gapMs < SHORT_GAP_MS) {
        gapMs += STEP_MS;
        await page.clock.runFor(STEP_MS);
      }
      return told() > before;
    });
    await page.clock.resume();
    await page.locator('h1', { hasText: 'After the gap' }).waitFor();
    expect(await page.evaluate('window.wasAway')).toBe(false);
    await close();
    await way.stop();
  }, 300_000);

  it('notices that nothing comes over a connection that is still there, and connects anew', async () => {
    const { hostname, port } = new URL(web.api.url);
    const way = await startTcpProxy(hostname, Number(port));
    const { page, go, close } = await openWindow(web.browser, `http://127.0.0.1:${way.port}`);
    const { landing } = web.story.ticket;
    await go(`/ticket/${landing}`);
    await page.locator('.live-live').waitFor();

    const another = page.waitForRequest(/\/changes\/$/);
    way.freeze();
    await web.api.call('PATCH', `/api/v1/ticket/${landing}/`, { title: 'Changed in silence' });
    await another;
    // Which of its connections the browser takes again is its own affair: all are dead.
    way.close();
    way.open();
    await page.locator('h1', { hasText: 'Changed in silence' }).waitFor();
    await page.locator('.live-live').waitFor();
    await close();
    await way.stop();
  }, 300_000);

  it('gives up a stream that is not answered, and asks for another one', async () => {
    const { page, close } = await web.openAlone();
    await page.clock.install();
    let asked = 0;
    await page.route(/\/changes\/$/, async (route) => {
      asked += 1;
      // The first is never answered.
      if (asked > 1) await route.continue();
    });
    const rest = page.waitForResponse(/\/about\/$/);
    await page.goto('/help');
    await until('the stream is asked for', () => asked === 1);
    // What else were under way would say that nothing answers.
    await (await rest).finished();
    await page.clock.runFor(40_000);
    await page.locator('.live-live').waitFor();
    await close();
  });

  it('does not call a tab live that is looked at again, until its changes are told again', async () => {
    const { page, go, close } = await web.open();
    await go('/help');
    await page.locator('.live-live').waitFor();
    await look(page, 'hidden');
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const asked = page.waitForRequest(/\/changes\/$/);
    await page.route(/\/changes\/$/, (route) => answered.then(() => route.continue()));
    await look(page, 'visible');
    await asked;
    await page.locator('.live-connecting').waitFor();
    answer();
    await page.locator('.live-live').waitFor();
    await close();
  });

  it('stays live while there is nothing to tell, which heartbeats say', async () => {
    const { page, go, close } = await web.openAlone();
    await page.clock.install();
    const heartbeats = await countEvents(page, 'heartbeat');
    await go('/help');
    await page.locator('.live-live').waitFor();
    // Else the time that a slow machine takes would be silence.
    await stopClock(page);
    let streams = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/changes/')) streams += 1;
    });
    for (let count = 0; count < 3; count++) {
      const before = heartbeats();
      await until('the next heartbeat', () => heartbeats() > before);
      await page.clock.runFor(HEARTBEAT_MS);
    }
    expect(streams).toBe(0);

    const another = page.waitForRequest(/\/changes\/$/);
    await page.clock.runFor(4 * HEARTBEAT_MS);
    await another;
    expect(streams).toBe(1);
    await close();
  }, 300_000);
});

describe('while Airline sends no changes to a page', () => {
  it('says nothing of that where a request was lost, and changes come again at once', async () => {
    const ticket = web.story.ticket.landing;
    const { page, go, close } = await web.openAlone();
    await page.clock.install();
    await go(`/ticket/${ticket}`);
    await page.locator('.live-live').waitFor();
    // Else the time that a slow machine takes would be a gap.
    await stopClock(page);
    await page.evaluate(NOTE_SAID);
    await page.route(/\/api\/v1\/.*ticket/, (route) => route.abort(), { times: 1 });
    await web.api.call('PATCH', `/api/v1/ticket/${ticket}/`, { title: 'Lost at first' });
    await page.locator('.live-polling').waitFor();
    await page.clock.runFor(2_000);
    await page.locator('.live-live').waitFor();
    await page.locator('h1', { hasText: 'Lost at first' }).waitFor();
    // By then a page that is still not live has said so.
    await page.clock.runFor(6_000);
    expect(await page.evaluate("window.said.join('; ')")).not.toContain('Not live');
    await close();
  });

  it('finds them now and then, and says that it is not live, and no more once it is', async () => {
    const ticket = await addPastTicket(
      web.api.database.sequelize,
      { owner: 'new@example.com', title: 'Before the refusal', madeMinutesAgo: 3 },
      Date.now(),
    );
    // There is not much room at the top.
    const { page, go, close } = await web.openAlone({ width: 390 });
    const widthOfWord = async () => (await page.locator('.live-word').boundingBox())?.width;
    await page.clock.install();
    const streams = /\/changes\/$/;
    const contentType = 'application/problem+json';
    const refusal = { status: 503, contentType, body: '{"code":"overloaded"}' };
    await page.route(streams, (route) => route.fulfill(refusal));
    await go(`/ticket/${ticket}`);
    await page.evaluate(NOTE_AWAY);
    const becomes = (selector: string, hasText = '') =>
      until(`there is ${selector} ${hasText}`, async () => {
        await page.clock.runFor(1_000);
        return (await page.locator(selector, { hasText }).count()) === 1;
      });
    await becomes('.live-polling', 'Not live');
    await becomes('[role=status]', 'Not live: ');
    expect(await widthOfWord()).toBeGreaterThan(40);
    await notePlaces(page);
    await web.api.call('PATCH', `/api/v1/ticket/${ticket}/`, { title: 'While it was refused' });
    await becomes('h1', 'While it was refused');
    expect(await page.evaluate('window.wasAway')).toBe(false);

    const all = /\/api\/v1\//;
    await page.route(all, (route) => route.abort());
    await becomes('.away', 'Airline does not answer.');
    await page.unroute(all);
    await becomes('.live-polling');
    await page.unroute(streams);
    await becomes('.live-live');
    await becomes('[role=status]', 'Live: ');
    // Where all is as it should be, the mark alone is seen.
    expect(await widthOfWord()).toBe(1);
    expect(await page.locator('.top').ariaSnapshot()).toContain('Live');
    expect(await movedFrom(page)).toEqual([]);
    await close();
  }, 300_000);

  it('because the visitor may not read, has no mark of being live', async () => {
    const { page, go, close } = await web.open();
    const session = { authentication: 'token', name: 'ci', scopes: ['build:write'] };
    await page.route(/\/session\/$/, (route) => route.fulfill({ json: session }));
    await page.route(/\/changes\/$/, (route) => route.fulfill({ status: 403 }));
    await go('/help');
    await page.locator('.who').waitFor();
    await page.locator('.live').waitFor({ state: 'detached' });
    expect(await page.locator('.away').count()).toBe(0);
    await close();
  });
});

describe('the end of a build or a ticket', () => {
  /** By then a page that is not seen has loaded what it awaits. */
  const HIDDEN_MS = 15_000;
  /** Counts what the browser shows: a browser without a screen shows nothing. */
  // The headless shell says "denied" here even where it grants.
  const COUNT = `
    window.shown = [];
    const Real = window.Notification;
    window.Notification = class extends EventTarget {
      constructor(title, options) { super(); window.shown.push([title, options.body]); }
      static get permission() { return 'granted'; }
      static requestPermission() { window.asked = (window.asked ?? 0) + 1; return Real.requestPermission(); }
    };`;
  const shown = (page: Page) => page.evaluate<[string, string][]>('window.shown');
  const addQueued = async (name: string) => {
    const { sequelize } = web.api.database;
    const ticketId = await addPastTicket(
      sequelize,
      { owner: 'ann@example.com', title: `Awaits ${name}`, madeMinutesAgo: 5 },
      Date.now(),
    );
    const build = { ticketId, name, version: '1', moments: [], requestedMinutesAgo: 2 };
    return { ticketId, id: await addPastBuild(sequelize, build, Date.now()) };
  };

  // A tab decides whether it tells as soon as it has an answer to its request. A blank page has no locks.
  const COUNT_DECISIONS = `
    window.decisions = 0;
    const request = navigator.locks?.request.bind(navigator.locks);
    if (request) navigator.locks.request = (...given) => {
      const decide = given.pop();
      return request(...given, async (lock) => {
        const ended = decide(lock);
        window.decisions += 1;
        const result = await ended;
        if (window.keepsLocks) await new Promise(() => undefined);
        return result;
      });
    };`;
  const decisions = (page: Page) => page.evaluate<number>('window.decisions');

  // Each tab can be a process of its own, and sees what another has stored a little later. Here it never does, so that
  // a lock is never given back: a tab of a busy machine may ask for it when the time for storing is over.
  const STALE_STORAGE = `
    window.keepsLocks = true;
    const { getItem } = Storage.prototype;
    Storage.prototype.getItem = function (name) {
      return name === 'airline-notified' ? null : getItem.call(this, name);
    };`;

  it.each([
    ['in a tab that is not seen too', ''],
    ['where a tab does not see yet what another has stored', STALE_STORAGE],
  ])(
    'is told once by the browser, where it was asked for and is allowed, %s',
    async (_, script) => {
      const { context, go, page, close } = await web.openAlone();
      await context.grantPermissions(['notifications'], { origin: web.api.url });
      await context.addInitScript(COUNT);
      await context.addInitScript(COUNT_DECISIONS);
      await context.addInitScript(script);
      await context.clock.install();
      const { ticketId, id } = await addQueued('awaited');
      await go(`/build/${id}`);
      const other = await context.newPage();
      await other.goto(`/ticket/${ticketId}`);
      await settled(other);
      expect(await page.evaluate('window.asked')).toBeUndefined();

      const name = 'Tell me when it ends';
      await page.getByRole('button', { name }).click();
      await page.getByRole('button', { name, pressed: true }).waitFor();
      await other.reload();
      await settled(other);
      await other.getByRole('button', { name, pressed: true }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
      // Both are tabs in the back: nobody sees them.
      for (const tab of [page, other]) await look(tab, 'hidden');
      await web.api.database.ProgressEvent.record({
        buildId: id,
        key: 'final',
        message: 'COMPLETE',
      });
      await context.clock.fastForward(HIDDEN_MS);
      for (const tab of [page, other]) await tab.getByText('Completed').first().waitFor();
      for (const tab of [page, other])
        await until('the tab decides', async () => (await decisions(tab)) > 0, 300_000);
      const told = [...(await shown(page)), ...(await shown(other))].map(([title]) => title);
      expect(told).toEqual([expect.stringMatching(/^Build \d+.*awaited/)]);
      // Who missed it sees it in the tab.
      expect(await page.title()).toBe(`✓ Build ${id}: Completed · Airline`);
      await close();
    },
  );

  it('is told each time that there is one', async () => {
    const { context, page, go, close } = await web.openAlone();
    await context.addInitScript(COUNT);
    await context.addInitScript("localStorage.setItem('airline-notify', 'on')");
    const { Ticket } = web.api.database;
    const { ticketId } = await addQueued('awaited more than once');
    const moveTo = async (step: 200 | 400 | 1000, word: string, status: number = step) => {
      const to = { currentWorkflowStep: step, status };
      await Ticket.updateOne(ticketId, to, { actor: 'landing 1', reason: 'a trial' });
      await page.locator('.byline .state', { hasText: word }).waitFor();
    };
    await go(`/ticket/${ticketId}`);
    await moveTo(400, 'Failed', 999);
    await moveTo(200, 'Building');
    await moveTo(1000, 'Complete');
    await until('both are told', async () => (await shown(page)).length === 2);
    expect((await shown(page)).map(([, state]) => state)).toEqual(['Failed', 'Complete']);
    await close();
  });

  it('is told by no tab once it is turned off in one', async () => {
    const { context, page, go, close } = await web.openAlone();
    await context.addInitScript(COUNT);
    const name = 'Tell me when it ends';
    await context.addInitScript("localStorage.setItem('airline-notify', 'on')");
    const { id } = await addQueued('not awaited any more');
    await go(`/build/${id}`);
    const other = await context.newPage();
    await other.goto(`/build/${id}`);
    await other.getByRole('button', { name, pressed: true }).waitFor();
    await page.getByRole('button', { name, pressed: true }).click();
    await other.getByRole('button', { name, pressed: false }).waitFor();
    await close();
  });

  it('holds no connection in a tab that is not seen, of which a browser has six for all', async () => {
    const { context, page, go, close } = await web.openAlone();
    await context.grantPermissions(['notifications'], { origin: web.api.url });
    await context.addInitScript(COUNT);
    const streams = new Set<object>();
    page.on('request', (request) => {
      if (request.url().endsWith('/changes/')) streams.add(request);
    });
    page.on('requestfailed', (request) => streams.delete(request));
    page.on('requestfinished', (request) => streams.delete(request));
    const { id } = await addQueued('awaited in a tab that is not seen');
    const name = 'Tell me when it ends';
    await go(`/build/${id}`);
    await page.getByRole('button', { name }).click();
    await page.getByRole('button', { name, pressed: true }).waitFor();
    await until('the stream is open', () => streams.size === 1);
    await look(page, 'hidden');
    await until('the stream is closed', () => streams.size === 0);
    await close();
  });

  it('is not told where the browser refuses, which is said with what to do', async () => {
    const { context, go, page, close } = await web.openAlone({ width: 390 });
    await context.grantPermissions([]);
    const { id } = await addQueued('refused');
    await go(`/build/${id}`);
    await page.getByRole('button', { name: 'Tell me when it ends' }).click();
    await page.getByText(/Allow them in its settings of this site/).waitFor();
    await page.getByRole('button', { name: 'Tell me when it ends', pressed: false }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await close();
  });
});
