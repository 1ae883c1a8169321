import { useLocation } from 'preact-iso/router';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { announce } from '../announce.ts';
import { Icon } from '../components/icon.tsx';
import { count } from '../format.ts';
import { linesInAddress, type LineRange } from './log-address.ts';
import { LogBar } from './log-bar.tsx';
import { LogLine } from './log-line.tsx';
import { foldedAtFirst, partsOfLog, type LogPart } from './log-parts.ts';
import { LogRows } from './log-rows.ts';
import { MAX_MATCHES, type LogText } from './log-text.ts';
import { useFragment } from './use-fragment.ts';
import { useLines } from './use-lines.ts';

const LINE_HEIGHT = 20;
/** What folds can be hit with a finger. */
const TITLE_HEIGHT = 24;
/** Columns beside the digits of a line's number. */
const GUTTER_SPARE = 3;
/** What is searched for stands no nearer to the edge, in pixels. */
const MARK_MARGIN = 40;

/** A log of any length: its parts, search, links to lines, wrapping, download. */
export function LogViewer({
  text,
  name,
  path,
  isCut,
  markedLine,
  addressOf,
}: {
  text: LogText;
  name: string;
  path: string;
  isCut: boolean;
  /** The line that says why the build failed. */
  markedLine: number | undefined;
  addressOf: (lines: LineRange) => string;
}) {
  const { route } = useLocation();
  const scroller = useRef<HTMLDivElement>(null);
  const [isWrapped, setWrapped] = useState(false);
  const [target, setTarget] = useState(() => linesInAddress());
  const parts = useMemo(() => partsOfLog(text), [text]);
  const [folded, setFolded] = useState(() => foldedAtFirst(parts, [markedLine, target?.first]));
  const [near, setNear] = useState(1);
  const rows = useMemo(
    () => new LogRows(text.count, parts, folded, near),
    [text, parts, folded, near],
  );
  const [wanted, setWanted] = useState('');
  const [at, setAt] = useState(0);
  const named = namedLines(wanted);
  const matches = useMemo(() => (named ? [] : text.find(wanted)), [text, wanted]);
  const titles = useMemo(() => new Map(parts.map((part) => [part.titleLine, part])), [parts]);
  const lines = useLines(scroller, rows.count, (row) =>
    titles.has(rows.lineAt(row)) ? TITLE_HEIGHT : LINE_HEIGHT,
  );
  const goal = useRef<number>(undefined);
  const isMarkWanted = useRef(false);
  const [, rerender] = useState({});

  /** Goes to a line once it is unfolded. */
  const goTo = (line: number) => {
    goal.current = Math.min(Math.max(line, 1), text.count);
    const part = partOf(parts, goal.current);
    if (part && folded.has(part.titleLine)) toggle(part, false);
    else rerender({});
  };
  const toggle = ({ titleLine }: LogPart, isFolded = !folded.has(titleLine)) =>
    setFolded((before) => {
      const after = new Set(before);
      if (isFolded) after.add(titleLine);
      else after.delete(titleLine);
      return after;
    });

  useLayoutEffect(() => {
    if (goal.current === undefined) return;
    if (text.count > 0 && !rows.has(goal.current)) {
      setNear(goal.current);
      return;
    }
    lines.scrollToIndex(rows.rowOf(goal.current), { align: 'center' });
    goal.current = undefined;
  });
  // What is searched for may be far to the right in its line, which is drawn when it is come to.
  useLayoutEffect(() => {
    const box = scroller.current;
    const mark = isMarkWanted.current ? box?.querySelector('.line-current mark') : null;
    if (!box || !mark) return;
    isMarkWanted.current = false;
    const gutterPx = box.querySelector('.line-number')?.clientWidth ?? 0;
    const leftPx = mark.getBoundingClientRect().left - box.getBoundingClientRect().left;
    const isSeen = leftPx > gutterPx && leftPx < box.clientWidth - MARK_MARGIN;
    if (!isSeen) box.scrollLeft = Math.max(0, box.scrollLeft + leftPx - box.clientWidth / 2);
  });

  const takeAddress = () => {
    const range = linesInAddress();
    setTarget(range);
    return range;
  };
  useFragment(() => {
    const range = takeAddress();
    if (!range) return;
    goTo(range.first);
    scroller.current?.scrollIntoView({ block: 'nearest' });
  });

  useEffect(() => {
    const first = linesInAddress()?.first ?? markedLine;
    if (first !== undefined) goTo(first);
    if (linesInAddress() !== undefined) scroller.current?.scrollIntoView({ block: 'center' });
  }, []);

  useEffect(() => lines.measure(), [isWrapped, folded, near]);

  useEffect(() => {
    setAt(0);
    if (named) goTo(named.first);
    else if (wanted !== '') {
      isMarkWanted.current = true;
      if (matches[0] !== undefined) goTo(matches[0]);
      announce(matchPosition(matches.length, 0));
    }
  }, [wanted, matches]);

  /** Names lines in the address, so that they can be linked to. */
  const nameLines = (range: LineRange) => {
    route(addressOf(range), true);
    takeAddress();
    announce(
      range.first === range.last ? `Line ${range.first}` : `Lines ${range.first} to ${range.last}`,
    );
  };
  const step = (by: number, typed: string) => {
    const typedLines = namedLines(typed);
    if (typed !== wanted) setWanted(typed);
    if (typedLines)
      nameLines({
        first: Math.min(typedLines.first, text.count),
        last: Math.min(typedLines.last, text.count),
      });
    // A new text leads to its first match.
    if (typedLines || typed !== wanted || matches.length === 0) return;
    const next = (at + by + matches.length) % matches.length;
    setAt(next);
    isMarkWanted.current = true;
    goTo(matches[next] ?? 1);
    announce(`Match ${next + 1} of ${matches.length}, line ${matches[next]}`);
  };
  /**
   * With Shift and an arrow, the lines that are named begin with the first that is seen, and grow or shrink at their
   * end.
   */
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by === 0 || !event.shiftKey) return;
    event.preventDefault();
    const topPx = lines.scrollOffset ?? 0;
    const seen = rows.lineAt(
      lines.getVirtualItems().find(({ start }) => start >= topPx)?.index ?? 0,
    );
    const range = target
      ? {
          first: target.first,
          last: Math.max(target.first, Math.min(target.last + by, text.count)),
        }
      : { first: seen, last: seen };
    nameLines(range);
    lines.scrollToIndex(rows.rowOf(range.last), { align: 'auto' });
  };

  const current = named?.first ?? matches[at];
  const digits = String(text.count).length;
  return (
    <>
      <LogBar
        name={name}
        path={path}
        lines={text.count}
        position={wanted !== '' && !named ? matchPosition(matches.length, at) : ''}
        canStep={matches.length > 0 || named !== undefined}
        onSearch={setWanted}
        onStep={step}
        isWrapped={isWrapped}
        onWrap={() => setWrapped(!isWrapped)}
      />
      {parts.length > 1 && (
        <nav class="log-parts" aria-label="Parts of the log">
          {parts.map(({ title, titleLine }) => (
            <a key={titleLine} href={addressOf({ first: titleLine, last: titleLine })}>
              {title}
            </a>
          ))}
          <button
            type="button"
            class="button button-bare"
            onClick={() =>
              setFolded(folded.size > 0 ? new Set() : new Set(parts.map((part) => part.titleLine)))
            }
          >
            {folded.size > 0 ? 'Unfold all' : 'Fold all'}
          </button>
        </nav>
      )}
      {isCut && (
        <p class="note note-warn">
          <Icon name="warning" />
          <span>The log is too long to show here. Download it to read all of it.</span>
        </p>
      )}
      {!rows.areAll && (
        <p class="note note-warn">
          <Icon name="warning" />
          <span>
            Lines {count(rows.lineAt(0))} to {count(rows.lineAt(rows.count - 1))} are here: a
            browser shows no more at once. The search leads to the others: type :{text.count} for
            the last.
          </span>
        </p>
      )}
      <div
        ref={scroller}
        class={`log-lines ${isWrapped ? 'log-wrapped' : ''}`}
        role="region"
        aria-label={`Log ${name}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div
          class="log-all"
          style={{
            height: `${lines.getTotalSize()}px`,
            ...(isWrapped ? {} : { minWidth: `${text.longest + digits + GUTTER_SPARE + 2}ch` }),
          }}
        >
          {lines.getVirtualItems().map(({ index, start }) => {
            const number = rows.lineAt(index);
            const part = titles.get(number);
            const isIn = target !== undefined && target.first <= number && number <= target.last;
            return (
              <LogLine
                key={number}
                number={number}
                index={index}
                start={start}
                text={text.line(number)}
                wanted={named ? '' : wanted}
                isTarget={isIn}
                isMarked={number === markedLine}
                isCurrent={number === current}
                gutter={digits + GUTTER_SPARE}
                measure={isWrapped ? lines.measureElement : undefined}
                addressOf={addressOf}
                onExtend={() => {
                  const from = target?.first ?? number;
                  nameLines({ first: Math.min(from, number), last: Math.max(from, number) });
                }}
                fold={
                  part && {
                    isFolded: folded.has(part.titleLine),
                    lines: part.last - part.titleLine,
                    toggle: () => toggle(part),
                  }
                }
              />
            );
          })}
        </div>
      </div>
    </>
  );
}

function partOf(parts: readonly LogPart[], line: number): LogPart | undefined {
  return parts.find(({ first, last }) => first <= line && line <= last);
}

/** The lines that a search names: `:50`, `:10-20`. */
function namedLines(wanted: string): LineRange | undefined {
  const named = /^:(\d{1,9})(?:-(\d{1,9}))?$/.exec(wanted);
  if (!named) return undefined;
  const one = Number(named[1]);
  const other = Number(named[2] ?? named[1]);
  return { first: Math.min(one, other), last: Math.max(one, other) };
}

function matchPosition(matches: number, at: number): string {
  if (matches === 0) return 'no match';
  return `${count(at + 1)} of ${count(matches)}${matches === MAX_MATCHES ? '+' : ''}`;
}
