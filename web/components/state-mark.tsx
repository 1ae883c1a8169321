import type { Shown } from '../states.ts';
import { Icon } from './icon.tsx';

/** A state as an icon and a word. */
export function StateMark({ shown, isPlain = false }: { shown: Shown; isPlain?: boolean }) {
  return (
    <span class={`state state-${shown.tone}${isPlain ? ' state-plain' : ''}`}>
      <Icon name={shown.icon} />
      <span>{shown.word}</span>
    </span>
  );
}
