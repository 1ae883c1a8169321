import { useEffect } from 'preact/hooks';
import { isVisible } from './page-visibility.ts';
import type { Resource } from './use-resource.ts';

/** Loads again and again, as long as the page is seen, what sends no events. */
export function useRepeated({ refresh }: Resource<unknown>, everyMs: number): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (isVisible.peek()) refresh();
    }, everyMs);
    return () => clearInterval(timer);
  }, []);
}
