import { serveWeb, inspectPage, type Web } from './browse.ts';
import { addPastBuild } from './seed.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 20 });
});
afterAll(() => web.close());

const APT = 'deb https://ppa.launchpad.example/airline/landing/ubuntu noble main';

describe.each([1280, 390])('%i pixels wide, a completed build', (width) => {
  it('lists what it has made: name, version, architecture, size and file', async () => {
    const { page, go, faults, close } = await web.open({ width });
    await go(`/build/${web.story.build.completed}`);
    const rows = page.locator('.packages-built tbody tr');
    expect(await rows.count()).toBe(10);
    const [name, version, architecture, size] = await rows.first().locator('td').allTextContents();
    expect([name, version, architecture, size]).toEqual([
      'libgreet-dev',
      '4.1-2ubuntu1',
      'amd64',
      '48 kB',
    ]);
    const file = page.getByRole('link', { name: 'Download libgreet1 for riscv64' });
    expect(await file.getAttribute('href')).toBe(
      'https://launchpad.example/files/libgreet1_4.1-2ubuntu1_riscv64.deb',
    );
    // What one needs to find a fault comes after what one installs.
    expect(await rows.last().textContent()).toContain('libgreet1-dbgsym');
    expect(await page.textContent('.verdict')).toContain('10 packages, 576 kB');
    expect(await inspectPage({ page, faults })).toEqual({
      pageWidth: width,
      faults: [],
      barriers: [],
    });
    await close();
  });

  it('says how apt gets it, and copies that', async () => {
    const { page, go, context, close } = await web.openAlone({ width });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await go(`/build/${web.story.build.completed}`);
    await page.locator('.apt-lines').getByText('apt needs the key of the PPA first').waitFor();
    const pasted = () => page.evaluate<string>('navigator.clipboard.readText()');
    await page.getByRole('button', { name: 'Copy The line for sources.list' }).click();
    await page.getByRole('button', { name: 'Copied The line for sources.list' }).waitFor();
    expect(await pasted()).toBe(APT);
    await page.getByRole('button', { name: 'Copy The command that installs' }).click();
    await page.getByRole('button', { name: 'Copied The command that installs' }).waitFor();
    expect(await pasted()).toBe(
      'sudo apt update && sudo apt install libgreet1 libgreet-dev libgreet-doc',
    );
    await close();
  });
});

it('a build that failed on one architecture has the packages of the other', async () => {
  const id = await addPastBuild(
    web.api.database.sequelize,
    {
      ticketId: web.story.ticket.landing,
      name: 'halfway',
      version: '1.0-1',
      requestedMinutesAgo: 60,
      moments: [[1, { amd64: 'Successfully built', arm64: 'Failed to build' }]],
      endedAfter: 6,
      failure: { class: 'build_failed', message: 'halfway on arm64: Failed to build' },
      built: ['halfway'],
    },
    Date.now(),
  );
  const { page, go, close } = await web.open();
  await go(`/build/${id}`);
  await page.getByRole('link', { name: 'Download halfway for amd64' }).waitFor();
  expect(await page.locator('.packages-built tbody tr').count()).toBe(1);
  await close();
});

it('where the browser does not let the page write, the text is selected', async () => {
  const { page, go, close } = await web.open();
  await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  await go(`/build/${web.story.build.completed}`);
  await page.getByRole('button', { name: 'Copy The line for sources.list' }).click();
  await page.getByRole('button', { name: 'Press Ctrl-C' }).waitFor();
  expect(await page.evaluate<string>('getSelection().toString()')).toBe(APT);
  await close();
});
