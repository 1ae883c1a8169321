import { findBarriers, serveWeb, type Web } from './browse.ts';
import { addPastBuild, type SeededBuild } from './seed.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 20 });
});
afterAll(() => web.close());

function newBuild(build: Partial<SeededBuild>): Promise<number> {
  const ticketId = web.story.ticket.landing;
  return addPastBuild(
    web.api.database.sequelize,
    { ticketId, name: 'steady', version: '1.0', requestedMinutesAgo: 5, moments: [], ...build },
    Date.now(),
  );
}

/**
 * Opens the page of a build, and looks whether all of it can be read in a wide window and in a narrow one.
 *
 * @param isLookedAt whether `pages.test.ts` looks at such a build: whom it keeps out is not asked again then
 */
async function openBuild(id: number, isLookedAt: boolean) {
  const visit = await web.open();
  await visit.go(`/build/${id}`);
  const verdict = visit.page.locator('.verdict');
  await verdict.waitFor();
  for (const width of [1280, 390]) {
    await visit.page.setViewportSize({ width, height: 844 });
    const clipped = await verdict.evaluate((at) =>
      [at, ...at.querySelectorAll('p, dl, dd')]
        .filter((one) => one.scrollHeight > one.clientHeight + 1 && one.clientHeight > 0)
        .map((one) => one.textContent),
    );
    const pageWidth = await visit.page.evaluate<number>('document.documentElement.scrollWidth');
    const barriers = isLookedAt ? [] : await findBarriers(visit.page);
    expect({ clipped, pageWidth, barriers }).toEqual({
      clipped: [],
      pageWidth: width,
      barriers: [],
    });
  }
  const factOf = (name: string) =>
    verdict.locator('.waiting-details > div', { hasText: name }).locator('dd').textContent();
  return { ...visit, verdict, factOf };
}

describe('the page of a build', () => {
  it('that the PPA has not shown says so, how long that takes, when it ends, and why it may be', async () => {
    const id = await newBuild({ isUploaded: true, usuallyMs: 3_000 });
    const { verdict, factOf, close } = await openBuild(id, false);
    expect(await verdict.locator('.verdict-word').textContent()).toMatch(
      /^Waiting for acceptance for [4-9] min/,
    );
    expect(await factOf('Waits for')).toBe('the PPA to show the upload');
    expect(await factOf('Usually takes')).toBe('3 s');
    expect(await factOf('Gives up')).toMatch(/^\d\d:\d\d:\d\d \(in \d+ min\)$/);
    expect(await verdict.locator('.waiting-cause').textContent()).toContain(
      'a signing key that the PPA does not know',
    );
    expect(await verdict.locator('[aria-current=step]').textContent()).toBe('Acceptance');
    await close();
  });

  it('that no builder has taken names the architectures, and finds nothing wrong with a short wait', async () => {
    const states = { amd64: 'Needs building', riscv64: 'Needs building' };
    const id = await newBuild({
      requestedMinutesAgo: 2,
      moments: [[0.5, states]],
      usuallyMs: 100_000,
    });
    const { verdict, factOf, close } = await openBuild(id, false);
    expect(await verdict.locator('.verdict-word').textContent()).toMatch(
      /^Waiting for a builder for [1-9] min/,
    );
    expect(await factOf('Waits for')).toBe('a builder of the PPA: amd64, riscv64');
    expect(await factOf('Usually takes')).toBe('1 min 40 s');
    expect(await verdict.locator('.waiting-cause').count()).toBe(0);
    await close();
  });

  it('that waits for a dependency names it, and stops its clock', async () => {
    const id = await newBuild({
      requestedMinutesAgo: 40,
      moments: [
        [1, { amd64: 'Currently building' }],
        [1.5, { amd64: 'Dependency wait' }],
      ],
      dependencies: 'libnonexistent-dev (>= 9)',
    });
    const { page, verdict, factOf, close } = await openBuild(id, true);
    expect(await verdict.locator('.verdict-word').textContent()).toMatch(
      /^Dependency wait for (?:3[89]|4\d) min/,
    );
    expect(await factOf('Waits for')).toBe('libnonexistent-dev (>= 9)');
    expect(await factOf('Gives up')).toMatch(/in 1 h [12]\d min/);
    expect(await verdict.locator('.waiting-cause').textContent()).toContain(
      'steady on amd64: Neither the series nor the PPA has it.',
    );
    expect(await page.locator('.architecture-time').textContent()).toMatch(/^30 s/);
    await close();
  });

  it('that was cancelled in a Dependency wait says where its source is deleted before it is built', async () => {
    const id = await newBuild({
      requestedMinutesAgo: 40,
      moments: [[1, { amd64: 'Dependency wait', riscv64: 'Dependency wait' }]],
      dependencies: 'libnonexistent-dev',
      endedAfter: 10,
      cancelledBy: 'carol@example.com',
      failure: { class: 'cancelled', message: 'cancelled by carol@example.com' },
    });
    const { verdict, close } = await openBuild(id, false);
    const offers = verdict.getByRole('link', { name: 'Delete steady in the PPA' });
    expect(await offers.count()).toBe(1);
    expect(await offers.getAttribute('href')).toBe(
      'https://launchpad.example/~airline/+archive/ubuntu/landing/+delete-packages?field.name_filter=steady',
    );
    await close();
  });

  it('that cannot get on says all of the fault, in words', async () => {
    const message = `connect ETIMEDOUT 203.0.113.9:21, ${'as the server did not answer, '.repeat(9)}again`;
    const id = await newBuild({
      trouble: { step: 'uploadSource', message, tries: 37, sinceMinutesAgo: 39 },
    });
    const { verdict, close } = await openBuild(id, true);
    expect(await verdict.locator('.verdict-word').textContent()).toMatch(
      /^The upload fails 37 tries in 39 min/,
    );
    expect(await verdict.textContent()).toContain(`${message}. It is tried again by itself.`);
    expect(await verdict.getAttribute('class')).toContain('verdict-warn');
    await close();
  });

  it('that somebody has paused in Temporal does not say that it is tried again', async () => {
    const message = 'uploadSource is paused in Temporal by ana@ops';
    const id = await newBuild({
      trouble: { step: 'paused', message, tries: 2, sinceMinutesAgo: 3 },
    });
    const { verdict, close } = await openBuild(id, true);
    expect(await verdict.locator('.verdict-word').textContent()).toMatch(
      /^A step is paused 2 tries/,
    );
    expect(await verdict.textContent()).toContain(`${message}. It goes on once it is unpaused.`);
    await close();
  });

  it('that somebody cancelled is no alarm', async () => {
    const { page, verdict, close } = await openBuild(web.story.build.cancelled, true);
    const retry = page.getByRole('button', { name: 'Retry' });
    await retry.waitFor();
    expect(await verdict.textContent()).toContain('carol@example.com cancelled it.');
    expect(await page.textContent('main')).not.toContain('7f3a');
    expect(await page.getByText('Why it failed').count()).toBe(0);
    expect(await retry.getAttribute('class')).not.toContain('button-main');
    expect(await page.locator('main .state-bad, main .bar-bad').count()).toBe(0);
    await close();
  });
});

it('what is being cancelled is not said to build', async () => {
  const id = await newBuild({
    moments: [[1, { amd64: 'Currently building', arm64: 'Successfully built' }]],
    cancelledBy: 'carol@example.com (request 7f3a)',
  });
  const { page, close } = await openBuild(id, false);
  const states = await page.locator('.architecture .state').allTextContents();
  expect(states).toEqual(['Cancelling', 'Built']);
  await close();
});
