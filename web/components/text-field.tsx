import type { ComponentProps } from 'preact';

/** A line of text of a form, with its label; required unless it says otherwise. */
export function TextField({ label, ...input }: { label: string } & ComponentProps<'input'>) {
  return (
    <label class="field">
      <span>{label}</span>
      <input required spellcheck={false} {...input} />
    </label>
  );
}
