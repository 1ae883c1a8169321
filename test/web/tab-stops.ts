import type { Page } from 'playwright-core';

/** More than a page has, unless it has a large table. */
const MAX_STOPS = 400;
/** Pressed before the page is asked whether it has been gone through. */
const AT_ONCE = 20;

/**
 * Has a page note at each Tab whether what has the focus, by the one before, is seen: any of some points of it. It has
 * been gone through where the focus is again where it was before. Between the last stop and the first, it leaves the
 * page.
 */
const NOTE_STOPS = `{
  const stops = new Set();
  const hidden = [];
  const within = (at, end) => Math.min(Math.max(at, 0), end);
  const isSeen = (one) => [...one.getClientRects()].some((box) => {
    const [left, right] = [within(box.left, innerWidth), within(box.right, innerWidth)];
    const [top, bottom] = [within(box.top, innerHeight), within(box.bottom, innerHeight)];
    if (left === right || top === bottom) return false;
    return [0.1, 0.3, 0.5, 0.7, 0.9].some((x) => [0.1, 0.5, 0.9].some((y) => one.contains(
      document.elementFromPoint(left + (right - left) * x, top + (bottom - top) * y))));
  });
  const note = ({ key }) => {
    const one = document.activeElement;
    if (key !== 'Tab' || one === document.body) return;
    window.walk.isOver ||= stops.has(one);
    if (window.walk.isOver) return;
    stops.add(one);
    if (!isSeen(one)) hidden.push(one.outerHTML.slice(0, 200));
  };
  addEventListener('keydown', note, true);
  window.walk = {
    isOver: false,
    end: () => {
      removeEventListener('keydown', note, true);
      return { stops: stops.size, hidden };
    },
  };
}`;

/**
 * Goes through a page by Tab, or by Shift+Tab, from what has the focus.
 *
 * @returns how many stops that has, and those of them that nothing is seen of
 */
export async function walkBy(
  page: Page,
  key: 'Tab' | 'Shift+Tab',
  maxStops = MAX_STOPS,
): Promise<{ stops: number; hidden: string[] }> {
  await page.evaluate(NOTE_STOPS);
  for (let pressed = 1; pressed <= maxStops; pressed++) {
    await page.keyboard.press(key);
    if (pressed % AT_ONCE === 0 && (await page.evaluate('window.walk.isOver'))) break;
  }
  return page.evaluate('window.walk.end()');
}

/** Whether a box that is scrolled in its place has what has the focus, and shows all of it. */
export async function showsFocus(page: Page, box: string): Promise<boolean> {
  return page.locator(box, { has: page.locator(':focus') }).evaluate((at) => {
    const outer = at.getBoundingClientRect();
    const inner = at.querySelector(':focus')?.getBoundingClientRect();
    return inner !== undefined && inner.left >= outer.left - 1 && inner.right <= outer.right + 1;
  });
}
