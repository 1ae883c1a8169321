import { readFileSync } from 'node:fs';

const PAGE = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');

/**
 * The shell commands of a code block of docs/operations.md, so that what is run is what people read.
 *
 * @param heading of the section, without its `#`
 * @param number of the block within the section, from 1
 */
export function commandsOf(heading: string, number = 1): string {
  const [, section = ''] = PAGE.split(new RegExp(`^#+ ${heading}$`, 'm'));
  // One `#` begins a comment of the commands: only the page itself has such a heading.
  const [own = ''] = section.split(/^##+ /m);
  const blocks = [...own.matchAll(/^( *)```sh\n(.*?)^ *```$/gms)];
  const [, indent = '', commands] = blocks[number - 1] ?? [];
  if (commands === undefined)
    throw new Error(`docs/operations.md has no block ${number} of commands below "${heading}"`);
  return commands.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
}
