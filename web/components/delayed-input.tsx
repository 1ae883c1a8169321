import { useEffect, useRef, useState } from 'preact/hooks';

const TYPING_MS = 250;

/**
 * A field that says what it holds once its writer pauses. What comes from outside never replaces what is being typed,
 * unless the browser went back or forward.
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
  // Whoever goes back leaves what was typed on the page that is left.
  const isLeft = useRef(false);
  const [timesLeft, countLeft] = useState(0);
  useEffect(() => {
    const leave = () => {
      clearTimeout(timer.current);
      isLeft.current = true;
      countLeft((times) => times + 1);
    };
    addEventListener('popstate', leave);
    return () => {
      clearTimeout(timer.current);
      removeEventListener('popstate', leave);
    };
  }, []);
  useEffect(() => {
    const isTyping = input.current === document.activeElement && !isLeft.current;
    if (input.current && !isTyping) input.current.value = value;
  }, [value, timesLeft]);
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
        isLeft.current = false;
        timer.current = setTimeout(() => newest.current(typed), TYPING_MS);
      }}
    />
  );
}
