/**
 * A page with another text between the two comments that mark a section by its name.
 *
 * @throws Error where the page has no such section
 */
export function replaceSection(page: string, name: string, text: string): string {
  const begin = `<!-- begin: ${name} -->\n`;
  const end = `\n<!-- end: ${name} -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`The page has no section ${name}.`);
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`;
}
