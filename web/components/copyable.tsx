import { useEffect, useState } from 'preact/hooks';
import { announce } from '../announce.ts';
import { Icon } from './icon.tsx';

const SAID_MS = 2_000;

/** A text that is typed or pasted elsewhere, with a button that copies it. @param label what it is */
export function Copyable({ text, label }: { text: string; label: string }) {
  const [outcome, setOutcome] = useState<'Copied' | 'Press Ctrl-C'>();
  useEffect(() => {
    if (!outcome) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), SAID_MS);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = async (code: Element | null) => {
    const isCopied = await copied(text);
    // A page that is served over plain HTTP from another machine may not write the clipboard: the reader can.
    if (!isCopied && code) getSelection()?.selectAllChildren(code);
    setOutcome(isCopied ? 'Copied' : 'Press Ctrl-C');
    announce(isCopied ? `${label} was copied` : `${label} is selected: press Ctrl-C`);
  };

  return (
    <div class="copyable">
      <pre class="command" tabIndex={0} aria-label={label}>
        <code>{text}</code>
      </pre>
      <button
        type="button"
        class="button"
        onClick={({ currentTarget }) =>
          void copy(currentTarget.parentElement?.querySelector('code') ?? null)
        }
      >
        <Icon name="copy" />
        {outcome ?? 'Copy'}
        <span class="visually-hidden"> {label}</span>
      </button>
    </div>
  );
}

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
