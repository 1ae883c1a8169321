import { printableLine } from '../domain/text/printable.ts';
import type { StateLabel } from './states.ts';

const SIGNS = { idle: '…', busy: '▸', ok: '✓', bad: '✗', warn: '!', off: '–' } as const;
const COLOURS = {
  idle: '#6b7280',
  busy: '#3d63c9',
  ok: '#2f9160',
  bad: '#c8443f',
  warn: '#b0662a',
  off: '#9a94ab',
} as const;
const PLAIN = '#3d63c9';

/** Shows in the tab, by a sign before its title and the colour of its icon, how what the page is about stands. */
export function showInTab(title: string, state: StateLabel | undefined): void {
  document.title = `${state ? `${SIGNS[state.tone]} ` : ''}${printableLine(title)} · Airline`;
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  const colour = state ? COLOURS[state.tone] : PLAIN;
  const drawing = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'><path d='M2 13.5 22 3l-5.5 18-4.2-7.2z' fill='${colour}'/></svg>`;
  if (icon) icon.href = `data:image/svg+xml;base64,${btoa(drawing)}`;
}
