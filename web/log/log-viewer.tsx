import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { announce } from '../announce.ts';
import { Icon } from '../components/icon.tsx';
import { count } from '../format.ts';
import { lineInAddress } from './log-address.ts';
import { MAX_MATCHES, partsOf, type LogText } from './log-text.ts';
import { useLines } from './use-lines.ts';

const LINE_HEIGHT = 20;
const TYPING_MS = 150;
/** Lines above the one that is gone to. */
const GUTTER_SPARE = 3;

/** A log of any length: search, links to lines, wrapping, download. */
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
  addressOf: (line: number) => string;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const [isWrapped, setWrapped] = useState(false);
  const [target, setTarget] = useState(() => lineInAddress());
  const [wanted, setWanted] = useState('');
  const [at, setAt] = useState(0);
  const matches = useMemo(() => (isLineNumber(wanted) ? [] : text.find(wanted)), [text, wanted]);
  const lines = useLines(scroller, text.count, LINE_HEIGHT);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const goTo = (line: number) => {
    const index = Math.min(Math.max(line, 1), text.count) - 1;
    lines.scrollToIndex(index, { align: 'center' });
  };

  useEffect(() => {
    const first = lineInAddress() ?? markedLine;
    if (first !== undefined) goTo(first);
    if (lineInAddress() !== undefined) scroller.current?.scrollIntoView({ block: 'center' });
    const onAddress = () => {
      const line = lineInAddress();
      setTarget(line);
      if (line === undefined) return;
      goTo(line);
      scroller.current?.scrollIntoView({ block: 'nearest' });
    };
    // A link of ours that names a line changes the address without a hashchange.
    const onClick = () => setTimeout(onAddress);
    addEventListener('hashchange', onAddress);
    addEventListener('click', onClick);
    return () => {
      removeEventListener('hashchange', onAddress);
      removeEventListener('click', onClick);
      clearTimeout(timer.current);
    };
  }, []);

  useEffect(() => lines.measure(), [isWrapped]);

  useEffect(() => {
    if (isLineNumber(wanted)) goTo(Number(wanted.slice(1)));
    else if (matches[0] !== undefined) goTo(matches[0]);
    setAt(0);
    if (wanted !== '' && !isLineNumber(wanted)) announce(matchPosition(matches.length, 0));
  }, [wanted, matches]);

  const step = (by: number) => {
    if (matches.length === 0) return;
    const next = (at + by + matches.length) % matches.length;
    setAt(next);
    goTo(matches[next] ?? 1);
    announce(`Match ${next + 1} of ${matches.length}, line ${matches[next]}`);
  };

  const current = isLineNumber(wanted) ? Number(wanted.slice(1)) : matches[at];
  const digits = String(text.count).length;
  return (
    <>
      <div class="log-bar">
        <form
          role="search"
          class="log-search"
          onSubmit={(event) => {
            event.preventDefault();
            step(1);
          }}
        >
          <label class="visually-hidden" for="log-search">
            Search the log
          </label>
          <input
            id="log-search"
            data-search
            type="search"
            placeholder="Search, or :123 for a line"
            spellcheck={false}
            onInput={(event) => {
              const { value } = event.currentTarget;
              clearTimeout(timer.current);
              timer.current = setTimeout(() => setWanted(value), TYPING_MS);
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !event.shiftKey) return;
              event.preventDefault();
              step(-1);
            }}
          />
          <span class="log-matches figure">
            {wanted !== '' && !isLineNumber(wanted) && matchPosition(matches.length, at)}
          </span>
          <button
            type="button"
            class="button button-bare"
            disabled={matches.length === 0}
            onClick={() => step(-1)}
          >
            <Icon name="up" />
            <span class="visually-hidden">Previous match</span>
          </button>
          <button type="submit" class="button button-bare" disabled={matches.length === 0}>
            <Icon name="down" />
            <span class="visually-hidden">Next match</span>
          </button>
        </form>
        <span class="log-end">
          <span class="muted figure wide-only">{count(text.count)} lines</span>
          <button
            type="button"
            class="button button-bare"
            aria-pressed={isWrapped}
            title="Wrap long lines"
            onClick={() => setWrapped(!isWrapped)}
          >
            <Icon name="wrap" />
            <span class="visually-hidden">Wrap long lines</span>
          </button>
          <a class="button button-bare" href={path} download={name} title="Download">
            <Icon name="download" />
            <span class="visually-hidden">Download {name}</span>
          </a>
        </span>
      </div>
      {isCut && (
        <p class="note note-warn">
          The log is too long to show here. Download it to read all of it.
        </p>
      )}
      <div
        ref={scroller}
        class={`log-lines ${isWrapped ? 'log-wrapped' : ''}`}
        role="region"
        aria-label={`Log ${name}`}
        tabIndex={0}
      >
        <div
          class="log-all"
          style={{
            height: `${lines.getTotalSize()}px`,
            ...(isWrapped ? {} : { minWidth: `${text.longest + digits + GUTTER_SPARE + 2}ch` }),
          }}
        >
          {lines.getVirtualItems().map(({ index, start }) => {
            const number = index + 1;
            const marks = [
              number === target ? 'line-target' : '',
              number === markedLine ? 'line-marked' : '',
              number === current ? 'line-current' : '',
            ];
            return (
              <div
                key={index}
                data-index={index}
                {...(isWrapped
                  ? { ref: (element: HTMLElement | null) => lines.measureElement(element) }
                  : {})}
                class={`line ${marks.join(' ')}`}
                style={{ transform: `translateY(${start}px)` }}
              >
                <a
                  class="line-number"
                  href={addressOf(number)}
                  tabIndex={-1}
                  style={{ width: `${digits + GUTTER_SPARE}ch` }}
                  aria-label={`Line ${number}`}
                >
                  {number}
                </a>
                <span class="line-text">
                  {partsOf(text.line(number), isLineNumber(wanted) ? '' : wanted).map(
                    (part, place) =>
                      part.isMatch ? <mark key={place}>{part.text}</mark> : part.text,
                  )}
                </span>
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}

function isLineNumber(wanted: string): boolean {
  return /^:\d+$/.test(wanted);
}

function matchPosition(matches: number, at: number): string {
  if (matches === 0) return 'no match';
  return `${count(at + 1)} of ${count(matches)}${matches === MAX_MATCHES ? '+' : ''}`;
}
