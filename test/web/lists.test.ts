import { serveWeb, type Web } from './browse.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 20 });
});
afterAll(() => web.close());

describe('the list of landings', () => {
  it('says of a page after its last one that it has ended before, and leads back', async () => {
    const { page, go, context } = await web.open();
    await go('/landings?offset=500');
    const list = page.getByRole('region', { name: 'On their way' });
    await list.getByText('The list ends before this page.').waitFor();
    expect(await page.getByText('Nothing is on its way.').count()).toBe(0);
    await list.getByRole('link', { name: 'Go to its last page' }).click();
    await page.waitForURL(/\/landings$/);
    await list.getByRole('row', { name: 'Waiting in line' }).waitFor();
    await context.close();
  });
});

describe('the list of packages', () => {
  it.each([
    ['Package', 'name', 'ascending'],
    ['Builds', '-builds', 'descending'],
    ['Success', 'success_rate', 'ascending'],
  ])('is sorted by %s, however often that is pressed', async (name, order, shownAs) => {
    const { page, go, context } = await web.open();
    await go('/packages');
    const head = page.getByRole('columnheader', { name, exact: true });
    const answered = page.waitForResponse(
      (answer) => new URL(answer.url()).searchParams.get('order_by') === order,
    );
    await head.getByRole('link').click();
    const { objects } = (await (await answered).json()) as { objects: { name: string }[] };
    const first = page.locator('.packages tbody tr').first();
    await first.getByRole('link', { name: objects[0]?.name ?? '', exact: true }).waitFor();
    expect(await head.getAttribute('aria-sort')).toBe(shownAs);
    // The API has each order one way only.
    const address = page.url();
    expect(await head.getByRole('link').getAttribute('href')).toBe(
      address.slice(new URL(address).origin.length),
    );
    await context.close();
  });
});
