import type { Browser } from 'playwright-core';
import { launchBrowser, openWindow, settled } from './browse.ts';
import { startAirline, type Airline } from '../support/airline.ts';
import { until } from '../support/until.ts';

jest.setTimeout(900_000);

const building = { state: 'Currently building', durationMs: 50 };
const held = { state: 'Currently building', untilReleased: true };
const built = { state: 'Successfully built' };
/** What becomes of the builds of a source in the PPA. */
const FATES = {
  'fate-built': [building, built],
  'fate-failed': [
    building,
    { state: 'Failed to build', log: 'make: *** [Makefile:7: all] Error 1\n' },
  ],
  'fate-held': [held, built],
  'fate-waits': [{ state: 'Dependency wait', dependencies: 'libmissing-dev', untilReleased: true }],
  'fate-chroot': [building, { state: 'Chroot problem' }],
} as const;
const BUILDS = 50;
/** Fifty builds take minutes where other tests have the processors. */
const SETTLED_MS = 500_000;

describe('an operator with 50 builds of mixed fate', () => {
  let airline: Airline;
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
    airline = await startAirline({
      script: {
        sources: Object.fromEntries(
          Object.entries(FATES).map(([name, states]) => [name, { builds: { '*': states } }]),
        ),
      } as never,
      environment: {
        AIRLINE_DEPENDENCY_WAIT_MS: '3600000',
        // Fifty builds that are looked at all the time would keep the machine busy with nothing else.
        AIRLINE_POLL_INITIAL_MS: '1000',
        AIRLINE_POLL_MAX_MS: '5000',
        // What is held keeps its builder.
        AIRLINE_STAND_IN_BUILDERS: String(BUILDS),
      },
    });
  });

  afterAll(async () => {
    await browser.close();
    await airline.stop();
  });

  test('finds in two clicks why one of them waits', async () => {
    const submitted = [];
    for (const name of Object.keys(FATES)) submitted.push(await airline.submit({ name }));
    for (let at = 0; at < BUILDS; at += 1) {
      const source = submitted[at % submitted.length] as (typeof submitted)[number];
      await airline.requestBuild(source, { ppa: `ppa:airline/fate-${at}` });
    }
    const ofEachFate = BUILDS / submitted.length;
    await until(
      'every build is where its fate leaves it',
      async () => {
        const { builds } = await airline.rest.get<{ builds: Record<string, number> }>(
          '/api/v1/status',
        );
        return (
          builds['completed'] === ofEachFate &&
          builds['failed'] === 2 * ofEachFate &&
          builds['building'] === 2 * ofEachFate
        );
      },
      SETTLED_MS,
    );

    const { page, faults, go } = await openWindow(browser, airline.stack.addresses.api);
    await go('/');
    await page.getByRole('link', { name: 'Status' }).click();
    await settled(page);
    const waiting = page.getByRole('row', { name: /waits for libmissing-dev/ });
    await waiting.first().waitFor();
    expect(await waiting.count()).toBe(ofEachFate);
    await waiting.first().getByRole('link').first().click();
    await settled(page);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toMatch(/fate-waits/);
    expect(await page.getByRole('main').textContent()).toMatch(/libmissing-dev/);
    expect(faults).toEqual([]);
  });
});
