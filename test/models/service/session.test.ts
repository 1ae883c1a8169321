import { fakeDate } from '../../support/fake-date.ts';
import { TESTS } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const database = useDatabase();

afterEach(() => void jest.useRealTimers());

it.each([
  ['behind', -2 * DAY_MS],
  ['ahead', 2 * DAY_MS],
])("a session lasts by the database's clock where that of a process is %s", async (clock, byMs) => {
  const { AccessToken, Session } = database.now;
  const lifetimes = { defaultMs: DAY_MS, maxMs: DAY_MS };
  const request = { name: `lander-${clock}`, scopes: ['read'] as const };
  const { row } = await AccessToken.issue(request, lifetimes, TESTS);
  const before = await Session.begin(row.id, HOUR_MS);
  fakeDate(Date.now() + byMs);
  const between = await Session.begin(row.id, HOUR_MS);
  const found = [before, between].map((text) => Session.findToken(text, HOUR_MS));
  expect(await Promise.all(found)).toMatchObject([{ id: row.id }, { id: row.id }]);
  jest.useRealTimers();
  await Session.begin(row.id, HOUR_MS);
  expect(await Session.findToken(between, HOUR_MS)).toMatchObject({ id: row.id });
});
