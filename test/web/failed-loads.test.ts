import type { Page } from 'playwright-core';
import { addUntoldBuild } from '../support/rows.ts';
import { movedFrom, notePlaces, serveWeb, settled, stopClock, type Web } from './browse.ts';
import { tellPool } from './landing-story.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
beforeAll(async () => {
  // A stream is not to seem silent where the clock of the page runs ahead.
  const streams = { heartbeatMs: 600_000, pollMs: 1_000, max: 100 };
  web = await serveWeb({ limits: { streams } }, { tickets: 20 });
});
afterAll(() => web.close());

const HISTORY = /\/history\/\?/;
const EXPECTED = /\/expected\/$/;
const LOGS = /\/store\/.*\.log$/;
const EVENTS = /\/events\/\?/;
const LANDINGS = /\/api\/v1\/landing\/\?/;
const BUILDS = /\/api\/v1\/buildsummary\/\?/;

const BROKEN = {
  status: 500,
  contentType: 'application/problem+json',
  body: JSON.stringify({ code: 'internal', detail: 'It is broken.', hint: 'Try again.' }),
};

/** An answer that does not change by itself, and one that may. */
const FORBIDDEN = { ...BROKEN, status: 403 };
const UNAVAILABLE = { ...BROKEN, status: 503 };

/** Lets a load of a page fail from now on. @returns what mends it */
async function fail(page: Page, path: RegExp, answer = BROKEN): Promise<() => Promise<void>> {
  await page.route(path, (route) => route.fulfill(answer));
  return async () => {
    // A page loads everything again once it follows changes, and would mend itself.
    await page.locator('.live-live, .live-failing').waitFor();
    await page.unroute(path);
  };
}

/** Keeps a load of a page waiting until it is let go on, or fails. */
async function hold(page: Page, path: RegExp): Promise<{ goOn: () => void; fail: () => void }> {
  let end: (fails: boolean) => void;
  const ended = new Promise<boolean>((resolve) => (end = resolve));
  await page.route(path, async (route) => {
    if (await ended) await route.fulfill(BROKEN);
    else await route.continue();
  });
  return { goOn: () => end(false), fail: () => end(true) };
}

const noteOf = (page: Page, what: string) =>
  page.getByRole('alert').filter({ hasText: `${what} could not be loaded.` });

describe('the page of a ticket', () => {
  it('whose history does not come says so, and calls no step skipped', async () => {
    const { page, go, close } = await web.open();
    const mend = await fail(page, HISTORY);
    await go(`/ticket/${web.story.ticket.landing}`);
    const note = noteOf(page, 'The history');
    await note.getByText('It is broken.').waitFor();
    const queued = page.locator('.stop', { hasText: 'Queued' });
    expect(await queued.textContent()).toContain('not known yet');
    expect(await page.locator('.timeline time').count()).toBe(0);
    await notePlaces(page);

    await mend();
    await note.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.history', { hasText: 'all packages are uploaded' }).waitFor();
    expect(await queued.textContent()).toContain('took 2 h 29 min');
    await note.waitFor({ state: 'detached' });
    await page.evaluate('scrollTo(0, 0)');
    expect(await movedFrom(page)).toEqual([]);
    await close();
  });

  it('that failed does not say where before its history is there', async () => {
    const { page, go, close } = await web.open();
    const history = await hold(page, HISTORY);
    await go(`/ticket/${web.story.ticket.failed}`);
    await page.locator('.stop').first().waitFor();
    expect(new Set(await page.locator('.stop-time').allTextContents())).toEqual(
      new Set(['not known yet']),
    );
    history.goOn();
    await page.locator('.stop-failed', { hasText: 'Package Building' }).waitFor();
    await close();
  });
});

