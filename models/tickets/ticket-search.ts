import type { Condition } from '../sql/conditions.ts';

/** As people write it, too: `#441`. */
const NUMBER = /^#?(\d{1,9})$/;
/** What the index of trigrams finds; without it, every text has to be read. */
const INDEXED = /[\p{L}\p{N}]{3}/u;
/** So many tickets, the newest, are searched for words that the index does not find. */
const MAX_READ = 20_000;
/** Null where there are fewer. Counted, since a caller may choose an id far above all others. */
const OLDEST_READ = `SELECT id FROM ticket ORDER BY id DESC OFFSET ${MAX_READ - 1} LIMIT 1`;

/**
 * What tickets must have in which all words are found, in any case: in title, owner, bug or the first 10,000 characters
 * of the description, or in the name of a source package of a subticket. One word that is a number, `#` before it or
 * not, finds the ticket of that id, too; `#7`, which is too short for the index, that ticket alone. Words without three
 * letters or digits in a row are looked for in the newest tickets alone.
 */
export function ticketSearch(words: readonly string[]): Condition[] {
  const [first, ...others] = words;
  if (first === undefined) return [];
  const id = others.length === 0 ? numberIn(first) : undefined;
  return [
    {
      sqlWith: (placeholderOf) => {
        // A short number behind # is that of a ticket: no index finds it in texts.
        if (id !== undefined && first.startsWith('#') && !INDEXED.test(first))
          return `id = ${placeholderOf(id)}::integer`;
        const found = words.map(
          (word) => `text LIKE lower(${placeholderOf(`%${escapePattern(word)}%`)})`,
        );
        if (!words.some((word) => INDEXED.test(word)))
          found.push(`ticket_id >= coalesce((${OLDEST_READ}), 0)`);
        const ofId = id === undefined ? '' : ` UNION ALL SELECT ${placeholderOf(id)}::integer`;
        return `id IN (SELECT ticket_id FROM ticket_text WHERE ${found.join(' AND ')}${ofId})`;
      },
    },
  ];
}

/** The number that a word is, with or without `#` before it. */
export function numberIn(word: string): number | undefined {
  const digits = NUMBER.exec(word)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The word as a pattern of LIKE takes it that means nothing else. */
export function escapePattern(word: string): string {
  return word.replaceAll(/[\\%_]/g, String.raw`\$&`);
}
