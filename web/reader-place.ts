// Where the reader is on a page: the focus goes to the heading of a page, or of a part of it, that was come to by a
// link, and Back and a reload find the page as it was left.

/** How long a page may take to be as high as it will be. */
const GROWTH_MS = 10_000;
const MAX_KEPT = 100;
const KEPT = 'places';

type Place = { top: number; link: string | undefined };

const places = new Map<string, Place>(readKept());
let isByLink = false;
let restoring: AbortController | undefined;
let coming: AbortController | undefined;
/** The entry of the tab's history whose reader was brought to their place in it. */
let placedIn: string | undefined;

/** Keeps where the reader is on each page of the tab's history. */
export function keepReaderPlace(): void {
  history.scrollRestoration = 'manual';
  addEventListener('scroll', () => note({ top: scrollY }), { passive: true });
  addEventListener('focusin', ({ target }) => {
    const link = target instanceof Element ? target.closest('main a[href]') : null;
    note({ link: link?.getAttribute('href') ?? undefined });
  });
  addEventListener('pagehide', () => {
    sessionStorage.setItem(KEPT, JSON.stringify([...places].slice(-MAX_KEPT)));
  });
  addEventListener('popstate', () => {
    isByLink = false;
    restore();
  });
  restore();
}

/**
 * The reader has come to another page. Where that is by a link, it begins at its top, and at its heading for a screen
 * reader. An entry of the history that has a place already was gone back to.
 */
export function arrive(): void {
  if (placeName() !== undefined) return;
  restoring?.abort();
  coming?.abort();
  isByLink = true;
  if (!location.hash) scrollTo(0, 0);
  focusHeading();
}

/** A heading is shown. It takes the place of one that had the focus, and of nothing else. */
export function takeOverFocus(): void {
  if (isByLink && document.activeElement === document.body) focusHeading();
}

/**
 * The address names a part of the page, which is there now. It is brought into view and its heading gets the focus,
 * once for each time that the reader comes to the address. What was gone back to is found as it was left.
 */
export function comeTo(part: HTMLElement, heading: HTMLElement): void {
  const name = entry();
  if (placedIn === name) return;
  placedIn = name;
  coming?.abort();
  // What is above it, and what it has itself, may still be loading.
  coming = asPageGrows(() => part.scrollIntoView({ block: 'nearest' }));
  heading.focus({ preventScroll: true });
}

/**
 * The reader has turned to another page of a list.
 *
 * @returns whether they were brought to its beginning: not where they went back to it, nor where a filter, in which
 *   they stay, leads to the first page
 */
export function turnPage(): boolean {
  if (restoring || document.activeElement?.closest('form[role=search]')) return false;
  scrollTo(0, 0);
  focusHeading();
  return true;
}

function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}

/** The entry of the tab's history that is shown, by a name of ours. */
function entry(): string {
  const known = placeName();
  if (known !== undefined) return known;
  const place = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
  history.replaceState({ ...(history.state as object | null), place }, '');
  return place;
}

function placeName(): string | undefined {
  return (history.state as { place?: string } | null)?.place;
}

function note(seen: Partial<Place>): void {
  if (restoring) return;
  const name = entry();
  const before = places.get(name) ?? { top: 0, link: undefined };
  places.delete(name);
  places.set(name, { ...before, ...seen });
}

/** Brings back where the reader was, as soon as the page is high enough. */
function restore(): void {
  restoring?.abort();
  coming?.abort();
  const name = entry();
  const place = places.get(name);
  placedIn = place && name;
  if (!place || (place.top === 0 && place.link === undefined)) return;
  const over = asPageGrows(() => {
    const link =
      place.link === undefined
        ? undefined
        : document.querySelector<HTMLElement>(`main a[href="${CSS.escape(place.link)}"]`);
    scrollTo(0, place.top);
    if (Math.abs(scrollY - place.top) > 1 || link === null) return;
    link?.focus({ preventScroll: true });
    over.abort();
  });
  restoring = over;
  over.signal.addEventListener('abort', () => {
    if (restoring === over) restoring = undefined;
  });
}

/**
 * Does something now and each time that the height of the page changes, for a while, unless the reader goes elsewhere
 * meanwhile.
 *
 * @returns what ends it
 */
function asPageGrows(act: () => void): AbortController {
  const over = new AbortController();
  const watch = new ResizeObserver(() => {
    if (!over.signal.aborted) act();
  });
  const timer = setTimeout(() => over.abort(), GROWTH_MS);
  over.signal.addEventListener('abort', () => {
    watch.disconnect();
    clearTimeout(timer);
  });
  for (const acts of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
    addEventListener(acts, () => over.abort(), { signal: over.signal, passive: true });
  watch.observe(document.body);
  return over;
}

function readKept(): [string, Place][] {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? '[]') as [string, Place][];
  } catch {
    return [];
  }
}