describe('the page of a ticket with a landing', () => {
  it('whose landing does not come says so, and shows the rest', async () => {
    const { page, go, close } = await web.open();
    const mend = await fail(page, LANDINGS);
    await go(`/ticket/${web.story.landed.approving}`);
    const note = noteOf(page, 'The landing');
    await note.waitFor();
    await page.locator('.stop', { hasText: 'Image Testing' }).waitFor();
    await mend();
    await note.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.landing', { hasText: 'Waiting for an approval' }).waitFor();
    await note.waitFor({ state: 'detached' });
    await close();
  });

  it('does not say that there is no landing before that is known', async () => {
    const { page, go, close } = await web.open();
    const { approving } = web.story.landed;
    const mend = await fail(page, /\/landing\/set\//);
    await go(`/ticket/${approving}?landing=99999`);
    const note = noteOf(page, 'Landing 99999');
    await note.waitFor();
    const none = page.getByText('This ticket has no landing 99999.');
    expect([await none.count(), await page.locator('.timeline').count()]).toEqual([0, 0]);

    await mend();
    const one = await hold(page, /\/landing\/set\//);
    await note.getByRole('button', { name: 'Try again' }).click();
    one.goOn();
    await none.waitFor();
    await close();
  });
});

describe('a page of an Airline that answers late', () => {
  /** By then an answer is late. No fake clock of all browsers has it. */
  const LATE_MS = 20_000;
  const DEADLINES = `AbortSignal.timeout = (ms) => {
    const over = new AbortController();
    setTimeout(() => over.abort(), ms);
    return over.signal;
  };`;
  /** What was given up must be heard of before the clock goes on. */
  const STEP_MS = 1_000;

  async function pass(page: Page, ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) await page.clock.runFor(STEP_MS);
  }

  /** Opens a page, and stops its clock as soon as it asks for something: what it counts is not the machine's time. */
  async function openUntilAsked(page: Page, address: string, path: RegExp): Promise<void> {
    const asked = page.waitForRequest(path);
    await page.goto(address);
    await asked;
    await stopClock(page);
  }

  /** Counts how often a page asks for something. */
  function countAsked(page: Page, path: RegExp): () => number {
    let asked = 0;
    page.on('request', (request) => {
      if (path.test(request.url())) asked += 1;
    });
    return () => asked;
  }

  it('is asked less and less often, also for what is asked for every few seconds else', async () => {
    const { page, close } = await web.openAlone();
    await page.clock.install();
    await page.addInitScript(DEADLINES);
    const STATUS = /\/api\/v1\/status$/;
    const asked = countAsked(page, STATUS);
    const status = await hold(page, STATUS);
    await openUntilAsked(page, '/status', STATUS);
    await page.locator('.live-live').waitFor();
    await pass(page, LATE_MS);
    await page.getByRole('alert').getByText('No answer came within 20 s.').waitFor();
    // 20 s each, with pauses of 5, 10 and 20 s.
    await pass(page, 90_000);
    expect(asked()).toBe(4);

    // Who presses does not wait.
    await pass(page, 10_000);
    status.goOn();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.parts').waitFor();
    expect(asked()).toBe(5);
    await close();
  });

  it('is asked for the events of a build less and less often', async () => {
    const { page, close } = await web.openAlone();
    await page.clock.install();
    await page.addInitScript(DEADLINES);
    const asked = countAsked(page, EVENTS);
    const events = await hold(page, EVENTS);
    await openUntilAsked(page, `/build/${web.story.build.running}`, EVENTS);
    await pass(page, 300_000);
    // 20 s each, with pauses of 1, 2, 4, 8, 16, 32 and 64 s.
    expect(asked()).toBe(8);
    events.goOn();
    await close();
  });

  it('waits for who the visitor is, and does not take it for one that is away', async () => {
    const { page, close } = await web.openAlone();
    await page.clock.install();
    await page.addInitScript(DEADLINES);
    const SESSION = /\/api\/v1\/session\/$/;
    const asked = countAsked(page, SESSION);
    const session = await hold(page, SESSION);
    await openUntilAsked(page, '/status', SESSION);
    await page.locator('.live-live').waitFor();
    await pass(page, LATE_MS + STEP_MS);
    await page.locator('.skeleton').getByText('Airline has not answered yet.').waitFor();
    expect(await page.locator('.live-live').count()).toBe(1);
    // 20 s each, with pauses of 3, 6 and 12 s.
    await pass(page, 80_000);
    expect(asked()).toBe(4);

    session.goOn();
    await pass(page, 30_000);
    await page.getByRole('heading', { level: 1, name: 'Status' }).waitFor();
    await close();
  });

  it('says so at the part that is late, and in its mark', async () => {
    const { page, close } = await web.openAlone();
    await page.clock.install();
    await page.addInitScript(DEADLINES);
    let asked = 0;
    page.on('request', (request) => {
      if (/\/(changes|session)\/$/.test(request.url())) asked += 1;
    });
    const day = await hold(page, /\/status\/history\/$/);
    await page.goto('/status');
    await page.locator('.parts').waitFor();
    await page.locator('.live-live').waitFor();
    const before = asked;
    await page.clock.runFor(LATE_MS);
    const note = page.getByRole('alert').filter({ hasText: 'No answer came within 20 s.' });
    await note.waitFor();
    await page.locator('.live-failing').waitFor();
    expect(await page.locator('.away').count()).toBe(0);

    // It is asked for again by itself.
    await page.clock.runFor(LATE_MS);
    day.goOn();
    await page.locator('.plot').first().waitFor();
    await note.waitFor({ state: 'detached' });
    await page.locator('.live-live').waitFor();
    expect(asked).toBe(before);
    await close();
  });
});

describe('the page of a build', () => {
  it('does not take expectations that do not come for none', async () => {
    const { page, go, close } = await web.open();
    const mend = await fail(page, EXPECTED);
    await go(`/build/${web.story.build.running}`);
    const note = noteOf(page, 'How long it usually takes');
    await note.waitFor();
    const sources = page.locator('.architecture-source');
    for (const text of await sources.allTextContents())
      expect(text).toMatch(/usual time not known yet$/);

    await mend();
    await note.getByRole('button', { name: 'Try again' }).click();
    await sources.getByText('median of its last').first().waitFor();
    await sources.getByText('no earlier build on riscv64').waitFor();
    await close();
  });

  it('keeps everything in its place when they fail later', async () => {
    const { page, go, close } = await web.open();
    const { running } = web.story.build;
    await go(`/build/${running}`);
    await page.locator('.architecture-source', { hasText: 'median of its last' }).first().waitFor();
    await page.locator('.live-live').waitFor();
    await page.locator('.event').first().waitFor();
    await notePlaces(page);
    await fail(page, EXPECTED);
    const { architectureBuilds: builds } = await web.api.database.Build.findByPk(running, {
      rejectOnEmpty: true,
    });
    await web.api.database.ProgressEvent.record({
      buildId: running,
      key: 'again',
      message: 'INPROGRESS',
      builds,
    });
    await noteOf(page, 'How long it usually takes').waitFor();
    expect(await movedFrom(page)).toEqual([]);
    await close();
  });

  it('asks for events that are refused no more, and shows why', async () => {
    const { page, go, close } = await web.openAlone();
    await page.clock.install();
    let asked = 0;
    page.on('request', (request) => {
      if (EVENTS.test(request.url())) asked += 1;
    });
    const mend = await fail(page, EVENTS, FORBIDDEN);
    await go(`/build/${web.story.build.running}`);
    const note = noteOf(page, 'The events');
    await note.waitFor();
    const before = asked;
    await page.clock.runFor(60_000);
    expect(asked).toBe(before);

    await mend();
    await note.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.event').first().waitFor();
    await note.waitFor({ state: 'detached' });
    await close();
  });

  it('does not take events that do not come for none, and asks for them again by itself', async () => {
    const { page, go, close } = await web.open();
    const mend = await fail(page, EVENTS, UNAVAILABLE);
    await go(`/build/${web.story.build.running}`);
    const note = noteOf(page, 'The events');
    await note.waitFor();
    expect(await page.getByText('There are no events yet.').count()).toBe(0);
    await notePlaces(page);

    await mend();
    await page.locator('.event').first().waitFor();
    await note.waitFor({ state: 'detached' });
    expect(await movedFrom(page)).toEqual([]);
    await close();
  });

  it('says that there are no events only once it knows', async () => {
    const { page, close } = await web.open();
    const { id } = await addUntoldBuild(web.api.database);
    const events = await hold(page, EVENTS);
    await page.goto(`/build/${id}`);
    await page.locator('.verdict').waitFor();
    expect(await page.getByText('There are no events yet.').count()).toBe(0);
    events.goOn();
    await page.getByText('There are no events yet.').waitFor();
    await settled(page);
    await close();
  });
});

describe('a log', () => {
  it('that stops coming says so, not that the connection was cut, and is asked for again', async () => {
    const { page, close } = await web.openAlone();
    await page.clock.install();
    await page.route(LOGS, (route) => route.abort('connectionreset'));
    await page.goto(`/build/${web.story.build.failed}`);
    const note = page.locator('.log-section').getByRole('alert');
    await note.getByText('The log could not be loaded: the connection was cut.').waitFor();

    await page.unroute(LOGS);
    const log = await hold(page, LOGS);
    await note.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.log-loading').waitFor();
    await page.clock.runFor(30_000);
    await note.getByText('The log could not be loaded: nothing came for 30 s.').waitFor();

    log.goOn();
    await note.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.log-lines').waitFor();
    await settled(page);
    await close();
  });
});

describe('the pool of PPAs', () => {
  it('says no more that landings could not be loaded once no PPA is held', async () => {
    const { sequelize, PoolPpa } = web.api.database;
    await tellPool(sequelize, Date.now());
    const { page, go, close } = await web.open();
    await fail(page, /\/landing\/set\//);
    await go('/pool');
    const note = noteOf(page, 'The landings');
    await note.waitFor();
    await page.locator('.live-failing').waitFor();
    await PoolPpa.update({ state: 'free', landingId: null }, { where: { state: 'leased' } });
    await note.waitFor({ state: 'detached' });
    await page.locator('.live-live').waitFor();
    await close();
  });
});

describe('the list of packages', () => {
  it('that is refused says nothing of the one that is asked for next', async () => {
    const { page, go, close } = await web.open();
    await go('/packages?order=bad');
    const note = page.getByRole('alert');
    await note.getByText('Invalid order_by').waitFor();
    const packages = await hold(page, /\/packagestatistics\/\?/);
    await page.getByRole('navigation').getByRole('link', { name: 'Packages' }).click();
    await page.waitForURL(/\/packages$/);
    await page.locator('.skeleton').first().waitFor();
    expect(await note.count()).toBe(0);
    packages.goOn();
    await page.locator('[data-row]').first().waitFor();
    await close();
  });
});

describe('the list of tickets', () => {
  it('says that a ticket has no build only once it knows', async () => {
    const { page, go, close } = await web.open();
    const builds = await hold(page, BUILDS);
    await go('/tickets');
    expect(await builtStates(page)).toEqual(new Set(['not known yet']));
    builds.goOn();
    await page.locator('.cell-build', { hasText: 'none yet' }).first().waitFor();
    await close();
  });

  it('does not take builds that do not come for none, and nothing moves', async () => {
    const { page, go, close } = await web.open();
    const builds = await hold(page, BUILDS);
    await go('/tickets');
    await page.locator('.live-live').waitFor();
    await notePlaces(page);
    builds.fail();
    const note = noteOf(page, 'The latest builds');
    await note.waitFor();
    expect(await builtStates(page)).toEqual(new Set(['not known yet']));

    await page.unroute(BUILDS);
    await note.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.cell-build', { hasText: 'Completed' }).first().waitFor();
    await note.waitFor({ state: 'detached' });
    await page.evaluate('scrollTo(0, 0)');
    expect(await movedFrom(page)).toEqual([]);
    await close();
  });
});

/** What the list says of the latest builds of its tickets. */
async function builtStates(page: Page): Promise<Set<string>> {
  return new Set(await page.locator('.cell-build').allTextContents());
}
