// Whoever uses the keyboard or a screen reader stays where they were on a page: what has the focus may go, as a button
// does that has done its work, or may be pressed no more. The browser would put the focus on the whole document.

/**
 * Keeps the focus in the page: where what had it goes or is disabled, it goes to the heading of the section or dialog
 * that this was in, or else to that of the page. Whoever comes to another page is placed by `reader-place.ts`.
 */
export function keepFocus(): void {
  let had: { it: Element; headings: (HTMLElement | null)[] } | undefined;
  addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return;
    const section = target
      .closest('section[aria-labelledby], dialog[aria-labelledby]')
      ?.getAttribute('aria-labelledby');
    const headings = [document.getElementById(section ?? ''), pageHeading()];
    had = { it: target, headings };
  });
  addEventListener('focusout', ({ target }) => {
    queueMicrotask(() => {
      // A window that is left keeps what has its focus; what is still there and has lost it was left by its user.
      if (had?.it === target && !isLost(had.it) && document.activeElement !== had.it)
        had = undefined;
    });
  });
  new MutationObserver(() => {
    if (!had || !isLost(had.it) || had.headings[1] !== pageHeading()) return;
    if (document.activeElement !== document.body && document.activeElement !== had.it) return;
    const heading = had.headings.find((one) => one?.isConnected);
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
}

function isLost(one: Element): boolean {
  return !one.isConnected || one.matches(':disabled');
}

function pageHeading(): HTMLElement | null {
  return document.querySelector('main h1');
}
