import { failureOf } from '../../domain/builds/failure.ts';
import { AirlineError } from '../../domain/errors.ts';
import { landingFailureOf } from '../../domain/landings/landing-failure.ts';
import { DEFAULT_LANDING_POLICY } from '../../domain/landings/landing-policy.ts';
import { keepFailedMerge, keepMergedSource } from '../../models/tickets/merged-source.ts';
import { COMMITS, report, TESTS } from '../support/rows.ts';
import { createWorld } from '../support/world.ts';
import { findBarriers, seeInHistory, serveWeb, settled, type Web } from './browse.ts';
import { tellPool } from './landing-story.ts';
import { addPastLanding, addPastRuns } from './seed-landing.ts';
import { addPastTicket } from './seed.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

const DAY_MS = 86_400_000;

/** Notes what a page has a screen reader say. */
const NOTE_SAID = `
  window.said = [];
  new MutationObserver(() => {
    for (const { textContent } of document.querySelectorAll('[aria-live]')) window.said.push(textContent);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });`;

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 60 });
});
afterAll(() => web.close());

/** Opens the dialog that closes a ticket, and waits until it knows how the ticket is. */
async function openToClose(id: number) {
  const { page, go, close } = await web.open();
  await go(`/ticket/${id}`);
  const revisionIsKnown = page.waitForResponse(
    (answer) => new URL(answer.url()).pathname === `/api/v1/ticket/${id}/`,
  );
  await page.getByRole('button', { name: 'Close' }).click();
  await revisionIsKnown;
  return { page, close };
}

