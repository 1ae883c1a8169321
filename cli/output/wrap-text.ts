import stringWidth from 'string-width';

/**
 * Breaks a text at its spaces into lines that fit. A word that is wider by itself stays whole.
 *
 * @param width in characters
 * @param indent what begins every line but the first; by default the spaces that the text begins with, and two more
 */
export function wrapText(text: string, width: number, indent?: string): string {
  const start = /^ */.exec(text)?.[0] ?? '';
  const next = indent ?? (start === '' ? '' : `${start}  `);
  const lines: string[] = [];
  let line = '';
  for (const word of text.slice(start.length).split(' ')) {
    const before = lines.length === 0 ? start : next;
    const longer = line === '' ? before + word : `${line} ${word}`;
    if (line !== '' && stringWidth(longer) > width) {
      lines.push(line);
      line = next + word;
    } else line = longer;
  }
  return [...lines, line].join('\n');
}
