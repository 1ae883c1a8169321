import { readFileSync } from 'node:fs';

const PAGE = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');

/** The shell commands of a code block of docs/operations.md, so that what is run is what people read. */
export function commandsOf(heading: string, number = 1): string {
  return blockOf(heading, 'sh', number);
}

/**
 * A code block of docs/operations.md.
 *
 * @param heading of the section, without its `#`
 * @param language that the block names
 * @param number among the section's blocks of that language, from 1
 */
export function blockOf(heading: string, language: 'sh' | 'yaml', number = 1): string {
  const [, section = ''] = PAGE.split(new RegExp(`^#+ ${heading}$`, 'm'));
  // One `#` begins a comment of a block: only the page itself has such a heading.
  const [own = ''] = section.split(/^##+ /m);
  const blocks = [...own.matchAll(new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\`$`, 'gms'))];
  const [, indent = '', block] = blocks[number - 1] ?? [];
  if (block === undefined)
    throw new Error(`docs/operations.md has no block ${number} of ${language} below "${heading}"`);
  return block.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
}
