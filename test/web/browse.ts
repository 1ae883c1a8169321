import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import type { WorkerProcess } from '../../domain/service/worker-process.ts';
import { createFileStore } from '../../store/file.ts';
import type { DataStore } from '../../store/store.ts';
import { serveApi, type TestApi } from '../api/serve.ts';
import { tellStory, type Story } from './story.ts';

const WEB_DIRECTORY = join(process.cwd(), 'dist/web');
/** Without the windows that nobody sees: the whole of Chromium takes half as much processor time again. */
const CHROMIUM = '/usr/bin/chromium-headless-shell';
const PATIENCE_MS = 100_000;
/** For this long a machine may keep a test waiting while it stops the clock of a page. */
const STOP_MS = 5_000;

/** Two workers, of which one sees to workflow tasks only, and some work for them. */
const QUEUES = [
  {
    name: 'build-source',
    kind: 'workflow' as const,
    pollers: [
      { identity: '4711@worker-1', last_access_at: null, polling: true },
      { identity: '4712@worker-2', last_access_at: null, polling: true },
    ],
    backlog: 0,
    backlog_age_ms: null,
  },
  {
    name: 'build-source',
    kind: 'activity' as const,
    pollers: [{ identity: '4711@worker-1', last_access_at: null, polling: true }],
    backlog: 3,
    backlog_age_ms: 95_000,
  },
];

/** What these workers report: one is busy with all that it can take, the other has not reported lately. */
const WORKERS: WorkerProcess[] = [
  {
    identity: '4711@worker-1',
    host: 'worker-1',
    version: '1.2.3',
    state: 'running',
    started_at: '2026-01-02T03:04:05.000Z',
    reported_at: new Date().toISOString(),
    reporting: true,
    slots: [
      { queue: 'build-source', kind: 'workflow', used: 2, total: 40, processed: 9, failed: 0 },
      { queue: 'build-source', kind: 'activity', used: 50, total: 50, processed: 812, failed: 3 },
    ],
  },
  {
    identity: '4712@worker-2',
    host: 'worker-2',
    version: null,
    state: 'running',
    started_at: '2026-01-02T03:04:05.000Z',
    reported_at: '2026-01-02T03:14:05.000Z',
    reporting: false,
    slots: [],
  },
];

/** The web UI as the API serves it, with its own database and data store, and a browser to look at it with. */
export type Web = {
  api: TestApi;
  browser: Browser;
  /** Where the story's logs are. */
  store: DataStore;
  story: Story;
  /** Opens a window with nothing stored. What its page complains of, and whom else it calls, is kept in `faults`. */
  open(look?: Look): Promise<Visit>;
  /** The same in a context of its own: with a clock, permissions, further windows and an empty cache. */
  openAlone(look?: Look): Promise<LoneVisit>;
  close(): Promise<void>;
};

export type Look = { scheme?: 'light' | 'dark'; width?: number };
export type Visit = {
  page: Page;
  faults: string[];
  go(path: string): Promise<void>;
  close(): Promise<void>;
};
type LoneVisit = Visit & { context: BrowserContext };

/** Serves the web UI to tests, filled with the story. */
export async function serveWeb(
  replaced: Parameters<typeof serveApi>[0] = {},
  told: Parameters<typeof tellStory>[3] = {},
): Promise<Web> {
  if (!existsSync(join(WEB_DIRECTORY, 'index.html')))
    throw new Error(`${WEB_DIRECTORY} is not built: run npm run build:clients.`);
  const directory = await mkdtemp(join(tmpdir(), 'airline-web-'));
  // The API serves the store by its own address, which is not known before it listens; the pages take the path alone.
  const store = createFileStore({ directory, baseUrl: 'http://127.0.0.1/store' });
  const api = await serveApi({
    webDirectory: WEB_DIRECTORY,
    store,
    describeQueues: async () => QUEUES,
    describeWorkers: async () => WORKERS,
    // Every page follows what changes, as long as it is open. No more often than a browser shows it.
    noticesMs: 100,
    ...replaced,
    // A page whose clock a test moves on finds no stream silent.
    limits: { streams: { heartbeatMs: 60_000, pollMs: 1_000, max: 100 }, ...replaced.limits },
  });
  const story = await tellStory(api.database.sequelize, store, Date.now(), told);
  const browser = await launchBrowser();
  return {
    api,
    browser,
    store,
    story,
    open: shareContext(browser, api.url),
    openAlone: (look) => openWindow(browser, api.url, look),
    async close() {
      await browser.close();
      await api.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** Debian's browser. */
function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    // The tests run as root, too, and nothing is read but what they serve. What windows of one context have in common
    // is one process then, which takes more processor time to start than a page to load.
    args: ['--no-sandbox', '--process-per-site'],
  });
}

