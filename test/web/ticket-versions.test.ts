import type { Page } from 'playwright-core';
import { openLandingBuild } from '../../models/landings/landing-build.ts';
import { failLanding, report } from '../support/rows.ts';
import { createWorld } from '../support/world.ts';
import { serveWeb, type Web } from './browse.ts';
import { addPastBuild, addPastTicket, type SeededBuild } from './seed.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 20 });
});
afterAll(() => web.close());

const sourceOf = (version: string) => `https://store.example:8443/hello_${version}_source.changes`;

/** A ticket whose hello 1.0 failed and was replaced by 1.1, of which nothing is built yet. */
async function replacedPackage(): Promise<number> {
  const ticket = await addPastTicket(
    web.api.database.sequelize,
    {
      owner: 'ann@example.com',
      title: 'hello once more',
      madeMinutesAgo: 60,
      packages: [{ name: 'hello', version: '1.0', step: 999, source: sourceOf('1.0') }],
    },
    Date.now(),
  );
  await build(ticket, {
    version: '1.0',
    moments: [[2, { amd64: 'Failed to build' }]],
    failure: { class: 'build_failed', message: 'hello 1.0 on amd64' },
  });
  const answer = await web.api.call('POST', '/api/v1/subticket/', {
    ticket: `/api/v1/ticket/${ticket}/`,
    source_package_upload: { sourcepackage: { name: 'hello' }, version: '1.1' },
  });
  expect(answer.status).toBe(201);
  const artifact = await web.api.call('POST', '/api/v1/subticketartifact/', {
    subticket: answer.json.resource_uri,
    name: 'hello_1.1_source.changes',
    reference: sourceOf('1.1'),
    type: 'SPU',
  });
  expect(artifact.status).toBe(201);
  return ticket;
}

function build(
  ticketId: number,
  more: Pick<SeededBuild, 'version' | 'moments' | 'failure'>,
): Promise<number> {
  return addPastBuild(
    web.api.database.sequelize,
    { ticketId, name: 'hello', requestedMinutesAgo: 30, endedAfter: 5, ...more },
    Date.now(),
  );
}

const stateOf = (page: Page, version: string) =>
  page
    .locator('.matrix tbody tr', { has: page.getByRole('cell', { name: version, exact: true }) })
    .locator('td')
    .nth(2)
    .innerText();

describe('a package that another version of it replaces', () => {
  it('is shown with what was built of each version', async () => {
    const ticket = await replacedPackage();
    const { page, go, close } = await web.open();
    await go(`/ticket/${ticket}`);
    expect(await stateOf(page, '1.0')).toBe('Failed');
    expect(await stateOf(page, '1.1')).toBe('–');
    const kinds = page.locator('.artifacts tbody td:nth-child(2)');
    expect(await kinds.allInnerTexts()).toEqual(['Source package upload', 'Source package upload']);

    await build(ticket, { version: '1.1', moments: [[3, { amd64: 'Successfully built' }]] });
    await page.reload();
    await page.locator('.matrix', { hasText: 'Built' }).waitFor();
    expect(await stateOf(page, '1.0')).toBe('Failed');
    expect(await stateOf(page, '1.1')).toBe('Built');
    expect(await page.locator('.matrix tbody tr').count()).toBe(2);
    await close();
  });

  it('is built of the new sources alone', async () => {
    const { page, go, close } = await web.open();
    await go(`/ticket/${await replacedPackage()}`);
    await page.getByRole('button', { name: 'Request a build' }).click();
    expect(await page.getByLabel('Source files').inputValue()).toBe(sourceOf('1.1'));
    await close();
  });
});

describe('a ticket whose packages name no sources', () => {
  it('is built of those of its last build', async () => {
    const ticket = await addPastTicket(
      web.api.database.sequelize,
      {
        owner: 'ann@example.com',
        title: 'hello without artifacts',
        madeMinutesAgo: 60,
        packages: [{ name: 'hello', version: '1.0' }],
      },
      Date.now(),
    );
    await build(ticket, { version: '1.0', moments: [[2, { amd64: 'Successfully built' }]] });
    const { page, go, close } = await web.open();
    await go(`/ticket/${ticket}`);
    await page.getByRole('button', { name: 'Request a build' }).click();
    expect(await page.getByLabel('Source files').inputValue()).toBe(sourceOf('1.0'));
    await close();
  });
});

