import type { Browser } from 'playwright-core';
import { launchBrowser, openWindow, settled } from './browse.ts';
import { addPastBuild, type SeededBuild } from './seed.ts';
import { openDatabase } from '../../models/database.ts';
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
/** What has become of those that end. One of each is real, the others are of the past. */
const ENDS: Record<string, { state: string; failure?: SeededBuild['failure'] }> = {
  'fate-built': { state: 'Successfully built' },
  'fate-failed': {
    state: 'Failed to build',
    failure: { class: 'build_failed', message: 'make failed' },
  },
  'fate-chroot': {
    state: 'Chroot problem',
    failure: { class: 'chroot_problem', message: 'its chroot is broken' },
  },
};
const OF_EACH_FATE = 10;
/** So many builds take minutes where other tests have the processors. */
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
        // Builds that are all looked at all the time would keep the machine busy with nothing else.
        AIRLINE_POLL_INITIAL_MS: '1000',
        AIRLINE_POLL_MAX_MS: '5000',
        // What is held keeps its builder.
        AIRLINE_STAND_IN_BUILDERS: String(5 * OF_EACH_FATE),
      },
    });
  });

  afterAll(async () => {
    await browser.close();
    await airline.stop();
  });

  test('finds in two clicks why one of them waits', async () => {
    const database = openDatabase(airline.stack.environment['AIRLINE_DATABASE_URL'] ?? '', 1);
    for (const name of Object.keys(FATES)) {
      const source = await airline.submit({ name });
      for (let at = 0; at < OF_EACH_FATE; at += 1) {
        const ppa = `ppa:airline/${name}-${at}`;
        const end = ENDS[name];
        if (!end || at === 0) await airline.requestBuild(source, { ppa });
        else
          await addPastBuild(
            database.sequelize,
            {
              ticketId: source.ticketId,
              name,
              version: '1.0',
              ppa,
              requestedMinutesAgo: 60,
              moments: [[2, { amd64: end.state }]],
              endedAfter: 3,
              ...(end.failure ? { failure: end.failure } : {}),
            },
            Date.now(),
          );
      }
    }
    await database.close();
    await until(
      'every build is where its fate leaves it',
      async () => {
        const { builds } = await airline.rest.get<{ builds: Record<string, number> }>(
          '/api/v1/status',
        );
        return (
          builds['completed'] === OF_EACH_FATE &&
          builds['failed'] === 2 * OF_EACH_FATE &&
          builds['building'] === 2 * OF_EACH_FATE
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
    expect(await waiting.count()).toBe(OF_EACH_FATE);
    await waiting.first().getByRole('link').first().click();
    await settled(page);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toMatch(/fate-waits/);
    expect(await page.getByRole('main').textContent()).toMatch(/libmissing-dev/);
    expect(faults).toEqual([]);
  });
});
