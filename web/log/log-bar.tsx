import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { count } from '../format.ts';

const TYPING_MS = 150;

/** What can be done with a log: search it, go to a line, wrap its lines, download it. */
export function LogBar({
  name,
  path,
  lines,
  position,
  canStep,
  onSearch,
  onStep,
  isWrapped,
  onWrap,
}: {
  name: string;
  path: string;
  /** How many it has. */
  lines: number;
  /** Which match is shown, of how many. */
  position: string;
  canStep: boolean;
  onSearch: (wanted: string) => void;
  /** Goes to the next match of what is typed now, which may not have been searched for yet, or to the one before. */
  onStep: (by: 1 | -1, typed: string) => void;
  isWrapped: boolean;
  onWrap: () => void;
}) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => () => clearTimeout(timer.current), []);
  const step = (by: 1 | -1) => {
    clearTimeout(timer.current);
    onStep(by, box.current?.value ?? '');
  };
  return (
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
          ref={box}
          id="log-search"
          data-search
          type="search"
          placeholder="Search, or :12 or :12-20 for lines"
          title="Enter after :12 or :12-20 names the lines in the address; in the log, Shift and an arrow do"
          spellcheck={false}
          onInput={(event) => {
            const { value } = event.currentTarget;
            clearTimeout(timer.current);
            timer.current = setTimeout(() => onSearch(value), TYPING_MS);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !event.shiftKey) return;
            event.preventDefault();
            step(-1);
          }}
        />
        <span class="log-matches figure">{position}</span>
        <button
          type="button"
          class="button button-bare"
          disabled={!canStep}
          onClick={() => step(-1)}
        >
          <Icon name="up" />
          <span class="visually-hidden">Previous match</span>
        </button>
        {/* One that submits the form would keep Enter from doing so while it is disabled. */}
        <button
          type="button"
          class="button button-bare"
          disabled={!canStep}
          onClick={() => step(1)}
        >
          <Icon name="down" />
          <span class="visually-hidden">Next match</span>
        </button>
      </form>
      <span class="log-end">
        <span class="muted figure wide-only">{count(lines)} lines</span>
        <button
          type="button"
          class="button button-bare"
          aria-pressed={isWrapped}
          title="Wrap long lines"
          onClick={onWrap}
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
  );
}
