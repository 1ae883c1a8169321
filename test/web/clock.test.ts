import { serveWeb, type Web } from './browse.ts';
import { addPastBuild } from './seed.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

const MINUTE_MS = 60_000;

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 20 });
});
afterAll(() => web.close());

it.each([
  ['10 minutes ahead', 10 * MINUTE_MS],
  ['a day behind', -24 * 60 * MINUTE_MS],
])('a reader whose clock is %s is told how long a build has waited', async (_, wrongByMs) => {
  const ticketId = web.story.ticket.landing;
  const build = { ticketId, name: 'waits', version: '1', moments: [], isUndispatched: true };
  const id = await addPastBuild(
    web.api.database.sequelize,
    { ...build, requestedMinutesAgo: 40 },
    Date.now(),
  );
  const { page, go, close } = await web.openAlone();
  await page.clock.install({ time: Date.now() + wrongByMs });
  await go(`/build/${id}`);
  await page.locator('.verdict', { hasText: /for 4[01] min/ }).waitFor();
  await close();
});

it('a reader whose clock is days ahead is offered the days that an override may end on', async () => {
  const { page, go, close } = await web.openAlone();
  await page.clock.install({ time: Date.now() + 3 * 24 * 60 * MINUTE_MS });
  await go(`/ticket/${web.story.landed.approving}`);
  const excuses = page.getByRole('list', { name: 'Tests that do not pass' });
  await excuses.getByRole('button').click();
  const dialog = page.getByRole('dialog', { name: 'hello: upstream-tests on amd64' });
  await dialog.getByLabel('Why').fill('the test is wrong');
  const until = dialog.getByLabel('Until');
  await until.fill((await until.getAttribute('max')) ?? '');
  await dialog.getByRole('button', { name: 'It does not count' }).click();
  await excuses.getByText('“the test is wrong”').waitFor();
  await close();
});