describe('an operator', () => {
  it('finds from the status in three clicks why a build waits', async () => {
    const { page, go, close } = await web.open();
    await go('/');
    await page.getByRole('link', { name: 'Status' }).click();
    const waiting = page.locator('.waiting');
    await waiting.getByText('panel on arm64 waits for libpixel-dev (>= 1.5)').waitFor();
    await waiting.getByRole('link', { name: `Build ${web.story.build.dependencyWait}` }).click();
    await page.getByText('panel on arm64: Neither the series nor the PPA has it.').waitFor();
    await close();
  });

  it('cancels a build once asked whether it is meant', async () => {
    const { page, go, close } = await web.open();
    const { troubled } = web.story.build;
    await go(`/build/${troubled}`);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog', { name: `Cancel build ${troubled}?` }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Keep building' }).click();
    expect(
      (await web.api.call('GET', `/api/v1/build/${troubled}/`)).json.cancel_requested_at,
    ).toBeNull();
    await page.locator('button:focus', { hasText: 'Cancel' }).waitFor();

    await page.keyboard.press('Enter');
    const contentType = 'application/problem+json';
    const refusal = { status: 409, contentType, body: '{"detail":"Not now."}' };
    await page.route(/\/cancel\/$/, (route) => route.fulfill(refusal), { times: 1 });
    await page.getByRole('button', { name: 'Cancel the build' }).click();
    await page.getByText('Not now.').waitFor();
    // The button that had the focus could not be pressed meanwhile.
    await page.locator('dialog :focus').waitFor();
    await page.getByRole('button', { name: 'Cancel the build' }).click();
    await page.locator('.verdict', { hasText: 'Cancelling' }).waitFor();
    expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
    // The button that had the focus is gone.
    await page.locator('h1:focus').waitFor();
    await close();
  });

  it('retries a build that failed', async () => {
    const { page, go, close } = await web.open();
    await go(`/build/${web.story.build.failed}`);
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('1 architecture that failed is built again').waitFor();
    await page.getByRole('button', { name: 'Start attempt 2' }).click();
    await page.locator('.verdict', { hasText: 'Queued' }).waitFor();
    await page
      .getByRole('navigation', { name: 'Attempts' })
      .getByRole('link', { name: 'Attempt 1 Failed' })
      .waitFor();
    await close();
  });

  it('sets the step of a ticket, and is told when somebody was faster', async () => {
    const { page, go, close } = await web.open();
    const { landing } = web.story.ticket;
    await go(`/ticket/${landing}`);
    const revisionIsKnown = page.waitForResponse(
      (answer) => new URL(answer.url()).pathname === `/api/v1/ticket/${landing}/`,
    );
    await page.getByRole('button', { name: 'Set step' }).click();
    await page.getByRole('dialog').getByRole('combobox').selectOption('300');
    await page.getByLabel('Why').fill('the packages are built');
    await revisionIsKnown;
    await web.api.call('PATCH', `/api/v1/ticket/${landing}/`, { title: 'Somebody was faster' });
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Set step' }).click();
    await dialog.getByText('Somebody has changed the ticket since this was opened').waitFor();
    await web.api.call('PATCH', `/api/v1/ticket/${landing}/`, { current_workflow_step: 400 });
    await dialog.getByRole('button', { name: 'Set it anyway' }).click();
    await dialog
      .getByText('anonymous has moved it from Package Building to Image Testing, just now.')
      .waitFor();
    expect(await dialog.textContent()).not.toContain('ETag');
    // What was typed is still there.
    expect(await page.getByLabel('Why').inputValue()).toBe('the packages are built');
    await dialog.getByRole('button', { name: 'Set it anyway' }).click();
    await page.locator('.stop-here', { hasText: 'Image Building' }).waitFor();
    await seeInHistory(page, 'the packages are built');
    await close();
  });

  it('closes no ticket that somebody has closed meanwhile before it is told', async () => {
    const world = createWorld({ now: web.api });
    const { id } = await world.ticket({ title: 'Closed by two' });
    const { page, close } = await openToClose(id);
    const failed = { current_workflow_step: 999, status: 999, reason: 'the lander says it failed' };
    await world.patch(`ticket/${id}/`, failed);
    const dialog = page.getByRole('dialog', { name: `Close ticket ${id}?` });
    await dialog.getByLabel('As').selectOption('Complete');
    await dialog.getByLabel('Why').fill('all is well');
    await dialog.getByRole('button', { name: 'Close it' }).click();
    await dialog.getByText('anonymous has moved it from Queued to Failed, just now.').waitFor();
    expect((await world.get(`ticket/${id}/`)).json).toMatchObject({ status: '999' });

    await dialog.getByRole('button', { name: 'Close it anyway' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await world.get(`ticket/${id}/`)).json).toMatchObject({ status: '1000' });
    await close();
  });

  it('is told of a proxy that makes ETags weak, and not that somebody was faster', async () => {
    const { id } = await createWorld({ now: web.api }).ticket({ title: 'Behind a proxy' });
    const { page, go, close } = await web.open();
    await page.route(new RegExp(`/api/v1/ticket/${id}/$`), async (route) => {
      const answer = await route.fetch();
      const { etag, ...headers } = answer.headers();
      await route.fulfill({
        response: answer,
        headers: { ...headers, ...(etag === undefined ? {} : { etag: `W/${etag}` }) },
      });
    });
    await go(`/ticket/${id}`);
    await page.getByRole('button', { name: 'Close' }).click();
    const dialog = page.getByRole('dialog', { name: `Close ticket ${id}?` });
    await dialog.getByLabel('As').selectOption('Complete');
    await dialog.getByLabel('Why').fill('all is well');
    await dialog.getByRole('button', { name: 'Close it' }).click();
    await dialog.getByText('A proxy has made its ETag weak').waitFor();
    await close();
  });

  it('closes no ticket that somebody has closed meanwhile while it cannot say who', async () => {
    const world = createWorld({ now: web.api });
    const { id } = await world.ticket({ title: 'Closed by two, unsaid by whom' });
    const { page, close } = await openToClose(id);
    await world.patch(`ticket/${id}/`, { current_workflow_step: 999, status: 999 });
    const whoDidIt = new RegExp(`/api/v1/ticket/${id}/history/$`);
    const body = JSON.stringify({ code: 'internal', detail: 'It is broken.', hint: 'Later.' });
    await page.route(whoDidIt, (route) =>
      route.fulfill({ status: 503, contentType: 'application/problem+json', body }),
    );
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('As').selectOption('Complete');
    await dialog.getByLabel('Why').fill('all is well');
    const closeIt = dialog.getByRole('button', { name: /^Close it/ });
    await closeIt.click();
    await dialog.getByRole('alert').getByText('It is broken.').waitFor();
    expect(await closeIt.textContent()).toBe('Close it');

    await page.unroute(whoDidIt);
    await closeIt.click();
    await dialog.getByText('anonymous has moved it from Queued to Failed, just now.').waitFor();
    expect((await world.get(`ticket/${id}/`)).json).toMatchObject({ status: '999' });
    await close();
  });

  it('sets no step while it is not known what the ticket is by now', async () => {
    const world = createWorld({ now: web.api });
    const { id } = await world.ticket({ title: 'Its revision does not come' });
    const { page, go, close } = await web.open();
    await go(`/ticket/${id}`);
    const ofTicket = new RegExp(`/api/v1/ticket/${id}/$`);
    const body = JSON.stringify({ code: 'internal', detail: 'It is broken.', hint: 'Later.' });
    await page.route(ofTicket, (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({ status: 503, contentType: 'application/problem+json', body })
        : route.continue(),
    );
    await page.getByRole('button', { name: 'Set step' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox').selectOption('300');
    await world.patch(`ticket/${id}/`, { current_workflow_step: 400 });
    await dialog.getByRole('button', { name: 'Set step' }).click();
    await dialog.getByRole('alert').getByText('It is broken.').waitFor();

    await page.unroute(ofTicket);
    await dialog.getByRole('button', { name: 'Set step' }).click();
    await dialog.getByText('anonymous has moved it from Queued to Image Testing').waitFor();
    expect((await world.get(`ticket/${id}/`)).json).toMatchObject({ current_workflow_step: '400' });
    await close();
  });

  it('sees that a ticket has failed, and at which step, where its status alone says so', async () => {
    const world = createWorld({ now: web.api });
    const ticket = await world.ticketOf('hygrometer');
    const [{ id: subticket }] = ticket.subtickets;
    const failed = { current_workflow_step: '400', status: '999', reason: 'a test failed' };
    await world.patch(`subticket/${subticket}/`, failed);
    await world.patch(`ticket/${ticket.id}/`, failed);
    const { page, go, close } = await web.open();
    await go(`/ticket/${ticket.id}`);
    await page.locator('.byline .state', { hasText: 'Failed' }).waitFor();
    expect(await page.title()).toMatch(/^✗ /);
    expect(await page.locator('.matrix tbody .state').first().textContent()).toBe('Failed');
    expect(await page.locator('.stop-failed').textContent()).toContain('Image Testing');
    expect(await page.locator('.stop-here').count()).toBe(0);
    const changes = page.locator('.history li', { hasText: 'a test failed' });
    await changes.locator('.state', { hasText: 'Image Testing, failed' }).first().waitFor();
    expect(await changes.locator('.state', { hasText: 'Image Testing, failed' }).count()).toBe(2);
    await go(`/history?ticket=${ticket.id}`);
    const moves = page.locator('.history-list tr', { hasText: 'status 100 to 999' });
    await moves.locator('.state-bad', { hasText: 'Image Testing, failed' }).first().waitFor();

    const row = page.locator('.tickets tbody tr', {
      has: page.locator(`[href="/ticket/${ticket.id}"]`),
    });
    await go('/tickets?show=999');
    await row.locator('.cell-step .state', { hasText: 'Failed' }).waitFor();
    await row.locator('.track-failed').waitFor();
    await go('/tickets?show=400');
    await settled(page);
    expect(await row.count()).toBe(0);
    await close();
  });

  it('closes a ticket whose status was failed, and it is complete', async () => {
    const world = createWorld({ now: web.api });
    const { id } = await world.ticket({ title: 'Failed by its status' });
    await world.patch(`ticket/${id}/`, { status: 999 });
    const { page, go, close } = await web.open();
    await go(`/ticket/${id}`);
    await page.getByRole('button', { name: 'Close' }).click();
    const dialog = page.getByRole('dialog', { name: `Close ticket ${id}?` });
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByLabel('As').selectOption('Complete');
    // As much as the history keeps can be typed, and no more.
    await dialog.getByLabel('Why').fill('x'.repeat(1_500));
    await dialog.getByRole('button', { name: 'Close it' }).click();
    await page.locator('.byline', { hasText: 'Complete' }).waitFor();
    expect((await world.get(`ticket/${id}/`)).json).toMatchObject({
      current_workflow_step: '1000',
      status: '1000',
    });
    const { objects } = (await world.get(`ticket/${id}/history/`)).json;
    expect(objects.at(-1)).toMatchObject({ to_status: '1000', reason: 'x'.repeat(1_000) });
    await close();
  });

  it('sees in the history of a ticket what moved its packages, by their names', async () => {
    const world = createWorld({ now: web.api });
    const ticket = await world.ticketOf('sundial', 'hourglass');
    const [sundial] = ticket.subtickets;
    await world.patch(`subticket/${sundial.id}/`, {
      current_workflow_step: 200,
      status: 200,
      reason: 'its build has begun',
    });
    const { page, go, close } = await web.open();
    await go(`/ticket/${ticket.id}`);
    const moves = page.locator('.history li');
    const move = moves.filter({ hasText: 'its build has begun' });
    expect(await move.locator('.history-what').textContent()).toMatch(
      /^sundial Queued.*Package Building/,
    );
    // The ticket itself is where its slowest package is.
    expect(await page.locator('.stop-here').textContent()).toContain('Queued');

    await world.patch(`subticket/${sundial.id}/`, { current_workflow_step: 300, status: 300 });
    await page.getByRole('status').filter({ hasText: '1 new in History' }).waitFor();
    await page.getByRole('button', { name: '1 new: show in History' }).press('Enter');
    await page.locator('h2:focus', { hasText: 'History' }).waitFor();
    await moves.filter({ hasText: 'Image Building' }).getByText('sundial').waitFor();
    await close();
  });

  it('sees the newest move of a ticket that was moved more often than a page of the API has', async () => {
    const nowMs = Date.now();
    const way = Array.from({ length: 1_002 }, (_, index) => ({
      to: index % 2 === 0 ? 200 : 100,
      minutesAgo: 1_100 - index,
      by: 'lander',
      why: index === 1_001 ? 'the last of many' : '',
    }));
    const ticket = { owner: 'ann@example.com', title: 'To and fro', madeMinutesAgo: 1_200, way };
    const id = await addPastTicket(web.api.database.sequelize, ticket, nowMs);
    const { page, go, close } = await web.open();
    await go(`/ticket/${id}`);
    await page.locator('.history li', { hasText: 'the last of many' }).waitFor();
    expect(await page.locator('.history li').count()).toBe(1_002);
    await close();
  });

  it('is told of a long history how much is left out, and where all of it is', async () => {
    const world = createWorld({ now: web.api });
    const { id } = await world.ticket();
    for (const step of [200, 300, 400, 300, 200, 400, 300])
      await world.patch(`ticket/${id}/`, { current_workflow_step: step, reason: `to ${step}` });
    const { page, go, close } = await web.open();
    // The page reads five pages, whatever their length.
    await page.route(/\/history\/\?/, (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set('limit', '1');
      return route.continue({ url: url.href });
    });
    await go(`/ticket/${id}`);
    const moves = page.locator('.history li');
    await moves.first().waitFor();
    const reasons = await moves.locator('.history-why').allTextContents();
    expect(reasons).toEqual(['“to 300”', '“to 400”', '“to 200”', '“to 300”', '“to 400”']);
    await page.getByText('2 older changes are not shown here.').waitFor();
    // What it does not know is not called skipped.
    expect(await page.locator('.stop', { hasText: 'Queued' }).textContent()).toContain('not known');
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Changes before these' }).click();
    await page
      .getByRole('row', { name: /to 200/ })
      .first()
      .waitFor();
    expect(await page.getByRole('main').locator('tbody tr').count()).toBe(2);
    await close();
  });

  it('sees of a merge proposal what is merged, its build, and which files are in the way', async () => {
    const world = createWorld({ now: web.api });
    const ticket = await world.ticket();
    const subticket = await world.create('subticket/', {
      ticket: ticket.resource_uri,
      merge_proposal: (
        await world.mergeProposal({
          status: 'work_in_progress',
          source_repository: 'http://127.0.0.1:9000/ben/hello.git',
          hosting_weblink: 'https://git.example/hello/merges/5',
        })
      ).resource_uri,
    });
    const { page, go, close } = await web.open({ width: 390 });
    await go(`/ticket/${ticket.id}`);
    const row = page.locator('.matrix tbody tr', { hasText: 'branch fix' });
    const link = row.getByRole('link', { name: 'merge fix of' });
    expect(await link.getAttribute('href')).toBe('https://git.example/hello/merges/5');
    expect(await link.textContent()).toContain(
      'merge fix of http://127.0.0.1:9000/ben/hello.git into main of http://127.0.0.1:9000/hello.git',
    );
    expect(await row.textContent()).toContain('work in progress');
    await row.getByText(`airline subticket build ${subticket.id} --ppa`).waitFor();
    expect(await row.getByRole('link', { name: /^Build/ }).count()).toBe(0);

    const made = await world.post(`subticket/${subticket.id}/build_proposal/`, {
      series: 'noble',
      ppa: 'ppa:airline/demo',
      progress_trigger: 'lander-1',
    });
    const build = { id: made.json.id as number };
    const shown = row.locator('.proposal p', { hasText: `Build ${build.id}` });
    await shown.getByText('Queued').waitFor();
    await row.getByText('needs review').waitFor();

    const { database } = web.api;
    const message = 'fix of http://127.0.0.1:9000/ben/hello.git conflicts in src/hello.c, po/de.po';
    await keepFailedMerge(database, build.id, new AirlineError('merge_conflict', message));
    await report(database, build, 'FAILURE', { failure: failureOf('merge_failed', message) });
    await row.getByText(message).waitFor();
    await shown.getByText('Failed').waitFor();
    await page.locator('.note-bad', { hasText: message }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await shown.getByRole('link').click();
    await page.locator('.verdict', { hasText: message }).waitFor();
    await close();
  });

  it('sees of which commits a proposal was built, and which to merge from its publication until it is', async () => {
    const world = createWorld({ now: web.api });
    const ticket = await world.ticket();
    const proposal = await world.mergeProposal();
    const subticket = await world.subticket(ticket, {
      source_package_upload: null,
      merge_proposal: proposal.resource_uri,
    });
    const made = await world.post(`subticket/${subticket.id}/build_proposal/`, {
      series: 'noble',
      ppa: 'ppa:airline/demo',
      progress_trigger: 'lander-1',
    });
    const build = { id: made.json.id as number };
    const { database } = web.api;
    const name = 'hello_1.1_source.changes';
    await keepMergedSource(database, {
      buildId: build.id,
      source: 'hello',
      version: '1.1',
      files: [{ name, url: `http://127.0.0.1:9000/${name}` }],
      commits: COMMITS,
    });
    const merged =
      '123456789012 of fix into abcdef0987ab of main of http://127.0.0.1:9000/hello.git';
    const { page, go, close } = await web.open({ width: 390 });
    await go(`/build/${build.id}`);
    await page.getByText(merged, { exact: true }).waitFor();
    await go(`/ticket/${ticket.id}`);
    const shown = page.locator('.proposal');
    await shown.getByText(`Its source is made of ${merged}.`).waitFor();
    expect(await shown.textContent()).not.toContain('It is published.');

    await report(database, build, 'COMPLETE');
    await database.Subticket.updateOne(
      subticket.id,
      { currentWorkflowStep: 1000, status: 1000 },
      { ...TESTS, isLanding: true },
    );
    await shown
      .getByText(
        'merge 123456789012 of fix into main of http://127.0.0.1:9000/hello.git now, and have',
      )
      .waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);

    await world.patch(`mergeproposal/${proposal.id}/`, { status: 'merged' });
    await shown.getByText('It is published.').waitFor({ state: 'detached' });
    await shown.getByText(/, merged$/).waitFor();
    await close();
  });

  it('requests a build of what the ticket has, and comes to its page', async () => {
    const { page, go, close } = await web.open();
    await go(`/ticket/${web.story.ticket.landing}`);
    await page.getByRole('button', { name: 'Request a build' }).click();
    expect(await page.getByLabel('PPA').inputValue()).toBe('ppa:airline/landing');
    expect(await findBarriers(page)).toEqual([]);
    await page.getByLabel('Series').fill('');
    await page.getByLabel('Series').fill('plucky');
    await page.getByRole('button', { name: 'Request the build' }).click();
    await page.waitForURL(/\/build\/\d+$/);
    await page.locator('.verdict', { hasText: 'Queued' }).waitFor();
    expect(await page.textContent('.facts')).toContain('plucky');
    await close();
  });
});

/** Adds a ticket with a package, and a landing of it that waits for approval. @returns the ids of both */
async function addApproving(source: string, title: string) {
  const { sequelize } = web.api.database;
  const nowMs = Date.now();
  const version = '1.0';
  const packages = [{ name: source, version }];
  const ticket = { owner: 'ann@example.com', title, madeMinutesAgo: 60, packages };
  const ticketId = await addPastTicket(sequelize, ticket, nowMs);
  const parts = [{ source, version, state: 'built' }] as const;
  const way = [
    ['testing', 40],
    ['approving', 20],
  ] as const;
  return { ticketId, id: await addPastLanding(sequelize, { ticketId, parts, way }, nowMs) };
}

describe('a landing', () => {
  it('is approved with a reason, by a person who may do that', async () => {
    const { page, go, close } = await web.open({ width: 390 });
    await go('/landings');
    const waiting = page.getByRole('region', { name: 'Waiting for a person' });
    await waiting.getByRole('link', { name: 'libgreet 4.2-1' }).click();
    const line = page.getByRole('button', { name: 'Approve the landing' });
    await line.click();
    await page.getByRole('dialog', { name: 'Approve landing' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByLabel('Why').fill('tried by hand on noble');
    await page.getByRole('button', { name: 'Approve and publish' }).click();
    const verdict = page.locator('.verdict', { hasText: 'tried by hand on noble' });
    await verdict.getByText('has decided. It goes on').waitFor();
    expect(await line.count()).toBe(0);
    await close();
  });

  it('is decided as it was seen: of what was tested anew meanwhile that is said first', async () => {
    const { Landing } = web.api.database;
    const { ticketId, id } = await addApproving('moved', 'Tested anew');
    const now = () => Landing.findByPk(id, { rejectOnEmpty: true });
    const { page, go, close } = await web.open();
    await go(`/ticket/${ticketId}`);
    await page.locator('.live-live').waitFor();
    await page.getByRole('button', { name: 'Approve the landing' }).click();
    const dialog = page.getByRole('dialog', { name: 'Approve landing' });
    await dialog.getByLabel('Why').fill('the tests of attempt 1 pass');

    await (await now()).update({ attempt: 2, phaseSince: new Date() });
    await page.locator('.landing').getByText(`Landing ${id}, attempt 2`).waitFor();
    await dialog.getByRole('button', { name: 'Approve and publish' }).click();
    await dialog.getByText('it was made and tested anew').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect((await now()).decision).toBeNull();

    await dialog.getByRole('button', { name: 'Approve it anyway' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await now()).decision).toMatchObject({ comment: 'the tests of attempt 1 pass' });
    await close();
  });

  it('is rejected or cancelled knowing that what an earlier attempt has published stays', async () => {
    const { Landing } = web.api.database;
    const { ticketId, id } = await addApproving('outalready', 'Tried again');
    const { page, go, close } = await web.open();
    await go(`/ticket/${ticketId}`);
    await page.locator('.live-live').waitFor();
    await page.getByRole('button', { name: 'Reject the landing' }).click();
    const reject = page.getByRole('dialog', { name: 'Reject landing' });
    await reject.getByText('The landing fails, and nothing is published.').waitFor();

    await Landing.update({ attempt: 2 }, { where: { id } });
    const stays =
      'nothing more is published; what an earlier attempt has published stays published.';
    await reject.getByText(`The landing fails, and ${stays}`).waitFor();
    await reject.getByRole('button', { name: 'Not now' }).click();
    await page.getByRole('button', { name: 'Cancel the landing' }).click();
    const cancel = page.getByRole('dialog', { name: 'Cancel landing' });
    await cancel.getByText(`Its builds and tests are stopped, and ${stays}`).waitFor();
    await close();
  });

  it('shows its tests with their verdicts, and the log of each', async () => {
    const { page, go, close } = await web.open();
    await go(`/ticket/${web.story.landed.approving}`);
    const tests = page.getByRole('table', { name: 'The tests of each package' });
    await tests.getByRole('row', { name: 'weather' }).getByText('Running').waitFor();
    await tests.getByRole('link', { name: 'hello on amd64: Regression 1 of 2, its log' }).click();
    await page.locator('.log-lines', { hasText: 'expected "world", got "wrold"' }).waitFor();
    const excuses = page.getByRole('list', { name: 'Tests that do not pass' });
    await excuses.getByText('It fails without the landing, too.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await close();
  });

  it.each([
    ['that take several pages', 3, 0],
    ['of which the latest alone can be read, and says how many came before', 1, 3],
  ])('shows its tests %s', async (_, runsOfPage, leftOut) => {
    const { page, go, close } = await web.open();
    await page.route(/\/testrun\/\?/, (route) =>
      route.continue({
        url: route
          .request()
          .url()
          .replace(/limit=\d+/, `limit=${runsOfPage}`),
      }),
    );
    await go(`/ticket/${web.story.landed.approving}`);
    const tests = page.getByRole('region', { name: 'Tests', exact: true });
    await tests.getByRole('link', { name: 'weather' }).waitFor();
    const changed = tests.getByRole('link', { name: 'libgreet' });
    if (leftOut === 0) await changed.waitFor();
    else await tests.getByText(`${leftOut} earlier runs are not shown here.`).waitFor();
    expect(await changed.count()).toBe(leftOut === 0 ? 1 : 0);
    expect(await tests.getByText('not shown here').count()).toBe(leftOut === 0 ? 0 : 1);
    await close();
  });

  it('says that its workflow fails and why, and no more once that runs', async () => {
    const { Landing } = web.api.database;
    const landing = await Landing.findOne({
      where: { ticketId: web.story.landed.approving },
      rejectOnEmpty: true,
    });
    const { page, go, close } = await web.open();
    await go(`/ticket/${landing.ticketId}`);
    await page.locator('.live-live').waitFor();
    const word = page.locator('.landing .verdict-word');
    await word.waitFor();
    const fails = word.getByText('Its workflow fails');
    expect(await fails.count()).toBe(0);
    await landing.markHeard({ tries: 4, message: 'Nondeterminism error' });
    await fails.waitFor();
    expect(await word.textContent()).toContain('4 tries in');
    expect(await page.locator('.landing').textContent()).toContain(
      'Nondeterminism error. It is tried again by itself.',
    );
    await landing.markHeard(null);
    await fails.waitFor({ state: 'detached' });
    await close();
  });

  it('begins without tests when somebody tries it again, and keeps what its reader is writing', async () => {
    const { database } = web.api;
    const nowMs = Date.now();
    const ticketId = await addPastTicket(
      database.sequelize,
      {
        owner: 'ann@example.com',
        title: 'Tested twice',
        madeMinutesAgo: 60,
        packages: [{ name: 'twice', version: '1.0' }],
      },
      nowMs,
    );
    const landingId = await addPastLanding(
      database.sequelize,
      {
        ticketId,
        parts: [{ source: 'twice', version: '1.0', state: 'built' }],
        way: [
          ['testing', 40],
          ['failed', 20],
        ],
        failure: { class: 'not_approved', message: 'ann rejected it: not now' },
      },
      nowMs,
    );
    const run = { source: 'twice', version: '1.0', architecture: 'amd64' } as const;
    const verdicts = [{ test: 'smoke', verdict: 'regression', why: 'It fails.' }] as const;
    const failed = { ...run, state: 'finished', verdicts } as const;
    await addPastRuns(database.sequelize, landingId, [failed], nowMs);
    const { page, go, close } = await web.open();
    await go(`/ticket/${ticketId}`);
    await page.locator('.live-live').waitFor();
    await page.locator('.tests').getByRole('link', { name: 'twice' }).waitFor();
    await page.getByRole('button', { name: 'Does not count' }).click();
    const why = page.getByRole('dialog').getByLabel('Why');
    await why.fill('the test is wrong');

    const again = { policy: DEFAULT_LANDING_POLICY, requestedBy: 'ben', requestId: 'again' };
    await database.sequelize.transaction((transaction) =>
      database.Landing.retry(landingId, again, transaction),
    );
    await page.locator('.landing').getByText(`Landing ${landingId}, attempt 2`).waitFor();
    await page.getByText('No test is planned yet.').waitFor();
    expect(await page.locator('.tests').count()).toBe(0);
    // The gate is read by itself.
    const excuses = page.getByRole('list', { name: 'Tests that do not pass' });
    await excuses.waitFor({ state: 'detached' });
    expect(await why.inputValue()).toBe('the test is wrong');
    await close();
  });

  it('has a test that stops it overridden, with a reason and until a day', async () => {
    const { page, go, close } = await web.open({ width: 390 });
    await go(`/ticket/${web.story.landed.approving}`);
    const excuses = page.getByRole('list', { name: 'Tests that do not pass' });
    // What fails without the landing, too, stops nothing.
    const override = excuses.getByRole('button');
    expect(await override.allTextContents()).toEqual([
      'Does not count: hello: upstream-tests on amd64',
    ]);
    await override.click();
    const dialog = page.getByRole('dialog', { name: 'hello: upstream-tests on amd64' });
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByLabel('Why').fill('the test is wrong');
    const until = dayAfterTomorrow();
    await dialog.getByLabel('Until').fill(until);
    await dialog.getByRole('button', { name: 'It does not count' }).click();
    await excuses.getByText('“the test is wrong”').waitFor();
    expect(await override.count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    const { json } = await web.api.call('GET', '/api/v1/testoverride/');
    expect(json.objects).toMatchObject([
      {
        source: 'hello',
        test: 'upstream-tests',
        architecture: 'amd64',
        valid_until: `${until}T23:59:59.000Z`,
      },
    ]);
    await close();
  });

  it('says for whom and how long it waits, and leads there', async () => {
    const { page, go, close } = await web.open();
    await go(`/ticket/${web.story.landed.queued}`);
    const before = page.getByRole('list', { name: 'Landings that come first' });
    await before.getByText('greet-tools 1.8-2ubuntu1').waitFor();
    await page
      .getByText(/Usually it begins at .* complete at .*, by the last 9 landings/)
      .waitFor();
    await web.api.database.Landing.update(
      { estimate: { start_at: null, complete_at: null, based_on: 1, reason: 'It is paused.' } },
      { where: { ticketId: web.story.landed.queued } },
    );
    await page.getByText('Nobody knows how long that takes. It is paused.').waitFor();
    await before.getByRole('link').click();
    await page.locator('h1', { hasText: 'Greeting stack 4.2 for noble' }).waitFor();
    await close();
  });

  it('that the address names is shown, however many came after it, but none of another ticket', async () => {
    const { sequelize } = web.api.database;
    const ticketId = await addPastTicket(
      sequelize,
      {
        owner: 'ann@example.com',
        title: 'Landed again and again',
        madeMinutesAgo: 400,
        packages: [{ name: 'hello', version: '2.14-1', step: 200, source: '' }],
      },
      Date.now(),
    );
    const landings: number[] = [];
    for (let at = 0; at < 22; at++)
      landings.push(
        await addPastLanding(
          sequelize,
          {
            ticketId,
            parts: [{ source: 'hello', version: '2.14-1', state: 'not_built' }],
            way: [
              ['queued', 300 - 10 * at],
              ['cancelled', 295 - 10 * at],
            ],
          },
          Date.now(),
        ),
      );
    const { page, go, close } = await web.open();
    const [first = 0] = landings;
    await go(`/ticket/${ticketId}?landing=${first}`);
    const verdict = page.locator('.landing');
    await verdict.getByText(`Landing ${first}`).first().waitFor();

    const { json } = await web.api.call(
      'GET',
      `/api/v1/landing/?ticket_id=${web.story.landed.failed}`,
    );
    const strange = json.objects[0].id as number;
    await go(`/ticket/${ticketId}?landing=${strange}`);
    await page.getByText(`This ticket has no landing ${strange}.`).waitFor();
    expect(await verdict.count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Show the ticket without it' }).click();
    await verdict
      .getByText(`Landing ${landings.at(-1)}`)
      .first()
      .waitFor();
    await close();
  });

  it('that was tried again last is shown, though another was requested after it first', async () => {
    const { sequelize } = web.api.database;
    const ticketId = await addPastTicket(
      sequelize,
      {
        owner: 'ann@example.com',
        title: 'Landed twice, and the first tried again',
        madeMinutesAgo: 400,
        packages: [{ name: 'hello', version: '2.15-1', step: 200, source: '' }],
      },
      Date.now(),
    );
    const land = (minutesAgo: number) =>
      addPastLanding(
        sequelize,
        {
          ticketId,
          parts: [{ source: 'hello', version: '2.15-1', state: 'not_built' }],
          way: [
            ['queued', minutesAgo],
            ['cancelled', minutesAgo - 5],
          ],
        },
        Date.now(),
      );
    const [first, second] = [await land(30), await land(200)];
    const { page, go, close } = await web.open();
    await go(`/ticket/${ticketId}`);
    const verdict = page.locator('.landing');
    await verdict.getByRole('link', { name: `Landing ${second}: Cancelled` }).waitFor();
    await verdict.getByText(`Landing ${first}`, { exact: true }).waitFor();
    await close();
  });

  it('that was just requested is shown, though the address names an older one', async () => {
    const { page, go, close } = await web.open();
    const { failed } = web.story.landed;
    const { json } = await web.api.call('GET', `/api/v1/landing/?ticket_id=${failed}`);
    const ended = json.objects[0].id as number;
    await go(`/ticket/${failed}?landing=${ended}`);
    const verdict = page.locator('.landing');
    await verdict.getByText(`Landing ${ended}`).first().waitFor();
    await page.getByRole('button', { name: 'Land this ticket' }).click();
    const dialog = page.getByRole('dialog', { name: 'Land ticket' });
    await dialog.getByLabel('Target').fill('ppa:airline/landed-again');
    await dialog.getByLabel('PPA to build in').fill('ppa:airline/silo-9');
    await dialog.getByRole('button', { name: 'Land it' }).click();
    await verdict.getByText('Waiting in line').waitFor();
    await verdict.getByRole('link', { name: `Landing ${ended}: Failed` }).waitFor();
    await close();
  });

  it('shows the log of a test run that is open as soon as there is one', async () => {
    const { database } = web.api;
    const run = await database.TestRun.findOne({
      where: { source: 'weather', state: 'running' },
      rejectOnEmpty: true,
    });
    const landing = await database.Landing.findByPk(run.landingId ?? 0, { rejectOnEmpty: true });
    const { page, go, close } = await web.open();
    await go(`/ticket/${landing.ticketId}?landing=${landing.id}&run=${run.id}`);
    await page.getByText('It has no log yet.').waitFor();
    await page.locator('.live-live').waitFor();
    await run.update({ logUrl: 'https://store.example:8443/weather.log' });
    await page.locator('.log-section .log-frame').waitFor();
    await close();
  });

  it('is requested anew for the suite of the last one, and tells its queue', async () => {
    const { sequelize } = web.api.database;
    const ticketId = await addPastTicket(
      sequelize,
      {
        owner: 'ann@example.com',
        title: 'Failed on its way into the updates',
        madeMinutesAgo: 400,
        packages: [
          {
            name: 'hello',
            version: '2.16-1',
            step: 200,
            source: 'https://store.example:8443/hello_2.16-1_source.changes',
          },
        ],
      },
      Date.now(),
    );
    const ended = await addPastLanding(
      sequelize,
      {
        ticketId,
        parts: [{ source: 'hello', version: '2.16-1', state: 'not_built' }],
        way: [
          ['queued', 30],
          ['cancelled', 25],
        ],
        published: { series: 'plucky', pocket: 'Updates' },
        queue: 'lander',
      },
      Date.now(),
    );
    const { page, go, close } = await web.open({ width: 390 });
    await go(`/ticket/${ticketId}`);
    await page.getByRole('button', { name: 'Land this ticket' }).click();
    const dialog = page.getByRole('dialog', { name: 'Land ticket' });
    await dialog.getByLabel('PPA to build in').fill('ppa:airline/silo-16');
    expect(await findBarriers(page)).toEqual([]);

    // Until the new one has come, the one that was shown stays, and is not called new.
    await page.evaluate(NOTE_SAID);
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route(/\/api\/v1\/landing\/\?ticket_id=/, async (route) => {
      await answered;
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Land it' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))');
    const verdict = page.locator('.landing');
    expect(await verdict.getByText(`Landing ${ended}`, { exact: true }).count()).toBe(1);
    expect(await page.locator('.crumbs-news').count()).toBe(0);
    answer();
    await verdict.getByText('Waiting in line').waitFor();
    expect(await page.evaluate<string[]>('window.said')).not.toContain(
      `Landing ${ended} was requested`,
    );
    const { json } = await web.api.call(
      'GET',
      `/api/v1/landing/?ticket_id=${ticketId}&order_by=-id`,
    );
    expect(json.objects[0]).toMatchObject({
      phase: 'queued',
      target: 'ubuntu',
      series: 'noble',
      target_series: 'plucky',
      pocket: 'Updates',
      progress_trigger: 'lander',
    });
    await close();
  });

  it('is requested, tried again, paused, resumed and cancelled on the page of its ticket', async () => {
    const { page, go, close } = await web.open();
    const { database } = web.api;
    await go(`/ticket/${web.story.ticket.landing}`);
    await page.getByRole('button', { name: 'Land this ticket' }).click();
    const dialog = page.getByRole('dialog', { name: 'Land ticket' });
    await dialog.getByLabel('Target').fill('ppa:airline/landed');
    await dialog.getByText('tested and approved as the policy of the target asks').waitFor();
    expect(await dialog.getByLabel('Series to build for').inputValue()).not.toBe('');
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Land it' }).click();
    await dialog.getByRole('alert').getByText('no PPA is dedicated').waitFor();
    await dialog.getByLabel('PPA to build in').fill('ppa:airline/silo-2');
    await dialog.getByRole('button', { name: 'Land it' }).click();
    const verdict = page.locator('.landing');
    await verdict.getByText('Waiting in line').waitFor();
    expect(await page.getByRole('button', { name: 'Land this ticket' }).isDisabled()).toBe(true);

    const landing = await database.Landing.findOne({
      where: { ticketId: web.story.ticket.landing },
      rejectOnEmpty: true,
    });
    await database.LandingEvent.record({
      landingId: landing.id,
      attempt: 1,
      key: 'final',
      phase: 'failed',
      failure: landingFailureOf('queue_timed_out', 'queued', 'nobody before it ended'),
    });
    await verdict.getByText('Failed while it waited in line').waitFor();
    await page.locator('.stop-failed', { hasText: 'In line' }).waitFor();
    await page.getByRole('button', { name: 'Retry the landing' }).click();
    await page.getByRole('button', { name: 'Start attempt 2' }).click();
    await verdict.getByText(`Landing ${landing.id}, attempt 2`).waitFor();
    await page.getByRole('button', { name: 'Pause the landing' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause the landing' }).click();
    await verdict.getByText('Paused by anonymous since just now').waitFor();
    await verdict.getByText('nothing new begins until somebody resumes it').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Resume the landing' }).click();
    await page.getByRole('button', { name: 'Let it go on' }).click();
    await verdict.getByText('Waiting in line').waitFor();
    await page.getByRole('button', { name: 'Cancel the landing' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the landing' }).click();
    await verdict.getByText('Cancelling').waitFor();
    await close();
  });
});

describe('the pool of PPAs', () => {
  it('says who holds a PPA and why one is quarantined, and is changed by an admin', async () => {
    await tellPool(web.api.database.sequelize, Date.now());
    const { page, go, close } = await web.open({ width: 390 });
    await go('/landings');
    await page.locator('#content').getByRole('link', { name: 'Pool of PPAs' }).click();
    const row = (silo: number) => page.getByRole('row', { name: `silo-${silo}` });
    await row(1).getByRole('link', { name: 'Landing 1' }).waitFor();
    await row(4).getByText('no landing has uploaded it').waitFor();
    expect(await row(3).getByRole('button').count()).toBe(0);

    await row(4).getByRole('button', { name: 'Clean' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It is quarantined: figlet').waitFor();
    await dialog.getByRole('button', { name: 'Clean it' }).click();
    await row(4).getByText('Being cleaned').waitFor();

    await row(2).getByRole('button', { name: 'Retire' }).click();
    await dialog.getByLabel('Why').fill('the team has another');
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Retire it' }).click();
    await row(2).getByText('the team has another').waitFor();
    await row(5).getByRole('button', { name: 'Bring back' }).click();
    await dialog.getByRole('button', { name: 'Bring it back' }).click();
    await row(5).getByText('Being cleaned').waitFor();

    await page.getByRole('button', { name: 'Add a PPA' }).click();
    await dialog.getByLabel('PPA', { exact: true }).fill('ppa:airline/silo-6');
    await dialog.getByRole('button', { name: 'Add it' }).click();
    await row(6).getByText('Being cleaned').waitFor();
    await close();
  });
});

function dayAfterTomorrow(): string {
  return new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10);
}

describe('by the keyboard alone', () => {
  it('one goes through the rows, opens one, comes back, searches, and is helped', async () => {
    const { page, go, close } = await web.open();
    await go('/tickets');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('j');
    const title = (await page.locator('[data-row]').nth(1).textContent())?.replace(/^#\d+ /, '');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/ticket\/\d+$/);
    await settled(page);
    expect(await page.textContent('h1')).toBe(title);
    await page.locator('h1:focus').waitFor();
    expect(await page.title()).toContain(title ?? '?');

    // Keys that belong together do so for a second and a half.
    await Promise.all(['g', 't'].map((key) => page.keyboard.press(key)));
    await page.waitForURL(/\/tickets$/);
    await page.locator('[data-row]').first().waitFor();
    await page.keyboard.press('f');
    await page.locator('[data-search]:focus').waitFor();
    await page.keyboard.type('j');
    expect(await page.locator('[data-search]').inputValue()).toBe('j');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.locator('h1').focus();
    await Promise.all(['g', 's'].map((key) => page.keyboard.press(key)));
    await page.waitForURL(/\/status$/);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await close();
  });
});

describe('the colours', () => {
  it('are as the system has them, or as chosen, from the first paint on', async () => {
    const { page, go, close } = await web.open({ scheme: 'light' });
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    await go('/status');
    const light = await ground();
    await page.getByRole('button', { name: 'Colours' }).click();
    await page.getByRole('button', { name: 'Colours: light' }).click();
    expect(await ground()).not.toBe(light);
    await page.goto('/packages', { waitUntil: 'commit' });
    await page.locator('html[data-theme=dark]').waitFor();
    await close();
  });
});
