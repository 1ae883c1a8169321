import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { announce } from '../announce.ts';
import { counted } from '../format.ts';
import type { LoadedList } from '../server/loaded-list.ts';

type News = { hasNews: boolean; showNews: () => void };

/** The line over a list: what is said of it, and the button that shows what has changed meanwhile. */
export function ListLine({ children, ...news }: News & { children: ComponentChildren }) {
  return (
    <div class="list-line">
      {children}
      <ListNews {...news}>The list has changed: reload it</ListNews>
    </div>
  );
}

/** How many rows a list has. @param given.noun what one of them is called */
export function ListCount({
  list: { rows, staleOffset, total, loaded },
  noun,
}: {
  list: LoadedList<unknown>;
  noun: string;
}) {
  const isCounted = rows !== undefined && staleOffset === undefined;
  return (
    <p class="muted figure">{isCounted ? counted(total, noun) : loaded.error ? '' : 'Loading…'}</p>
  );
}

/** The button that shows what has changed in a list meanwhile, once something has. */
export function ListNews({ hasNews, showNews, children }: News & { children: ComponentChildren }) {
  useEffect(() => {
    if (hasNews) announce('The list has changed');
  }, [hasNews]);
  if (!hasNews) return null;
  return (
    <button type="button" class="button button-news" onClick={showNews}>
      {children}
    </button>
  );
}
