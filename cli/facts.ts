import type { Output } from './output.ts';
import type { Tone } from './paint.ts';
import { printableLine } from './printable.ts';

/** What is known of something: its name, its text, and the tone of that. */
export type Fact = readonly [name: string, text: string | null | undefined, tone?: Tone];

/** A title, and what is known under it, aligned; what is not known is left out. */
export function facts(
  { paint }: Pick<Output, 'paint'>,
  title: string,
  known: readonly Fact[],
): string {
  const shown = known.filter(([, text]) => text);
  const width = Math.max(0, ...shown.map(([name]) => name.length)) + 2;
  return [
    paint('strong', printableLine(title)),
    ...shown.map(
      ([name, text, tone = 'plain']) =>
        `  ${paint('faint', name.padEnd(width))}${paint(tone, printableLine(text ?? ''))}`,
    ),
  ].join('\n');
}
