import type { LandingPart, LandingReport } from '../../domain/landings/landing.ts';
import { landingFailureOf } from '../../domain/landings/landing-failure.ts';
import { failureOf } from '../../domain/builds/failure.ts';
import type { ArchitectureBuild, ProgressReport } from '../../domain/builds/progress.ts';
import { until } from '../support/until.ts';
import { movedFrom, serveWeb, notePlaces, type Web } from './browse.ts';
import { addPastLanding } from './seed-landing.ts';
import { addPastBuild, addPastTicket } from './seed.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 20 });
});
afterAll(() => web.close());

const LONG_TITLE = 'a title that needs more lines than the one that it takes the place of '.repeat(
  3,
);

function newTicket(): Promise<number> {
  return addPastTicket(
    web.api.database.sequelize,
    {
      owner: 'ann@example.com',
      title: 'Watched',
      madeMinutesAgo: 10,
      packages: [
        { name: 'steady', version: '1.0' },
        { name: 'calm', version: '2.0' },
      ],
    },
    Date.now(),
  );
}

function newBuild(ticketId: number): Promise<number> {
  const build = { ticketId, name: 'steady', version: '1.0', requestedMinutesAgo: 0, moments: [] };
  return addPastBuild(web.api.database.sequelize, { ...build, isUndispatched: true }, Date.now());
}

function builds(
  buildstate: string,
  state: ArchitectureBuild['state'],
): Pick<ProgressReport, 'builds'> {
  return {
    builds: ['amd64', 'arm64', 'riscv64', 's390x'].map((architecture) => ({
      package: 'steady',
      version: '1.0',
      architecture,
      buildstate,
      state,
      web_link: `https://launchpad.example/+build/${architecture}`,
      started_at: null,
      built_at: null,
    })),
  };
}

const BUILDING = builds('Currently building', 'building');
const BUILT = builds('Successfully built', 'completed');
const FAILED = { failure: failureOf('build_failed', 'steady 1.0 on arm64'), logs: [] };

describe.each([1280, 390])('%i pixels wide, nothing moves by itself', (width) => {
  it('on the page of a ticket that is built, moved and renamed', async () => {
    const ticket = await newTicket();
    const first = await newBuild(ticket);
    const { page, go, close, faults } = await web.open({ width });
    await go(`/ticket/${ticket}`);
    await page.locator('.live-live').waitFor();
    const path = `/api/v1/ticket/${ticket}/`;
    const record = recorderOf(first);
    await notePlaces(page);

    await record('STARTED');
    await record('INPROGRESS', BUILDING);
    await page.locator('.matrix', { hasText: 'Building' }).waitFor();
    await web.api.call('PATCH', path, { current_workflow_step: 200, status: 200 });
    await page.locator('.history', { hasText: 'Package Building' }).waitFor();
    await record('INPROGRESS', BUILT);
    await page.locator('.matrix', { hasText: 'Built' }).waitFor();
    await record('FAILURE', FAILED);
    await page.getByRole('button', { name: `Retry build ${first}` }).waitFor();

    const second = await newBuild(ticket);
    await page.getByRole('button', { name: '1 new: show in Builds' }).waitFor();
    await web.api.call('PATCH', path, { current_workflow_step: 400, status: 400 });
    await page.getByRole('button', { name: '1 new: show in History' }).waitFor();
    await web.api.call('PATCH', path, { title: LONG_TITLE });
    await page.locator('h1', { hasText: LONG_TITLE.trim() }).waitFor();
    expect(await movedFrom(page)).toEqual([]);

    await page.getByRole('button', { name: '1 new: show in Builds' }).click();
    await page.getByRole('link', { name: `Build ${second}` }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('on the page of a ticket whose landing goes its way and is rejected', async () => {
    const ticketId = await newTicket();
    const waiting = [
      { source: 'calm', version: '2.0', state: 'waiting' },
      { source: 'steady', version: '1.0', state: 'waiting' },
    ] as const;
    const landing = { ticketId, parts: waiting, way: [['queued', 0]] } as const;
    const landingId = await addPastLanding(web.api.database.sequelize, landing, Date.now());
    const { page, go, close, faults } = await web.open({ width });
    await go(`/ticket/${ticketId}`);
    await page.locator('.live-live').waitFor();
    const shown = page.locator('.landing');
    const record = (phase: LandingReport['phase'], more: Partial<LandingReport> = {}) =>
      web.api.database.LandingEvent.record({ landingId, attempt: 1, key: phase, phase, ...more });
    const parts = (state: LandingPart['state']): LandingPart[] =>
      waiting.map((part, level) => ({ ...part, state, level, subticket_id: 0, build_id: level }));
    await notePlaces(page);

    await record('building', { parts: parts('building') });
    await page.locator('.level', { hasText: 'steady' }).getByText('Building').waitFor();
    await record('testing', { parts: parts('built') });
    await shown.getByText('They are tested in the image.').waitFor();
    await record('approving');
    await page.getByRole('button', { name: 'Approve the landing' }).waitFor();
    await page.locator('.stop-here', { hasText: 'Approval' }).waitFor();
    const failure = landingFailureOf('not_approved', 'approving', 'ann rejected it: not now');
    await record('failed', { failure });
    await page.getByRole('button', { name: 'Retry the landing' }).waitFor();
    expect(await movedFrom(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  it('on the page of a build that is started, cancelled and fails, nor where that is listed', async () => {
    const ticket = await newTicket();
    const build = await newBuild(ticket);
    const { page, go, close, faults } = await web.open({ width });
    await go(`/build/${build}`);
    await page.locator('.live-live').waitFor();
    const record = recorderOf(build);
    await notePlaces(page);

    await record('STARTED');
    await record('INPROGRESS', BUILDING);
    await page.locator('.architecture').nth(3).waitFor();
    await web.api.call('POST', `/api/v1/build/${build}/cancel/`);
    await page.locator('.facts', { hasText: 'by anonymous' }).waitFor();
    await record('INPROGRESS', BUILT);
    await page.locator('.architecture', { hasText: 'Built' }).nth(3).waitFor();
    await record('FAILURE', FAILED);
    await page.getByRole('button', { name: 'Why it failed' }).waitFor();
    expect(await movedFrom(page)).toEqual([]);

    for (const path of ['/', '/history']) {
      await go(path);
      await page.locator('.live-live').waitFor();
      await notePlaces(page);
      const another = await newBuild(ticket);
      await recorderOf(another)('FAILURE', FAILED);
      const news = page.locator('.button-news').first();
      await news.waitFor();
      expect([path, await movedFrom(page)]).toEqual([path, []]);
      // What came first may be that the build is there, and then that it has failed: each has its button.
      const shown = page.locator(`main a[href="/build/${another}"]`).first();
      await until('the new build is shown', async () => {
        await news.evaluateAll(([button]: { click?: () => void }[]) => button?.click?.());
        return shown.isVisible();
      });
    }
    expect(faults).toEqual([]);
    await close();
  });
});

function recorderOf(buildId: number) {
  let key = 0;
  return (message: ProgressReport['message'], more: Partial<ProgressReport> = {}) =>
    web.api.database.ProgressEvent.record({ buildId, key: `${key++}`, message, ...more });
}
