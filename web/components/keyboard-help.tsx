import { hasShortcuts, setShortcuts } from '../keyboard.ts';
import { SITE_MAP } from '../site-map.ts';
import { Dialog } from './dialog.tsx';

const KEYS = [
  ['/', 'Search everything; Ctrl-K does, too'],
  ['f', 'Filter the list, or search the log, of this page'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open the row'],
  ...SITE_MAP.flatMap(({ key, word }) =>
    key === undefined ? [] : [[`g then ${key}`, `Go to the ${word.toLowerCase()}`] as const],
  ),
  ['?', 'This help'],
] as const;

/** What the keys do. */
export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <p>
        The rest is in the{' '}
        <a href="/help" onClick={onClose}>
          documentation
        </a>
        .
      </p>
      <dl class="keys">
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys
                .split(' ')
                .map((part) => (part === 'then' ? ' then ' : <kbd key={part}>{part}</kbd>))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">In a log, Enter goes to the next match and Shift+Enter to the one before.</p>
      <label class="check">
        <input
          type="checkbox"
          checked={hasShortcuts.value}
          onChange={(event) => setShortcuts(event.currentTarget.checked)}
        />
        Use single-key shortcuts
      </label>
    </Dialog>
  );
}
