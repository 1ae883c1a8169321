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
  const { page, go, context } = await web.open();
  await page.clock.install({ time: Date.now() + wrongByMs });
  await go(`/build/${id}`);
  await page.locator('.verdict', { hasText: /for 4[01] min/ }).waitFor();
  await context.close();
});
