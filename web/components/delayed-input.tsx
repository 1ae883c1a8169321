import { useEffect, useRef } from 'preact/hooks';

const TYPING_MS = 250;

/**
 * A field that says what it holds once its writer pauses. What comes from outside never replaces what is being typed.
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
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (input.current && input.current !== document.activeElement) input.current.value = value;
  }, [value]);
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
        timer.current = setTimeout(() => newest.current(typed), TYPING_MS);
      }}
    />
  );
}