/** Opens a window on a server, in a context of its own. */
export async function openWindow(browser: Browser, url: string, look?: Look): Promise<LoneVisit> {
  const context = await openContext(browser, url);
  const page = await context.newPage();
  return { ...(await visit(page, url, look)), context, close: () => closeAfter(page, context) };
}

/**
 * Opens windows one after the other in one context, of which each finds nothing stored. One that is opened beside
 * another has a context of its own.
 */
function shareContext(browser: Browser, url: string): Web['open'] {
  let shared: Promise<{ context: BrowserContext; kept: Page }> | undefined;
  let isOpen = false;

  async function openShared() {
    const context = await openContext(browser, url);
    // The process of a site ends with its last page.
    const kept = await context.newPage();
    await kept.route('/', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
    await kept.goto('/');
    return { context, kept };
  }

  return async (look) => {
    if (isOpen) return openWindow(browser, url, look);
    isOpen = true;
    shared ??= openShared();
    const { context, kept } = await shared;
    const page = await context.newPage();
    // A clock is one of the context, and cannot be taken out of it again.
    Object.defineProperty(page, 'clock', {
      get() {
        throw new Error('Open the window by openAlone: the clock of this one goes on in the next.');
      },
    });
    return {
      ...(await visit(page, url, look)),
      async close() {
        await closeAfter(page, page);
        await kept.evaluate('localStorage.clear()');
        await context.clearCookies();
        isOpen = false;
      },
    };
  };
}

async function openContext(browser: Browser, url: string): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: url,
    // What turns would keep a processor busy that draws without a graphics card.
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

async function visit(
  page: Page,
  url: string,
  { scheme = 'light', width = 1280 }: Look = {},
): Promise<Omit<Visit, 'close'>> {
  await page.emulateMedia({ colorScheme: scheme });
  await page.setViewportSize({ width, height: 844 });
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('dialog', (dialog) => {
    faults.push(`a script of a stranger ran: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const asked = request.url();
    if (!asked.startsWith(`${url}/`) && !asked.startsWith('data:'))
      faults.push(`asked for ${asked}`);
  });
  return {
    page,
    faults,
    async go(path) {
      await page.goto(path);
      await settled(page);
    },
  };
}

/** Closes a page, or all that it belongs to. What a test answers by itself may be under way. */
async function closeAfter(page: Page, closing: Page | BrowserContext): Promise<void> {
  if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' });
  await closing.close();
}

/**
 * Counts the processor time of a page's own work in its main thread, in milliseconds. What else the machine has to do
 * is not in it.
 */
export async function countProcessorTime(page: Page): Promise<() => Promise<number>> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
}

/**
 * From now on time passes for a page, whose clock is a fake one, only as the test says. Some seconds pass at once: a
 * clock cannot be stopped at a time that is over by then.
 */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.pauseAt(await page.evaluate<number>(`Date.now() + ${STOP_MS}`));
}

/** Has a page believe that its tab is seen or not. */
export async function look(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
    document.dispatchEvent(new Event('visibilitychange'));`);
}

/** The lines around the first that a selector finds, and below it. */
export function linesOf(page: Page, selector: string): Promise<{ around: string; below: string }> {
  return page.evaluate(`(({ outline: around, borderBottom: below }) => ({ around, below }))(
    getComputedStyle(document.querySelector(${JSON.stringify(selector)})))`);
}

/** Has a page note in `window.said` what screen readers are told from now on. */
export const NOTE_SAID = `
  window.said = [];
  for (const place of document.querySelectorAll('[aria-live=polite]'))
    new MutationObserver(() => window.said.push(place.textContent.trim()))
      .observe(place, { subtree: true, childList: true, characterData: true });`;

/** Waits until nothing is being loaded into the page any more. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector('h1');
  // Not by waitForFunction: the pages' own policy forbids what it does.
  for (const wait of ['.skeleton', '.log-loading', '.plot-place:not(:has(canvas))'])
    await page.locator(wait).first().waitFor({ state: 'detached' });
}

/**
 * Waits for what the reader has just done to be in a ticket's history. Where that takes some seconds, it is not known
 * for the reader's own any more, and waits behind a button.
 */
export async function seeInHistory(page: Page, text: string): Promise<void> {
  const row = page.locator('.history', { hasText: text });
  const news = page.getByRole('button', { name: /new: show in History/ });
  for (;;) {
    await row.or(news).first().waitFor();
    if (await row.first().isVisible()) return;
    await news.click();
  }
}

/**
 * What is looked at in a page, and what may be about to be pressed. What a part scrolls within itself is not, nor is
 * what stands below all that grows.
 */
const PLACED = 'h1, h2, section, .card, tr, th, .stop, .history li, button, a';
const UNFIXED = '.events *, .footer *';

/** Notes where everything stands. */
export async function notePlaces(page: Page): Promise<void> {
  await page.evaluate(`window.noted = [...document.querySelectorAll('${PLACED}')]
    .filter((one) => one.checkVisibility() && !one.matches('${UNFIXED}'))
    .map((one) => ({ one, text: one.textContent, place: one.getBoundingClientRect() }));`);
}

/** What stands elsewhere than it was noted, by its words at that time; what is gone has not moved. */
export function movedFrom(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`window.noted
    .filter(({ one }) => one.isConnected && one.checkVisibility())
    .map(({ one, text, place }) => ({ text, was: place, is: one.getBoundingClientRect() }))
    .filter(({ was, is }) => Math.abs(was.top - is.top) >= 1 || Math.abs(was.left - is.left) >= 1)
    .map(({ text, was, is }) => text + ': ' + [was.left, was.top] + ' to ' + [is.left, is.top])`);
}

/**
 * axe, where its rule of the better contrast (AAA) also finds what is worse than the least one (AA), which it leaves to
 * a rule of its own: to look at each text twice would take a quarter of the time.
 */
const AXE = `${readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')};
  axe.configure({
    checks: [{
      id: 'color-contrast-enhanced',
      options: {
        ignoreUnicode: true, ignoreLength: false, ignorePseudo: false,
        boldValue: 700, boldTextPt: 14, largeTextPt: 18,
        contrastRatio: { normal: { expected: 7 }, large: { expected: 4.5 } },
        pseudoSizeThreshold: 0.25, shadowOutlineEmMax: 0.1, textStrokeEmMin: 0.03,
      },
    }],
  });`;

const RULES = {
  /** At any level, AAA and good practice included. */
  all: {
    type: 'tag',
    values: ['wcag2a', 'wcag2aa', 'wcag2aaa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  },
  /** Those that a colour can break. */
  colours: {
    type: 'rule',
    values: ['color-contrast-enhanced', 'link-in-text-block'],
  },
} as const;

/** How wide a page is, what the browser complained of, and what keeps people out. */
export async function inspectPage({ page, faults }: Pick<Visit, 'page' | 'faults'>) {
  const pageWidth = await page.evaluate<number>('document.documentElement.scrollWidth');
  return { pageWidth, faults, barriers: await findBarriers(page) };
}

/** What axe finds on a page. */
export async function findBarriers(
  page: Page,
  rules: keyof typeof RULES = 'all',
): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE);
  // What is in order is not told of: to find a selector for each element would take most of the time.
  const options = {
    runOnly: RULES[rules],
    rules: { 'color-contrast': { enabled: false } },
    resultTypes: ['violations'],
  };
  const found = await page.evaluate<{ id: string; help: string; nodes: { html: string }[] }[]>(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return found.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' | ')}`,
  );
}
