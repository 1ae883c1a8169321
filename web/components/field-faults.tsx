import { createContext } from 'preact';
import { useContext, useId } from 'preact/hooks';

/** What the API found wrong with fields of the form, by their names. */
export const FieldFaults = createContext<Readonly<Record<string, string[]>>>({});

/**
 * What is wrong with a field.
 *
 * @returns attributes for its input, and what is said below it
 */
export function useFault(name: string | undefined) {
  const id = useId();
  const faults = useContext(FieldFaults)[name ?? ''];
  if (!faults) return { attributes: {}, said: null };
  return {
    attributes: { 'aria-invalid': true, 'aria-describedby': id },
    said: (
      <span id={id} class="field-fault">
        {faults.join(' ')}
      </span>
    ),
  };
}
