import { useState } from 'preact/hooks';
import { announcement } from '../announce.ts';

/** Where screen readers hear what is announced from now on. While a dialog is open, they hear nothing of the page. */
export function Announcements() {
  const [before] = useState(() => announcement.peek());
  return (
    <p class="visually-hidden" role="status" aria-live="polite">
      {announcement.value === before ? '' : announcement.value}
    </p>
  );
}
