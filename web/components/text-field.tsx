import type { ComponentProps } from 'preact';
import { useState } from 'preact/hooks';
import { useFault } from './field-faults.tsx';

/**
 * A line of text of a form, with its label; required unless it says otherwise. What is wrong with it is said below it.
 * It stays as it was first filled in: a browser gives a field that nobody has touched each later default.
 */
export function TextField({
  label,
  defaultValue,
  ...input
}: { label: string } & ComponentProps<'input'>) {
  const [filledIn] = useState(defaultValue);
  const { attributes, said } = useFault(typeof input.name === 'string' ? input.name : undefined);
  return (
    <label class="field">
      <span>{label}</span>
      <input required spellcheck={false} {...input} defaultValue={filledIn} {...attributes} />
      {said}
    </label>
  );
}
