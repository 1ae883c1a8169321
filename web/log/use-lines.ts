import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';

const OVERSCAN = 20;

/** Keeps the lines in the document that are seen, and some around them. */
export function useLines(
  scroller: RefObject<HTMLDivElement | null>,
  count: number,
  heightOf: (row: number) => number,
): Virtualizer<HTMLElement, HTMLElement> {
  const [, render] = useReducer((renders: number) => renders + 1, 0);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: heightOf,
    overscan: OVERSCAN,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => render(undefined),
  };
  const lines = useRef<Virtualizer<HTMLElement, HTMLElement>>(null);
  lines.current ??= new Virtualizer<HTMLElement, HTMLElement>(options);
  const virtualizer = lines.current;
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}
