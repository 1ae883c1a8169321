import { useLocation } from 'preact-iso/router';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../announce.ts';
import { count } from '../format.ts';
import { turnPage } from '../reader-place.ts';
import { Icon } from './icon.tsx';
import { Empty } from './notes.tsx';

/** More pages than these are too many to go through one by one. */
const FEW_PAGES = 3;

/** Which page of a list is shown, with links to the page before and after, and a way to any other. */
export function Pager({
  offset,
  shown,
  limit,
  total,
  addressOf,
}: {
  offset: number;
  /** Where the rows begin that are shown: those of the page before, while the page is loaded. */
  shown: number;
  limit: number;
  total: number;
  addressOf: (offset: number) => string;
}) {
  const { route } = useLocation();
  const before = useRef(offset);
  // Kept apart: whatever else changes on the page draws the list anew, and would put back the number that stood there.
  const [typed, setTyped] = useState<string>();
  const isTurned = useRef(false);
  // Not after the next frame: Back would have brought its reader to their place by then, and be taken for a new page.
  useLayoutEffect(() => {
    if (before.current === offset) return;
    before.current = offset;
    isTurned.current = turnPage();
  }, [offset]);
  // Not over another page, nor over another list.
  const first = addressOf(0);
  useLayoutEffect(() => setTyped(undefined), [first, offset]);
  const rows =
    shown < total
      ? `${count(shown + 1)}–${count(Math.min(shown + limit, total))} of ${count(total)}`
      : 'past the end';
  useEffect(() => {
    if (!isTurned.current || shown !== offset) return;
    isTurned.current = false;
    if (total > limit || offset > 0) announce(rows);
  }, [offset, shown]);
  if (total <= limit && offset === 0) return null;
  const last = Math.min(offset + limit, total);
  const pages = Math.ceil(total / limit);
  return (
    <nav class="pager" aria-label="Pages">
      <Way
        icon="left"
        word="Previous"
        to={offset > 0 ? addressOf(Math.max(0, offset - limit)) : undefined}
      />
      <span class="figure">{rows}</span>
      <Way icon="right" word="Next" to={last < total ? addressOf(offset + limit) : undefined} />
      {pages > FEW_PAGES && (
        <form
          class="pager-page"
          // A number after the last page leads to that.
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            const page = Math.floor(Number(typed));
            setTyped(undefined);
            if (page >= 1) route(addressOf((Math.min(page, pages) - 1) * limit));
          }}
        >
          <label>
            Page
            <input
              type="number"
              aria-label={`Page, of ${pages}`}
              min={1}
              max={pages}
              value={typed ?? Math.floor(offset / limit) + 1}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
              onBlur={() => setTyped((text) => text || undefined)}
            />
            of {count(pages)}
          </label>
          <button type="submit" class="button">
            Go<span class="visually-hidden"> to this page</span>
          </button>
        </form>
      )}
    </nav>
  );
}

/** In the place of a page of a list that has become shorter than that. */
export function PastTheEnd({
  total,
  limit,
  addressOf,
}: {
  total: number;
  limit: number;
  addressOf: (offset: number) => string;
}) {
  return (
    <Empty icon="unknown" title="The list ends before this page.">
      <p>
        It has {count(total)}.{' '}
        <a href={addressOf(Math.floor((total - 1) / limit) * limit)}>Go to its last page</a>.
      </p>
    </Empty>
  );
}

function Way({ icon, word, to }: { icon: 'left' | 'right'; word: string; to: string | undefined }) {
  const inside = (
    <>
      {icon === 'left' && <Icon name="left" />}
      {word}
      {icon === 'right' && <Icon name="right" />}
    </>
  );
  return to === undefined ? (
    <span class="button button-off">{inside}</span>
  ) : (
    <a class="button" href={to}>
      {inside}
    </a>
  );
}
