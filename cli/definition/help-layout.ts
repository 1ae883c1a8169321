import { Help, type Option } from 'commander';
import { DEFAULT_COLUMNS } from '../output/terminal-width.ts';
import { wrapText } from '../output/wrap-text.ts';

const INDENT = '  ';
const GAP = '  ';
/** Less is no room for a sentence. */
const MIN_DESCRIPTION_WIDTH = 38;

/** What an option is, and whether it must be given. */
export function describeOption(option: Option): string {
  const description = new Help().optionDescription(option);
  return option.mandatory ? `${description} (required)` : description;
}

/** How a command is called, which stands after `Usage: `. Commander's leaves it to the terminal to wrap. */
export function wrapUsage(usage: string, width = DEFAULT_COLUMNS): string {
  const label = 'Usage: ';
  const lines = wrapText(label + usage, width, INDENT);
  return lines.slice(label.length);
}

/**
 * A term with its description beside it; under it where the terminal is too narrow for both. Commander's leaves that to
 * wrap.
 */
export function formatHelpEntry(
  term: string,
  termWidth: number,
  description: string,
  { helpWidth }: Help,
): string {
  if (description === '') return INDENT + term;
  const width = helpWidth ?? DEFAULT_COLUMNS;
  const column = INDENT.length + termWidth + GAP.length;
  if (width - column >= MIN_DESCRIPTION_WIDTH)
    return wrapText(
      `${INDENT}${term.padEnd(termWidth)}${GAP}${description}`,
      width,
      ' '.repeat(column),
    );
  return `${INDENT}${term}\n${wrapText(INDENT.repeat(3) + description, width, INDENT.repeat(3))}`;
}
