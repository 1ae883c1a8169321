import { signal } from '@preact/signals';

/** What a screen reader says next. */
export const announcement = signal('');

/** Has a screen reader say something once it is done with what it says now. */
export function announce(text: string): void {
  // The same words twice are no news to it, unless something differs.
  announcement.value = announcement.peek() === text ? `${text}\u00a0` : text;
}
