import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { takeOverFocus } from '../reader-place.ts';
import { useStableHeight } from './use-stable-height.ts';

/**
 * The heading of a page. It names the document, and has the focus when the page was come to by a link of ours, so that a
 * screen reader begins there.
 */
export function PageHeading({ title, children }: { title: string; children?: ComponentChildren }) {
  const heading = useStableHeight<HTMLHeadingElement>(title);
  useEffect(() => {
    document.title = `${title} · Airline`;
  }, [title]);
  useEffect(() => {
    takeOverFocus();
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} class="page-title">
      {children ?? title}
    </h1>
  );
}
