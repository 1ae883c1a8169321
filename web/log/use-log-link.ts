import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { comeTo } from '../reader-place.ts';
import { LOG_HASH } from './log-address.ts';
import { useFragment } from './use-fragment.ts';

/** Has an address with `#log` lead to the log: to its section, and to the heading of that name in it. */
export function useLogLink(section: RefObject<HTMLElement | null>): void {
  const come = () => {
    const heading = section.current?.querySelector<HTMLElement>(LOG_HASH);
    if (section.current && heading && location.hash === LOG_HASH) comeTo(section.current, heading);
  };
  useFragment(come);
  useEffect(come, []);
}
