/** Of a word without a space, so much stands between two places where a browser may break it. */
const BREAK_AFTER = 15;

/**
 * The page for people of an entry: its fields, and the end of a build's log in the form in which Launchpad's page has
 * it (lib/lp/soyuz/templates/build-index.pt, `text_to_html` of lib/lp/app/browser/stringformatter.py).
 */
export function entryPage(
  entry: Readonly<Record<string, unknown>>,
  logTail: string | undefined,
): string {
  const fields = Object.entries(entry)
    .filter(([name, value]) => value !== null && name !== 'http_etag')
    .map(([name, value]) => `<dt>${name}</dt><dd>${escaped(String(value))}</dd>\n`);
  const log =
    logTail === undefined
      ? ''
      : `<div id="buildlog" class="portlet">
<h2>Buildlog</h2>
<div id="buildlog-tail" class="logtail">${textToHtml(logTail)}</div>
</div>
`;
  return `<!DOCTYPE html>\n<html lang="en"><title>${escaped(titleOf(entry))}</title>\n<dl>\n${fields.join('')}</dl>\n${log}</html>\n`;
}

function titleOf({ title, display_name: displayName, self_link: link }: Record<string, unknown>) {
  return String(title ?? displayName ?? link);
}

/** Empty lines part paragraphs; spaces at the end of a line go, and those at its start do not break. */
function textToHtml(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const paragraphs = lines.join('\n').split(/\n{2,}/);
  return paragraphs
    .map((paragraph) => paragraph.split('\n').filter((line) => line !== ''))
    .filter((paragraph) => paragraph.length > 0)
    .map((paragraph) => `<p>${paragraph.map(lineToHtml).join('<br />\n')}</p>`)
    .join('\n');
}

function lineToHtml(line: string): string {
  return escaped(line)
    .replace(/^\s+/, (spaces) => '&nbsp;'.repeat(spaces.length))
    .replace(/\bhttps?:[^\s<>]+|(?:[^\s<>&]|&[^;]*;){20,}/g, (word) =>
      /^https?:/.test(word) ? `<a rel="nofollow" href="${word}">${broken(word)}</a>` : broken(word),
    );
}

/** A word with the places where it may be broken, none of them within an entity. */
function broken(word: string): string {
  const characters = word.match(/&[^;]*;|./gu) ?? [];
  return characters
    .map((one, at) => (at > 0 && at % BREAK_AFTER === 0 ? `<wbr />${one}` : one))
    .join('');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#x27;');
}
