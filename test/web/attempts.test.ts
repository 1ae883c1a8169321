import { Readable } from 'node:stream';
import { failureOf } from '../../domain/builds/failure.ts';
import { inspectPage, linesOf, serveWeb, settled, type Web } from './browse.ts';
import { sbuildLog } from './many-story.ts';
import { addPastBuild } from './seed.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

const LOG = 'hello_1.0-1_amd64.build.log';

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 20 });
});
afterAll(() => web.close());

async function putLog(folder: string, text: string): Promise<string> {
  await web.store.put(`${folder}/${LOG}`, Readable.from([Buffer.from(text)]));
  return web.store.urlOf(`${folder}/${LOG}`);
}

/** A build that failed, was retried, and failed again; its logs have the same name in both attempts. */
async function retriedBuild(): Promise<number> {
  const failed = { package: 'hello', architecture: 'amd64' };
  const id = await addPastBuild(
    web.api.database.sequelize,
    {
      ticketId: web.story.ticket.landing,
      name: 'hello',
      version: '1.0-1',
      requestedMinutesAgo: 60,
      moments: [
        [1, { amd64: 'Currently building' }],
        [5, { amd64: 'Failed to build' }],
      ],
      endedAfter: 6,
      logs: [await putLog('retried/attempt-1', sbuildLog('first', 'amd64'))],
      failure: {
        class: 'build_failed',
        message: 'hello on amd64: the first time',
        ...failed,
        line: 90,
      },
    },
    Date.now(),
  );
  expect(await web.api.call('POST', `/api/v1/build/${id}/retry/`, {})).toMatchObject({
    status: 202,
  });
  const { architectureBuilds: builds } = await web.api.database.Build.findByPk(id, {
    rejectOnEmpty: true,
  });
  await web.api.database.ProgressEvent.record({
    buildId: id,
    attempt: 2,
    key: 'again',
    message: 'FAILURE',
    builds,
    logs: [await putLog('retried/attempt-2', sbuildLog('second', 'amd64'))],
    failure: failureOf('build_failed', 'hello on amd64: the second time', { ...failed, line: 95 }),
  });
  return id;
}

describe.each([1280, 390])('%i pixels wide, a build that was retried', (width) => {
  it('has a tab for each attempt, with its reason and its log', async () => {
    const id = await retriedBuild();
    const { page, go, faults, close } = await web.open({ width });
    await go(`/build/${id}`);
    const tabs = page.getByRole('navigation', { name: 'Attempts' }).getByRole('link');
    expect(await tabs.count()).toBe(2);
    expect(await tabs.nth(1).getAttribute('aria-current')).toBe('page');
    await page.locator('.verdict', { hasText: 'the second time' }).waitFor();
    await page.locator('.line-marked', { hasText: 'part_second.c' }).waitFor();

    await tabs.first().click();
    await page.locator('.verdict', { hasText: 'the first time' }).waitFor();
    await page.locator('.line-marked', { hasText: 'part_first.c' }).waitFor();
    expect(await inspectPage({ page, faults })).toEqual({
      pageWidth: width,
      faults: [],
      barriers: [],
    });
    // The shown one is told from the others where the reader has chosen all colours, too.
    await page.emulateMedia({ forcedColors: 'active' });
    const shown = await linesOf(page, '.attempt-tabs [aria-current]');
    const other = await linesOf(page, '.attempt-tabs a:not([aria-current])');
    expect(shown.around).not.toBe(other.around);
    expect(shown.below).not.toBe(other.below);
    await close();
  });
});

it('a link to a line leads into the attempt that it was made in', async () => {
  const id = await retriedBuild();
  const { page, go, close } = await web.open();
  await go(`/build/${id}?attempt=1`);
  await page.locator('.line-marked', { hasText: 'part_first.c' }).waitFor();
  await page.locator('.line > a[aria-label="Line 88"]').click();
  await page.waitForURL(`**/build/${id}?attempt=1&log=${LOG}#L88`);
  await page.reload();
  await settled(page);
  await page.locator('.line-target', { hasText: 'part_first.c' }).waitFor();
  await close();
});

