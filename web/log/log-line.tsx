import { Icon } from '../components/icon.tsx';
import { counted } from '../format.ts';
import type { LineRange } from './log-address.ts';
import { partsOf } from './log-text.ts';

/** A line of a log: its number, which is a link to it, and its text; of the title of a part, what folds that. */
export function LogLine({
  number,
  index,
  start,
  text,
  wanted,
  isTarget,
  isMarked,
  isCurrent,
  gutter,
  measure,
  addressOf,
  onExtend,
  fold,
}: {
  number: number;
  index: number;
  /** Its place from the top, in pixels. */
  start: number;
  text: string;
  wanted: string;
  isTarget: boolean;
  isMarked: boolean;
  isCurrent: boolean;
  /** Columns of its number. */
  gutter: number;
  measure: ((element: HTMLElement | null) => void) | undefined;
  addressOf: (lines: LineRange) => string;
  /** The lines that the address names are to go from where they begin to here. */
  onExtend: () => void;
  fold: { isFolded: boolean; lines: number; toggle: () => void } | undefined;
}) {
  const marks = [
    isTarget ? 'line-target' : '',
    isMarked ? 'line-marked' : '',
    isCurrent ? 'line-current' : '',
    fold ? 'line-title' : '',
  ];
  return (
    <div
      {...(measure ? { ref: measure } : {})}
      data-index={index}
      class={`line ${marks.join(' ')}`}
      style={{ transform: `translateY(${start}px)` }}
    >
      <a
        class="line-number"
        href={addressOf({ first: number, last: number })}
        tabIndex={-1}
        style={{ width: `${gutter}ch` }}
        aria-label={`Line ${number}`}
        onClick={(event) => {
          if (!event.shiftKey) return;
          event.preventDefault();
          onExtend();
        }}
      >
        {number}
      </a>
      {fold ? (
        <button
          type="button"
          class="line-fold"
          aria-expanded={!fold.isFolded}
          onClick={fold.toggle}
        >
          <Icon name={fold.isFolded ? 'right' : 'down'} size={12} />
          <Marked text={text.replace(/^\|\s?|\s*\|$/g, '')} wanted={wanted} />
          {fold.isFolded && <span class="muted"> {counted(fold.lines, 'line')}</span>}
        </button>
      ) : (
        <span class="line-text">
          <Marked text={text} wanted={wanted} />
        </span>
      )}
    </div>
  );
}

/** A text with what is searched for marked. */
function Marked({ text, wanted }: { text: string; wanted: string }) {
  return (
    <>
      {partsOf(text, wanted).map((part, place) =>
        part.isMatch ? <mark key={place}>{part.text}</mark> : part.text,
      )}
    </>
  );
}
