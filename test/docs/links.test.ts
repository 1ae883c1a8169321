import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const pages = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

/** The folders whose files pages name; `dist/` is made by a build. */
const FOLDERS = readdirSync('.', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !/^(\..*|dist|node_modules)$/.test(entry.name))
  .map(({ name }) => name);

const PATH = new RegExp(`\`((?:${FOLDERS.join('|')})/[\\w./-]*)\``, 'g');
const LINK = /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g;
const NPM_RUN = /npm run (?:(?:-s|--silent) )?([a-z][a-z:-]*)/g;
const MAX_COLUMNS = 120;

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
};

/** The anchors of a page, as GitHub makes them from its headings. */
const anchors = (page: string) =>
  [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe.each(pages)('%s', (page) => {
  const text = readFileSync(page, 'utf8');

  it('links to files and headings that exist', () => {
    for (const [link, path = '', anchor] of text.matchAll(LINK)) {
      const target = path === '' ? page : relative('.', join(dirname(page), path));
      expect({ link, isThere: existsSync(target) }).toEqual({ link, isThere: true });
      if (anchor !== undefined) expect(anchors(target)).toContain(anchor);
    }
  });

  it('names files that exist', () => {
    for (const [, path = ''] of text.matchAll(PATH))
      expect({ path, isThere: existsSync(path) }).toEqual({ path, isThere: true });
  });

  it('names scripts that exist', () => {
    for (const [, script = ''] of text.matchAll(NPM_RUN))
      expect(Object.keys(scripts)).toContain(script);
  });

  it(`has no prose over ${MAX_COLUMNS} columns, unless it is generated`, () => {
    if (/made (?:by|of the commands by)\s+`npm run docs:/.test(text)) return;
    const prose = text.replace(/^```.*?^```/gms, '').replace(/^[|<!].*$/gm, '');
    expect(prose.split('\n').filter((line) => line.length > MAX_COLUMNS)).toEqual([]);
  });
});
