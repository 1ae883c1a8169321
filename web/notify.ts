import { signal } from '@preact/signals';
import { readStored, store } from './storage.ts';

const SWITCH = 'airline-notify';
const TOLD = 'airline-notified';
/** So many ends are remembered as told. */
const MAX_TOLD = 100;
/** After this, each tab sees what another has stored. */
const STORAGE_DELAY_MS = 10_000;

/** Whether this browser is to tell when what is looked at ends. */
export const isNotifying = signal(isKeptOn());
// Of another tab; without a key, all is gone.
addEventListener('storage', ({ key }) => {
  if (key === SWITCH || key === null) isNotifying.value = isKeptOn();
});

/** What the browser lets pages do; `unsupported`: it has no notifications, or not for this page. */
export function permission(): NotificationPermission | 'unsupported' {
  return 'Notification' in window ? Notification.permission : 'unsupported';
}

/** Turns it on or off, for good. It asks the browser for its permission, which is to be done on a click only. */
export async function setNotifying(on: boolean): Promise<void> {
  const isGranted =
    on && permission() !== 'unsupported' && (await Notification.requestPermission()) === 'granted';
  isNotifying.value = isGranted;
  store(SWITCH, isGranted ? 'on' : 'off');
}

/**
 * Shows a notification, once for each end: whichever tabs are open.
 *
 * @param end names the end
 * @param go is called when the notification is clicked
 */
export function notifyOnce(end: string, title: string, body: string, go: () => void): void {
  if (!isNotifying.peek()) return;
  // Two tabs can find the end untold at the same time: only one of them gets the lock. It exists where notifications
  // do.
  void navigator.locks.request(`airline-notify ${end}`, { ifAvailable: true }, async (lock) => {
    if (lock === null || !rememberTold(end)) return;
    show(end, title, body, go);
    await new Promise((resolve) => setTimeout(resolve, STORAGE_DELAY_MS));
  });
}

function isKeptOn(): boolean {
  return readStored(SWITCH) === 'on' && permission() === 'granted';
}

/** Whether the end was not told before. */
function rememberTold(end: string): boolean {
  const told = (readStored(TOLD) ?? '').split(' ');
  if (told.includes(end)) return false;
  store(TOLD, [...told, end].slice(-MAX_TOLD).join(' '));
  return true;
}

function show(end: string, title: string, body: string, go: () => void): void {
  try {
    const notification = new Notification(title, { body, tag: `airline ${end}` });
    notification.addEventListener('click', () => {
      window.focus();
      go();
      notification.close();
    });
  } catch {
    // Browsers of phones have the word and not the deed: https://crbug.com/481856
    isNotifying.value = false;
  }
}