describe('a ticket whose last build had an order, and told a webhook in place of a queue', () => {
  it('is built like that again, whatever a landing has built since and a person has retried', async () => {
    const world = createWorld({ now: web.api });
    const { database } = web.api;
    const { id } = await world.landable('kept-order');
    const webhook = await world.create('webhook/', { url: 'http://127.0.0.1:9000/told' });
    const last = {
      source_packages: ['http://127.0.0.1:9000/files/kept-order_1_source.changes'],
      series: 'bookworm',
      ppa: 'ppa:ann/hello',
      webhook_id: webhook.id,
      order: 'dependencies',
    };
    await world.post('build_source', { ticket_id: id, ...last });
    const place = { series: 'bookworm', target: 'ppa:airline/landed', archive: 'debian' };
    const landing = await world.post(`ticket/${id}/land/`, { ...place, ppa: 'ppa:airline/silo' });
    const landingId = landing.json.id as number;
    const ofLanding = await openLandingBuild(database.sequelize, database, {
      landingId,
      attempt: 1,
      source: 'kept-order',
    });
    await report(database, ofLanding, 'FAILURE');
    await failLanding(database, { id: landingId });
    expect((await world.post(`build/${ofLanding.id}/retry/`, {})).status).toBe(202);
    const { page, go, close } = await web.open();
    await go(`/ticket/${id}`);
    await page.getByRole('button', { name: 'Request a build' }).click();
    await page.getByRole('button', { name: 'Request the build' }).click();
    await page.waitForURL(/\/build\/\d+$/);
    const [, address] = /(\/build\/\d+)$/.exec(page.url()) ?? [];
    const { json } = await web.api.call('GET', `/api/v1${address}/`);
    expect(json).toMatchObject({ ...last, progress_trigger: null });
    await close();
  });
});

describe('a ticket whose last build names the distribution of its PPA', () => {
  it('is built there again, and in a PPA of another distribution once none contradicts it', async () => {
    const { id } = (
      await web.api.call('POST', '/api/v1/ticket/', { owner: 'ann@example.com', title: 'hello' })
    ).json;
    const first = await web.api.call('POST', '/api/v1/build_source', {
      ticket_id: id,
      source_packages: ['http://127.0.0.1:9000/hello_1.0_source.changes'],
      series: 'bookworm',
      ppa: '~ann/debian/hello',
      progress_trigger: 'mine',
    });
    // As a request was kept before the PPA decided.
    await web.api.database.Build.update({ archive: 'ubuntu' }, { where: { id: first.json.id } });
    const { page, go, close } = await web.open();
    await go(`/ticket/${id}`);
    await page.getByRole('button', { name: 'Request a build' }).click();
    const dialog = page.getByRole('dialog');
    const distribution = dialog.getByLabel('Distribution');
    expect(await distribution.inputValue()).toBe('debian');
    await dialog.getByLabel('PPA').fill('~ann/ubuntu/hello');
    await dialog.getByRole('button', { name: 'Request the build' }).click();
    await dialog.getByText('~ann/ubuntu/hello is a PPA of ubuntu, not of debian.').waitFor();
    await distribution.fill('');
    await dialog.getByRole('button', { name: 'Request the build' }).click();
    await page.waitForURL(/\/build\/\d+$/);
    expect(await page.textContent('.facts')).toContain('bookworm (ubuntu)');
    await close();
  });
});

describe('a ticket that a package has failed', () => {
  it('says where and why', async () => {
    const made = await web.api.call('POST', '/api/v1/ticket/bundle/', {
      owner: 'ann@example.com',
      title: 'hello that fails',
      subtickets: [{ source_package_upload: { sourcepackage: { name: 'hello' }, version: '2.0' } }],
    });
    const [subticket] = made.json.subtickets;
    const path = `/api/v1/updatesubticketstatus/${subticket.id}/`;
    await web.api.call('PATCH', path, { current_workflow_step: '400', status: '400' });
    const failure = { current_workflow_step: '999', status: '999', reason: 'it does not start' };
    expect((await web.api.call('PATCH', path, failure)).status).toBe(202);
    const { page, go, close } = await web.open();
    await go(`/ticket/${made.json.id}`);
    const said = await page.locator('.note-bad p').allInnerTexts();
    expect(said).toEqual(['Failed at Image Testing: hello', 'it does not start']);
    await close();
  });
});
