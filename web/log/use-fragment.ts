import { useEffect, useRef } from 'preact/hooks';

/**
 * Calls each time that the reader comes to a fragment of the address while the page is shown, be it the same again.
 *
 * @param come reads the fragment from the address, which has it by then
 */
export function useFragment(come: () => void): void {
  const latest = useRef(come);
  latest.current = come;
  useEffect(() => {
    const listener = () => latest.current();
    // The router opens a link of ours without a hashchange. What it does not take opens elsewhere.
    const onClick = (event: MouseEvent) => {
      if (!(event.target instanceof Element && event.target.closest('a[href*="#"]'))) return;
      setTimeout(() => {
        if (event.defaultPrevented) listener();
      });
    };
    addEventListener('hashchange', listener);
    addEventListener('click', onClick);
    return () => {
      removeEventListener('hashchange', listener);
      removeEventListener('click', onClick);
    };
  }, []);
}
