import { countProcessorTime, serveWeb, type Web } from './browse.ts';
import { FAILING_LINE, LONG_LOG_LINES } from './story.ts';

// A browser draws with what processor the other tests leave.
jest.setTimeout(600_000);

let web: Web;
beforeAll(async () => {
  web = await serveWeb({}, { tickets: 20, hasLongLog: true });
});
afterAll(() => web.close());

const FRAMES = 40;
const lineOf = (number: number) => `.line:has(> a[aria-label="Line ${number}"])`;

describe('a log of 200,000 lines', () => {
  it('opens at the line that it failed in, with a few of its lines in the document', async () => {
    const { page, go, close } = await web.open();
    await go(`/build/${web.story.build.longLog}`);
    await page.locator(`${lineOf(FAILING_LINE)}.line-marked`).waitFor();
    expect(await page.textContent('.log-end')).toContain('200,000 lines');
    expect(await page.locator('.line').count()).toBeLessThan(150);
    await close();
  });

  it('is searched to its end, and scrolled from end to end, without a wait', async () => {
    const { page, go, close } = await web.open();
    await go(`/build/${web.story.build.longLog}`);
    await page.keyboard.press('f');
    await page.keyboard.type(`part_${LONG_LOG_LINES}.o`);
    await page.locator(`${lineOf(LONG_LOG_LINES)} mark`).waitFor();
    expect(await page.textContent('.log-matches')).toBe('1 of 1');

    await page.getByLabel('Search the log').fill('part_1000');
    await page.locator('.log-matches', { hasText: '1 of 111' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator(`${lineOf(10_000)}.line-current`).waitFor();
    await page.keyboard.press('Shift+Enter');
    await page.locator(`${lineOf(1_000)}.line-current`).waitFor();

    const processorMs = await countProcessorTime(page);
    const beforeMs = await processorMs();
    await page.evaluate(`new Promise((done) => {
      const log = document.querySelector('.log-lines');
      let steps = 0;
      const step = () => {
        log.scrollTop = (log.scrollHeight * steps) / ${FRAMES};
        if (steps++ < ${FRAMES}) requestAnimationFrame(step);
        else done();
      };
      requestAnimationFrame(step);
    })`);
    expect(((await processorMs()) - beforeMs) / FRAMES).toBeLessThan(150);
    await close();
  });

  it('has a link for each line, which leads there from elsewhere', async () => {
    const { page, go, close } = await web.open();
    await go(`/build/${web.story.build.longLog}#L77777`);
    await page.locator(`${lineOf(77_777)}.line-target`).waitFor();
    await page.locator(`${lineOf(77_775)} a`).click();
    await page.waitForURL(/log=kernel_6\.11\.0-9_amd64\.build\.log#L77775$/);
    await page.locator(`${lineOf(77_775)}.line-target`).waitFor();
    await page.getByLabel('Search the log').fill(':199999');
    await page.locator(`${lineOf(199_999)}.line-current`).waitFor();
    await close();
  });

  it('has the lines named that were typed last, as soon as Enter is pressed', async () => {
    const { page, go, close } = await web.open();
    await go(`/build/${web.story.build.longLog}`);
    const box = page.getByLabel('Search the log');
    await box.focus();
    await page.keyboard.type(':120');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#L120$/);
    await page.locator(`${lineOf(120)}.line-target`).waitFor();

    await box.fill(':5');
    await page.locator(`${lineOf(5)}.line-current`).waitFor();
    await page.keyboard.type('7');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#L\d{1,2}$/);
    expect(page.url()).toMatch(/#L57$/);
    await page.locator(`${lineOf(57)}.line-current.line-target`).waitFor();

    // A text leads to its first match.
    await page.keyboard.press('Control+A');
    await page.keyboard.type('part_1000');
    await page.keyboard.press('Enter');
    await page.locator(`${lineOf(1_000)}.line-current`).waitFor();
    expect(await page.textContent('.log-matches')).toBe('1 of 111');
    await close();
  });

  it('is downloaded as it is', async () => {
    const { page, go, close } = await web.open();
    await go(`/build/${web.story.build.longLog}`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: /^Download/ }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('kernel_6.11.0-9_amd64.build.log');
    await close();
  });
});

describe('a log of more lines than a browser can show at once', () => {
  it('shows those around the line that is asked for, and says which these are', async () => {
    const { page, go, close } = await web.open();
    const body = 'a\n'.repeat(2_000_000);
    await page.route(/\/store\/.*\.build\.log$/, (route) => route.fulfill({ body }));
    await go(`/build/${web.story.build.longLog}#L1999990`);
    await page.locator(`${lineOf(1_999_990)}.line-target`).waitFor();
    await page.getByText('Lines 1,300,001 to 2,000,000 are here').waitFor();
    await page.getByLabel('Search the log').fill(':5');
    await page.locator(`${lineOf(5)}.line-current`).waitFor();
    await page.getByText('Lines 1 to 700,000 are here').waitFor();
    await close();
  });
});

describe('a log that is cut', () => {
  it('is loaded again when it is asked for, and can be downloaded meanwhile', async () => {
    const { page, go, close } = await web.open();
    const log = /\/store\/.*\.build\.log$/;
    await page.route(log, (route) => route.abort('connectionreset'));
    await go(`/build/${web.story.build.longLog}`);
    const note = page.getByRole('alert').filter({ hasText: 'the connection was cut' });
    await note.waitFor();
    const name = 'kernel_6.11.0-9_amd64.build.log';
    const link = page.getByRole('link', { name: 'Download' });
    expect(await link.getAttribute('download')).toBe(name);
    expect(await link.getAttribute('href')).toMatch(new RegExp(`^/store/.*${name}$`));

    await page.unroute(log);
    await note.getByRole('button', { name: 'Try again' }).click();
    await page.locator(`${lineOf(FAILING_LINE)}.line-marked`).waitFor();
    await note.waitFor({ state: 'detached' });
    await close();
  });
});

describe('a failed build', () => {
  it('has a banner with why, what to do, and the way to the line', async () => {
    const { page, go, close } = await web.open();
    await go(`/build/${web.story.build.failed}`);
    const verdict = page.locator('.verdict');
    await verdict.getByText("error: no member named 'apogee'").waitFor();
    await verdict.getByText('Read the build log, correct the package').waitFor();
    await verdict.getByText('A retry alone does not help.').waitFor();
    await verdict.getByRole('link', { name: 'Go to line 412 of the log' }).click();
    await page.locator(`${lineOf(412)}.line-marked`).waitFor();
    expect(await page.locator(lineOf(412)).isVisible()).toBe(true);
    expect(await page.textContent('#log')).toBe('rocketscience on arm64');
    await close();
  });
});
