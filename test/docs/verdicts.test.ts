import { readFile } from 'node:fs/promises';
import { ERRORS, isErrorCode } from '../../domain/errors.ts';

/** A row's last cell: the test's file and its name there, or a part of it. */
const TEST = /^`(test\/[\w/-]+\.test\.ts)` ›\s+(.+)$/;

describe('docs/verdicts.md', () => {
  it('names in every row a test that exists', async () => {
    const page = await readFile('docs/verdicts.md', 'utf8');
    const rows = page
      .split('\n')
      .filter((line) => /^\| (?!situation |-)/.test(line))
      .map(
        (line) =>
          line
            .split(' | ')
            .at(-1)
            ?.replace(/\s*\|$/, '')
            .trim() ?? '',
      );
    expect(rows.length).toBeGreaterThan(30);
    for (const cell of rows) {
      const [, file = '', name = ''] = TEST.exec(cell) ?? [];
      expect(`${cell}: ${file}`).toContain('.test.ts');
      expect({ name, isThere: (await readFile(file, 'utf8')).includes(name) }).toEqual({
        name,
        isThere: true,
      });
    }
  });

  it('gives each error the class that ends a build with it', async () => {
    const page = await readFile('docs/verdicts.md', 'utf8');
    const pairs = [...page.matchAll(/FAILED `(\w+)` \(`(\w+)`\)/g)];
    expect(pairs.length).toBeGreaterThan(8);
    const codes = pairs.filter(([, , code = '']) => isErrorCode(code));
    expect(codes.map(([, failureClass, code]) => ({ code, failureClass }))).toEqual(
      codes.map(([, , code]) => ({
        code,
        failureClass: (ERRORS[code as keyof typeof ERRORS] as { failureClass?: string })
          .failureClass,
      })),
    );
  });

  it('has a row for every situation that the scenarios play', async () => {
    const page = await readFile('docs/verdicts.md', 'utf8');
    for (const file of ['verdicts', 'verdicts-deadlines']) {
      const text = await readFile(`test/end-to-end/${file}.test.ts`, 'utf8');
      const situations = [
        ...text.matchAll(/^ {4}name: '([a-z0-9-]+)',$|\{ name: '([a-z0-9-]+)',/gm),
      ];
      expect(situations.length).toBeGreaterThan(4);
      for (const [, own, inline] of situations) expect(page).toContain(`› ${own ?? inline}`);
    }
  });
});