it('an attempt that is not known yet is not shown as another one', async () => {
  const id = await retriedBuild();
  const { page, go, close } = await web.open();
  const answer = { contentType: 'application/problem+json', body: '{"detail":"It is broken."}' };
  await page.route(/\/attempts\/$/, (route) => route.fulfill({ status: 500, ...answer }));
  await go(`/build/${id}?attempt=1`);
  const note = page.getByRole('alert').filter({ hasText: 'The attempts could not be loaded.' });
  await note.waitFor();
  expect(await page.getByText('the second time').count()).toBe(0);
  expect(await page.locator('.log-section').count()).toBe(0);

  // A page loads everything again once it follows changes, and would mend itself.
  await page.locator('.live-live, .live-failing').waitFor();
  await page.unroute(/\/attempts\/$/);
  await note.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.verdict', { hasText: 'the first time' }).waitFor();
  await note.waitFor({ state: 'detached' });
  await close();
});

it('an attempt that there never was is said to be none', async () => {
  const id = await retriedBuild();
  const { page, go, close } = await web.open({ width: 390 });
  await go(`/build/${id}?attempt=7`);
  await page.getByText('There is no attempt 7.').waitFor();
  expect(await page.getByText('the second time').count()).toBe(0);
  await page.getByRole('link', { name: 'Show the latest' }).click();
  await page.locator('.verdict', { hasText: 'the second time' }).waitFor();
  await close();
});

it('who retries sees the new attempt, whichever the address named', async () => {
  const id = await retriedBuild();
  const { page, go, close } = await web.open();
  await go(`/build/${id}?attempt=1`);
  await page.locator('.verdict', { hasText: 'the first time' }).waitFor();
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('button', { name: 'Start attempt 3' }).click();
  await page.waitForURL(`**/build/${id}`);
  await page.locator('.verdict', { hasText: 'Queued' }).waitFor();
  const tabs = page.getByRole('navigation', { name: 'Attempts' }).getByRole('link');
  await tabs.nth(2).waitFor();
  expect(await tabs.nth(2).getAttribute('aria-current')).toBe('page');
  await close();
});

it('one of several architectures that failed is retried alone', async () => {
  const id = await addPastBuild(
    web.api.database.sequelize,
    {
      ticketId: web.story.ticket.landing,
      name: 'hello',
      version: '1.0-1',
      requestedMinutesAgo: 60,
      moments: [
        [
          1,
          { amd64: 'Currently building', arm64: 'Currently building', riscv64: 'Needs building' },
        ],
        [5, { amd64: 'Successfully built', arm64: 'Failed to build', riscv64: 'Chroot problem' }],
      ],
      endedAfter: 6,
      failure: {
        class: 'build_failed',
        message: 'hello on arm64: Failed to build',
        package: 'hello',
        architecture: 'arm64',
      },
    },
    Date.now(),
  );
  const { page, go, faults, close } = await web.open({ width: 390 });
  await go(`/build/${id}`);
  const buttons = page.getByRole('button', { name: 'Retry this architecture' });
  expect(await buttons.allTextContents()).toEqual([
    'Retry this architecture: arm64',
    'Retry this architecture: riscv64',
  ]);
  expect(await inspectPage({ page, faults })).toEqual({ pageWidth: 390, faults: [], barriers: [] });
  await buttons.last().click();
  const dialog = page.getByRole('dialog', { name: `Retry build ${id} on riscv64?` });
  await dialog.getByText('riscv64 alone is built again.').waitFor();
  // The reason that is known is that of arm64.
  expect(await dialog.getByText('does not go away by itself').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Start attempt 2' }).click();
  await page.locator('.verdict', { hasText: 'Queued' }).waitFor();
  await page.getByText('Retried alone').waitFor();
  expect((await web.api.call('GET', `/api/v1/build/${id}/`)).json).toMatchObject({
    attempt: 2,
    retry_architectures: ['riscv64'],
  });
  await page.goto(`${page.url()}?attempt=1`);
  await settled(page);
  expect(await buttons.count()).toBe(0);
  await close();
});
