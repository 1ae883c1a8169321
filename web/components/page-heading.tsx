import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { useStableHeight } from './use-stable-height.ts';

let isFirstPage = true;

/**
 * The heading of a page. It names the document, and takes the focus when the page was come to by a link of ours, so that
 * a screen reader begins there.
 */
export function PageHeading({ title, children }: { title: string; children?: ComponentChildren }) {
  const heading = useStableHeight<HTMLHeadingElement>(title);
  useEffect(() => {
    document.title = `${title} · Airline`;
  }, [title]);
  useEffect(() => {
    const isSearching = document.activeElement?.matches('[data-search]') ?? false;
    if (!isFirstPage && !isSearching) {
      heading.current?.focus({ preventScroll: true });
      if (!location.hash) scrollTo(0, 0);
    }
    isFirstPage = false;
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} class="page-title">
      {children ?? title}
    </h1>
  );
}
