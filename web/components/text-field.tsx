import type { ComponentProps } from 'preact';
import { useFault } from './field-faults.tsx';

/**
 * A line of text of a form, with its label; required unless it says otherwise. What is wrong with it is said below it.
 */
export function TextField({ label, ...input }: { label: string } & ComponentProps<'input'>) {
  const { attributes, said } = useFault(typeof input.name === 'string' ? input.name : undefined);
  return (
    <label class="field">
      <span>{label}</span>
      <input required spellcheck={false} {...input} {...attributes} />
      {said}
    </label>
  );
}
