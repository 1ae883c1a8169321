import { signal } from '@preact/signals';
import { SITE_MAP } from './site-map.ts';
import { readStored, store } from './storage.ts';

const SWITCH = 'single-key shortcuts';
const LEADER_MS = 1_500;

/** Whether keys without Ctrl or Alt do something. People who control the computer by voice may want them off. */
export const hasShortcuts = signal(readStored(SWITCH) !== 'off');

/** Turns the shortcuts on or off, for good. */
export function setShortcuts(on: boolean): void {
  hasShortcuts.value = on;
  store(SWITCH, on ? 'on' : 'off');
}

/** Listens to keys. @returns what ends it */
export function listenToKeys(does: {
  go: (path: string) => void;
  help: () => void;
  search: () => void;
}): () => void {
  let ledAtMs = -Infinity;
  const onKey = (event: KeyboardEvent) => {
    if (isSearchKey(event) && !document.querySelector('dialog[open]')) {
      event.preventDefault();
      does.search();
      return;
    }
    if (!hasShortcuts.peek() || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.defaultPrevented || isWritingIn(event.target)) return;
    if (document.querySelector('dialog[open]')) return;
    const isLed = event.timeStamp - ledAtMs < LEADER_MS;
    ledAtMs = -Infinity;
    const page = isLed ? SITE_MAP.find(({ key }) => key === event.key) : undefined;
    if (page) does.go(page.path);
    else if (event.key === 'g') ledAtMs = event.timeStamp;
    else if (event.key === '/') does.search();
    else if (event.key === 'f') document.querySelector<HTMLInputElement>('[data-search]')?.select();
    else if (event.key === 'j') moveBy(1);
    else if (event.key === 'k') moveBy(-1);
    else if (event.key === '?') does.help();
    else return;
    event.preventDefault();
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}

function isWritingIn(target: EventTarget | null): boolean {
  const field = 'input:not([type=checkbox]), select, textarea';
  return target instanceof Element && target.closest(field) !== null;
}

/** Ctrl-K, on a Mac Command-K, wherever one is. */
function isSearchKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey;
}

/** The focus goes to the next or the previous row: Enter then opens it, as with any link. */
function moveBy(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const focused = document.activeElement;
  const isAt = (row: HTMLElement) => row === focused;
  // The box that chooses a row stands beside its link.
  const isBeside = (row: HTMLElement) => row.closest('tr')?.contains(focused);
  const at = rows.findIndex(rows.some(isAt) ? isAt : isBeside);
  const next = at === -1 ? (step === 1 ? 0 : rows.length - 1) : at + step;
  const row = rows[next];
  row?.focus({ preventScroll: true });
  // A head of a row sticks, and counts as not in view: for its link, the table would go back to where that begins.
  (row?.closest('th')?.parentElement ?? row)?.scrollIntoView({ block: 'nearest' });
}
