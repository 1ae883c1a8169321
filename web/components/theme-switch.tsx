import { signal } from '@preact/signals';
import { readStored, store } from '../storage.ts';
import { Icon } from './icon.tsx';

const SCHEMES = [
  { name: 'auto', word: 'as the system', icon: 'scheme' },
  { name: 'light', word: 'light', icon: 'sun' },
  { name: 'dark', word: 'dark', icon: 'moon' },
] as const;
type Scheme = (typeof SCHEMES)[number];

/** Which colours are chosen; theme.ts sets them before the first paint. */
export const scheme = signal<Scheme>(
  SCHEMES.find(({ name }) => name === readStored('theme')) ?? SCHEMES[0],
);

/** Goes through the schemes: as the system says, light, dark. */
export function ThemeSwitch() {
  const { icon, word } = scheme.value;
  return (
    <button
      type="button"
      class="button button-bare"
      title={`Colours: ${word}`}
      onClick={() => choose(SCHEMES[(SCHEMES.indexOf(scheme.value) + 1) % SCHEMES.length])}
    >
      <Icon name={icon} />
      <span class="visually-hidden">Colours: {word}. Change</span>
    </button>
  );
}

function choose(next: Scheme = SCHEMES[0]): void {
  scheme.value = next;
  const name = next.name === 'auto' ? null : next.name;
  store('theme', name);
  if (name === null) delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = name;
}
