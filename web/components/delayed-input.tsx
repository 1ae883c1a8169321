import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

const TYPING_MS = 250;

/**
 * A field that says what it holds once its writer pauses. What comes of that never replaces what is typed meanwhile;
 * whatever else is asked for does, and so does going back or forward.
 *
 * @param isSearch it is where `f` leads to
 */
export function DelayedInput({
  value,
  placeholder,
  isSearch = false,
  onValue,
}: {
  value: string;
  placeholder: string;
  isSearch?: boolean;
  onValue: (value: string) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // What else was asked for while its writer paused is known to the newest alone.
  const newest = useRef(onValue);
  newest.current = onValue;
  // Whether the value that comes next is what was typed here.
  const isOwn = useRef(false);
  // Where its writer pauses or goes back, the value may stay the same.
  const [turns, countTurn] = useState(0);
  const takeTurn = () => countTurn((before) => before + 1);
  useEffect(() => {
    const leave = () => {
      clearTimeout(timer.current);
      takeTurn();
    };
    addEventListener('popstate', leave);
    return () => {
      clearTimeout(timer.current);
      removeEventListener('popstate', leave);
    };
  }, []);
  // At once: what is typed next is not to be lost.
  useLayoutEffect(() => {
    const isKept = isOwn.current;
    isOwn.current = false;
    if (isKept) return;
    clearTimeout(timer.current);
    if (input.current) input.current.value = value;
  }, [value, turns]);
  return (
    <input
      ref={input}
      {...(isSearch ? { 'data-search': true } : {})}
      type="search"
      defaultValue={value}
      placeholder={placeholder}
      spellcheck={false}
      onInput={(event) => {
        const { value: typed } = event.currentTarget;
        clearTimeout(timer.current);
        timer.current = setTimeout(() => {
          isOwn.current = true;
          newest.current(typed);
          takeTurn();
        }, TYPING_MS);
      }}
    />
  );
}
