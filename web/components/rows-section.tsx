import type { ComponentChildren } from 'preact';
import type { News } from '../held-rows.ts';
import { useSteadyHeight } from './steady-height.ts';

/** A part of a page that is made of rows; those that came wait behind a button in the line of its heading. */
export function RowsSection({
  id,
  title,
  news,
  isEmpty,
  children,
}: {
  id: string;
  title: string;
  news: News;
  isEmpty: boolean;
  children: ComponentChildren;
}) {
  const body = useSteadyHeight<HTMLDivElement>(isEmpty, 'minHeight');
  return (
    <section aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>{title}</h2>
        {news.count > 0 && (
          <button type="button" class="button button-news" onClick={news.show}>
            {news.count} new: show<span class="unseen"> in {title}</span>
          </button>
        )}
      </div>
      <div ref={body}>{children}</div>
    </section>
  );
}
