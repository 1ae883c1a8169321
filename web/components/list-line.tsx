import type { ComponentChildren } from 'preact';

/** The line over a list: what is said of it, and the button that shows what has changed meanwhile. */
export function ListLine({
  hasNews,
  showNews,
  children,
}: {
  hasNews: boolean;
  showNews: () => void;
  children: ComponentChildren;
}) {
  return (
    <div class="list-line">
      {children}
      {hasNews && (
        <button type="button" class="button button-news" onClick={showNews}>
          The list has changed: reload it
        </button>
      )}
    </div>
  );
}
