import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { isKeptUp } from '../server/page-visibility.ts';
import { showInTab } from '../tab-state.ts';
import type { StateLabel } from '../states.ts';
import { takeOverFocus } from '../reader-place.ts';
import { useStableHeight } from './use-stable-height.ts';

/**
 * The heading of a page. It names the document, and has the focus when the page was come to by a link of ours, so that
 * a screen reader begins there.
 *
 * @param state how what the page is about stands: the tab shows it, as long as that is kept up to date
 */
export function PageHeading({
  title,
  state,
  children,
}: {
  title: string;
  state?: StateLabel | undefined;
  children?: ComponentChildren;
}) {
  const heading = useStableHeight<HTMLHeadingElement>(title);
  const shown = isKeptUp.value ? state : undefined;
  useLayoutEffect(() => {
    showInTab(title, shown);
  }, [title, shown?.tone]);
  useEffect(() => {
    takeOverFocus();
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} class="page-title">
      {children ?? title}
    </h1>
  );
}
