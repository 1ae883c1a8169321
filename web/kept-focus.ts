// Whoever uses the keyboard or a screen reader stays where they were on a page: what has the focus may go, as a button
// does that has done its work, or may be pressed no more. The browser would put the focus on the whole document.

/**
 * Keeps the focus in the page: where what had it goes or is disabled, it goes to the part that keys scrolled there, so
 * that they go on doing so; else to the heading of the section or dialog that this was in, or to that of the page.
 * Whoever comes to another page is placed by `reader-place.ts`.
 */
export function keepFocus(): void {
  let had: { it: Element; places: (HTMLElement | null)[] } | undefined;
  addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return;
    const section = target
      .closest('section[aria-labelledby], dialog[aria-labelledby]')
      ?.getAttribute('aria-labelledby');
    const scrolled = target.closest<HTMLElement>('[role=region][tabindex="0"]');
    had = { it: target, places: [scrolled, document.getElementById(section ?? ''), pageHeading()] };
  });
  addEventListener('focusout', ({ target }) => {
    queueMicrotask(() => {
      // A window that is left keeps what has its focus; what is still there and has lost it was left by its user.
      if (had?.it === target && !isLost(had.it) && document.activeElement !== had.it)
        had = undefined;
    });
  });
  new MutationObserver(() => {
    if (!had || !isLost(had.it) || had.places.at(-1) !== pageHeading()) return;
    if (document.activeElement !== document.body && document.activeElement !== had.it) return;
    const place = had.places.find((one) => one?.isConnected);
    if (!place) return;
    if (!place.hasAttribute('tabindex')) place.tabIndex = -1;
    place.focus({ preventScroll: true });
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
}

function isLost(one: Element): boolean {
  return !one.isConnected || one.matches(':disabled');
}

function pageHeading(): HTMLElement | null {
  return document.querySelector('main h1');
}
