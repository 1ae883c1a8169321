/**
 * Characters that change what a reader sees instead of being seen: control characters but tab and line feed, the
 * line separators that some readers break lines at, and the marks, embeddings, overrides and isolates of text
 * direction (Unicode Standard Annex 9). Half of a surrogate pair is not a character, and PostgreSQL's jsonb refuses it.
 */
const UNPRINTABLE =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\p{Surrogate}]/gu;
const CONTROL_PICTURES = 0x2400;
const DELETE = 0x7f;
const PICTURE_OF_DELETE = '\u2421';

/**
 * A text that can be shown on a terminal or a page and does nothing there: each character that would act is replaced
 * by a visible one, an escape character by ␛, an override by `<U+202E>`. Lines stay the lines that they were.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
    if (code === DELETE) return PICTURE_OF_DELETE;
    return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

/** A text as `printable` makes it, on one line. */
export function printableLine(text: string): string {
  const onOneLine = text.replace(/\s+/g, (white) => (/[\r\n]/.test(white) ? ' ' : white));
  return printable(onOneLine.replaceAll('\t', ' '));
}

/** A text of JSON that does nothing on a terminal: each character that would act is an escape. It is the same JSON. */
export function printableJson(json: string): string {
  return json.replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A value of JSON with every text in it printable. */
export function printableThroughout<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    typeof part === 'string' ? printable(part) : part,
  ) as T;
}
