import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { announce } from '../announce.ts';
import { useStableRows } from './use-stable-rows.ts';
import { useStableHeight } from './use-stable-height.ts';

/**
 * A part of a page that is made of rows. New rows wait behind a button in the line of its heading.
 *
 * @param empty what is shown while there is no row
 * @param children draws the rows that are shown
 */
export function RowsSection<R>({
  id,
  title,
  rows,
  keyOf,
  empty,
  children,
}: {
  id: string;
  title: string;
  rows: readonly R[];
  keyOf: (row: R) => string | number;
  empty: ComponentChildren;
  children: (held: readonly R[]) => ComponentChildren;
}) {
  const { held, newCount, showNew } = useStableRows(rows, keyOf);
  const hasNew = newCount > 0;
  useEffect(() => {
    if (hasNew) announce(`${newCount} new in ${title}`);
  }, [hasNew]);
  const isEmpty = held.length === 0;
  const body = useStableHeight<HTMLDivElement>(isEmpty, 'minHeight');
  return (
    <section aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>{title}</h2>
        {hasNew && (
          <button type="button" class="button button-news" onClick={showNew}>
            {newCount} new: show<span class="visually-hidden"> in {title}</span>
          </button>
        )}
      </div>
      <div ref={body}>{isEmpty ? empty : children(held)}</div>
    </section>
  );
}
