import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { CloseButton, Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { ErrorNote } from '../components/notes.tsx';
import type { Found } from '../server/api-types.ts';
import { asRequestError, request, type RequestError } from '../server/request.ts';
import { findOf, knownFinds, type Find } from './finds.ts';

const TYPING_MS = 150;

/** One box for everything that has a page. Arrows choose, Enter opens. */
export function SearchBox({ go, onClose }: { go: (path: string) => void; onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  // Enter was pressed for this text before anything was found for it.
  const [entered, setEntered] = useState<string>();
  const { found, of, isBusy, error, reload } = useFound(text);
  const listId = useId();
  const list = useRef<HTMLUListElement>(null);
  const finds = [...found.map(findOf), ...knownFinds(text)];
  if (text !== '')
    finds.push({
      key: 'tickets',
      icon: 'search',
      kind: 'Search',
      name: `Tickets with “${text}”`,
      detail: 'open and closed',
      to: `/tickets?${new URLSearchParams({ show: 'all', q: text })}`,
    });
  const chosen = Math.min(at, finds.length - 1);
  const optionId = (index: number) => `${listId}-${index}`;

  const open = (find: Find | undefined) => {
    if (!find) return;
    onClose();
    go(find.to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      setAt((chosen + step + finds.length) % finds.length);
      setEntered(undefined);
    } else if (event.key !== 'Enter') return;
    // What stands first may still be what was found for another text.
    else if (of === text || at > 0) open(finds[chosen]);
    else setEntered(text);
    event.preventDefault();
  };
  const isAwaited = entered === text && of === text;
  useEffect(() => {
    if (isAwaited) open(finds[0]);
  }, [isAwaited]);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);

  return (
    <Dialog title="Search" onClose={onClose} isBare>
      <div>
        <div class="search-line">
          <Icon name="search" />
          <input
            type="text"
            role="combobox"
            aria-label="Search for a ticket, a build, a package, a version, a PPA or a failure"
            aria-expanded="true"
            aria-controls={listId}
            aria-activedescendant={finds.length > 0 ? optionId(chosen) : undefined}
            placeholder="#441, a build, package, version, PPA, failure class …"
            spellcheck={false}
            autoComplete="off"
            onInput={(event) => {
              setText(event.currentTarget.value.trim());
              setAt(0);
              setEntered(undefined);
            }}
            onKeyDown={onKeyDown}
          />
          <kbd class="wide-only" aria-hidden="true">
            Esc
          </kbd>
          <CloseButton onClick={onClose} />
        </div>
        {error && <ErrorNote needsReader error={error} retry={reload} />}
        <ul
          ref={list}
          id={listId}
          role="listbox"
          class="finds"
          aria-label="Found"
          aria-busy={isBusy}
        >
          {finds.map((find, index) => (
            <li
              key={find.key}
              id={optionId(index)}
              role="option"
              aria-selected={index === chosen}
              onClick={() => open(find)}
              onMouseMove={() => setAt(index)}
            >
              <Icon name={find.icon} />
              <span class="cut">{find.name}</span>
              <span class="find-detail">{find.detail}</span>
              <span class="find-kind">{find.kind}</span>
            </li>
          ))}
        </ul>
        <p class="visually-hidden" role="status">
          {isBusy ? 'Searching' : `${finds.length} found`}
        </p>
      </div>
    </Dialog>
  );
}

/**
 * What the API finds, once the writer pauses; what was found before stays until then.
 *
 * @returns `of`: the text that the rest is the answer to
 */
function useFound(text: string) {
  const [state, setState] = useState<{
    found: readonly Found[];
    of: string;
    error?: RequestError;
  }>({ found: [], of: '' });
  const [isBusy, setBusy] = useState(false);
  const [reloads, setReloads] = useState(0);
  useEffect(() => {
    if (text === '') {
      setState({ found: [], of: '' });
      setBusy(false);
      return undefined;
    }
    const gone = new AbortController();
    setBusy(true);
    const load = async () => {
      try {
        const { body } = await request<{ objects: Found[] }>(
          'GET',
          `/api/v1/search/?${new URLSearchParams({ q: text })}`,
          { signal: gone.signal },
        );
        setState({ found: body.objects, of: text });
      } catch (error) {
        if (gone.signal.aborted) return;
        setState({ found: [], of: text, error: asRequestError(error) });
      }
      setBusy(false);
    };
    const timer = setTimeout(() => void load(), TYPING_MS);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [text, reloads]);
  return { ...state, isBusy, reload: () => setReloads((before) => before + 1) };
}
