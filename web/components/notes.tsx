import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RequestError } from '../server/request.ts';
import { isShownByBanner } from '../server/use-resource.ts';
import type { IconName } from './icon-name.ts';
import { Icon } from './icon.tsx';

/** A reader who has waited so long wants to know why. */
const LATE_MS = 1_800;
/** How many are late now: what takes the place of one of them is late from the first. */
let late = 0;

/**
 * Why something could not be loaded or done, and what to do.
 *
 * @param shownFields fields that say themselves what is wrong with them
 * @param what what could not be loaded, where it is not all that the page shows
 * @param needsReader nothing tries it again by itself, as the banner says of what the page loads
 * @param children what else may be done
 */
export function ErrorNote({
  error,
  shownFields = [],
  what,
  needsReader = false,
  retry,
  children,
}: {
  error: RequestError;
  shownFields?: readonly string[];
  what?: string;
  needsReader?: boolean;
  retry?: () => void;
  children?: ComponentChildren;
}) {
  if (!needsReader && isShownByBanner(error)) return null;
  const faults = Object.entries(error.fields);
  const isOfFields = faults.length > 0;
  const told = faults.filter(([field]) => !shownFields.includes(field));
  return (
    <div class="note note-bad" role="alert">
      <Icon name="warning" />
      <div>
        {what !== undefined && <p class="note-title">{what} could not be loaded.</p>}
        <p class={what === undefined ? 'note-title' : undefined}>
          {isOfFields ? 'Some fields are not valid.' : error.message}
        </p>
        {told.map(([field, said]) => (
          <p key={field}>
            <b>{field.replaceAll('_', ' ')}</b>: {said.join(' ')}
          </p>
        ))}
        {!isOfFields && <p>{error.hint}</p>}
      </div>
      {retry && (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
      {children}
    </div>
  );
}

/** Says that there is nothing yet, and how to change that. */
export function Empty({
  icon,
  title,
  children,
}: {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <Icon name={icon} size={32} />
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** A command to type, as it is typed. */
export function Command({ children }: { children: string }) {
  return (
    <pre class="command" tabIndex={0}>
      <code>{children}</code>
    </pre>
  );
}

/** Grey bars in the place of what is being loaded. Where that takes long, they say so. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  const [isLate, setLate] = useState(late > 0);
  useEffect(() => {
    if (isLate) {
      late++;
      return () => {
        late--;
      };
    }
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, [isLate]);
  return (
    <div class="skeleton" role="status">
      {isLate ? (
        <p class="note note-warn">
          Airline has not answered yet. It may be busy, or its database may be down. This page
          waits, and goes on by itself.
        </p>
      ) : (
        <span class="visually-hidden">Loading…</span>
      )}
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} class={`bone bone-${line % 3}`} />
      ))}
    </div>
  );
}
