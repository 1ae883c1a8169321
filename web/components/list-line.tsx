import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { announce } from '../announce.ts';

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
