import { count } from '../format.ts';
import { Icon } from './icon.tsx';

/** Which page of a list is shown, with links to the page before and after. */
export function Pager({
  offset,
  limit,
  total,
  addressOf,
}: {
  offset: number;
  limit: number;
  total: number;
  addressOf: (offset: number) => string;
}) {
  if (total <= limit && offset === 0) return null;
  const last = Math.min(offset + limit, total);
  return (
    <nav class="pager" aria-label="Pages">
      <Way
        icon="left"
        word="Previous"
        to={offset > 0 ? addressOf(Math.max(0, offset - limit)) : undefined}
      />
      <span class="figure">
        {count(Math.min(offset + 1, total))}–{count(last)} of {count(total)}
      </span>
      <Way icon="right" word="Next" to={last < total ? addressOf(offset + limit) : undefined} />
    </nav>
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
