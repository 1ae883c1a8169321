import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Keeps an element as high as the reader has seen it when its content changes by itself, so that nothing below it
 * moves. A new width of the window frees it.
 *
 * @param content a value that changes with the content: the height is kept when it changes
 * @param property `height`: what has no room can be scrolled to; `minHeight`: it may grow, and does not shrink
 * @returns for the element, which has to be there from the first time to the last
 */
export function useStableHeight<E extends HTMLElement>(
  content: unknown,
  property: 'height' | 'minHeight' = 'height',
): RefObject<E | null> {
  const element = useRef<E>(null);
  const seenPx = useRef<number>(undefined);

  useLayoutEffect(() => {
    const at = element.current;
    if (!at) return undefined;
    // It is told after each drawing, so that a change finds what was seen before it.
    const watch = new ResizeObserver(() => {
      seenPx.current = at.offsetHeight;
    });
    watch.observe(at);
    const free = () => {
      at.style[property] = '';
      at.classList.remove('held');
    };
    addEventListener('resize', free);
    return () => {
      watch.disconnect();
      removeEventListener('resize', free);
    };
  }, []);

  useLayoutEffect(() => {
    const at = element.current;
    if (!at || seenPx.current === undefined || at.offsetHeight === seenPx.current) return;
    at.style[property] = `${seenPx.current}px`;
    at.classList.toggle('held', property === 'height');
  }, [content]);

  return element;
}
