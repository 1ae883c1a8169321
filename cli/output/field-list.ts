import type { Output } from './output.ts';
import type { Tone } from './colours.ts';
import { printableLine } from '../../domain/text/printable.ts';

/** What is known of something: its name, its text, and the tone of that. */
export type Field = readonly [name: string, text: string | null | undefined, tone?: Tone];

/** A title, and what is known under it, aligned; what is not known is left out. */
export function fieldList(
  { colour }: Pick<Output, 'colour'>,
  title: string,
  known: readonly Field[],
): string {
  const shown = known.filter(([, text]) => text);
  const width = Math.max(0, ...shown.map(([name]) => name.length)) + 2;
  return [
    colour('strong', printableLine(title)),
    ...shown.map(
      ([name, text, tone = 'plain']) =>
        `  ${colour('faint', name.padEnd(width))}${colour(tone, printableLine(text ?? ''))}`,
    ),
  ].join('\n');
}
