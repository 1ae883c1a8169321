const MIN_WIDTH = 3;

/**
 * A table as Prettier formats it, the first row being its head.
 *
 * @param isRight whether a column is aligned to the right, as numbers are; default: none is
 */
export function markdownTable(
  rows: readonly (readonly string[])[],
  isRight: readonly boolean[] = [],
): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(MIN_WIDTH, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = line(
    widths.map((width, column) => '-'.repeat(width - 1) + (isRight[column] ? ':' : '-')),
  );
  const [head = '', ...body] = rows.map((row) =>
    line(
      row.map((cell, column) =>
        isRight[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      ),
    ),
  );
  return [head, rule, ...body].join('\n');
}

/**
 * Plain text as a cell of a table, or as a line of a page: what Markdown would take for its own signs is escaped. Code
 * in backticks stays as it is.
 */
export function escapeCell(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => part.replace(part.startsWith('`') ? /\|/g : /[|*<>]/g, '\\$&'))
    .join('');
}
