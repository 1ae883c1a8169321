import type { StateLabel } from '../states.ts';
import { Icon } from './icon.tsx';

/** A state as an icon and a word. */
export function StateBadge({ label, isPlain = false }: { label: StateLabel; isPlain?: boolean }) {
  return (
    <span class={`state state-${label.tone}${isPlain ? ' state-plain' : ''}`}>
      <Icon name={label.icon} />
      <span>{label.word}</span>
    </span>
  );
}
