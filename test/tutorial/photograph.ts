import { chromium } from 'playwright-core';

const BROWSER = '/usr/bin/chromium-headless-shell';
const SIZE = { width: 1280, height: 960 };
const LIMIT_MS = 120_000;

/**
 * Takes a picture of a page of the web UI as PNG, once it has a text, if one is given, and nothing is being fetched.
 */
export async function photograph(options: {
  url: string;
  once: string | undefined;
  file: string;
}): Promise<void> {
  // Chromium's sandbox refuses to run as root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: BROWSER, args });
  try {
    const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' });
    page.setDefaultTimeout(LIMIT_MS);
    await page.goto(options.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (options.once !== undefined)
      await page.getByText(options.once, { exact: true }).first().waitFor();
    // Lists and logs come after the page itself.
    await page.waitForLoadState('load');
    await page.waitForFunction(`document.querySelector('[aria-busy="true"]') === null`);
    // What an address names comes after the page itself, too.
    const { hash } = new URL(options.url);
    if (hash !== '') await page.locator(hash).evaluate((part) => part.scrollIntoView());
    await page.screenshot({ path: options.file });
  } finally {
    await browser.close();
  }
}
