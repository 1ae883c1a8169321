import { call } from '../cli/call.ts';
import { serveWeb, type Web } from './browse.ts';
import { addPastBuild, addPastTicket } from './seed.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 20 });
});
afterAll(() => web.close());

describe('what waits', () => {
  it('is shown in the state that the other pages show', async () => {
    const { dependencyWait, queued } = web.story.build;
    await web.api.call('POST', `/api/v1/build/${queued}/cancel/`);
    const { page, go, context } = await web.open();
    await go('/status');
    const rowOf = (build: number) =>
      page.locator('.waiting tr', { has: page.getByRole('link', { name: `Build ${build}` }) });
    await rowOf(dependencyWait).getByText('Dependency wait').waitFor();
    await rowOf(queued).getByText('Cancelling').waitFor();
    expect(await page.getByText('that wait longest').count()).toBe(0);
    await context.close();
  });

  it.each([1280, 390])(
    'is told of with how much of it is shown, by the page at %i pixels and by the command',
    async (width) => {
      const { sequelize } = web.api.database;
      const ticket = { owner: 'ann@example.com', title: 'Many builds', madeMinutesAgo: 90 };
      const ticketId = await addPastTicket(sequelize, ticket, Date.now());
      const build = { ticketId, name: 'many', version: '1', moments: [], isUndispatched: true };
      for (let index = 0; index < 25; index++)
        await addPastBuild(sequelize, { ...build, requestedMinutesAgo: 60 }, Date.now());
      const { json } = await web.api.call('GET', '/api/v1/status');
      const told = `the 20 that wait longest, of ${json.waiting_total}`;

      const { page, go, context } = await web.open({ width });
      await go('/status');
      await page.getByText(told, { exact: true }).waitFor();
      expect(await page.locator('.waiting tbody tr').count()).toBe(20);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      await context.close();

      const command = await call(['--url', web.api.url, 'status']);
      expect(command.stdout).toContain(`These are ${told}.`);
    },
  );
});
