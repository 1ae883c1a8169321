import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/**
 * The filters of a list. Where there is little room, all but the first are folded until they are asked for.
 *
 * @param given.set how many of the others narrow the list
 */
export function FoldedFilters({ set, children }: { set: number; children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <form
      class={`filters filters-many ${isOpen ? '' : 'filters-folded'}`}
      role="search"
      onSubmit={(event) => event.preventDefault()}
    >
      {children}
      <button
        type="button"
        class="button filters-more"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? 'Fewer filters' : `More filters${set > 0 ? `, ${set} set` : ''}`}
      </button>
    </form>
  );
}
