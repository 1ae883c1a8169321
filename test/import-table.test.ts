import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

// The table of docs/architecture.md: what each folder may import, and what it may import as types only.
const TABLE: Record<string, { values: string[]; types: string[] }> = {
  domain: { values: [], types: [] },
  store: { values: [], types: [] },
  ppa: { values: ['domain'], types: [] },
  models: { values: ['domain'], types: [] },
  progress: { values: ['domain', 'models'], types: [] },
  workflows: { values: ['domain'], types: ['activities'] },
  activities: { values: ['domain', 'models', 'ppa', 'store'], types: [] },
  api: { values: ['domain', 'models', 'store'], types: ['workflows'] },
  cli: { values: [], types: ['api', 'domain'] },
  web: { values: [], types: ['api', 'domain'] },
};
const FOLDERS = [...Object.keys(TABLE), 'main', 'bench', 'test'];

type Planted = { file: string; statement: string };

/** Lints planted files in a folder of their own, under the project's rules. */
async function lint(planted: Planted[]): Promise<Map<string, number>> {
  const folder = await mkdtemp(join(tmpdir(), 'airline-lint-'));
  try {
    await cp('.oxlintrc.json', join(folder, '.oxlintrc.json'));
    for (const { file, statement } of planted) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), statement);
    }
    const oxlint = resolve('node_modules/.bin/oxlint');
    const { stdout } = await run(oxlint, ['--format=json'], { cwd: folder }).catch(
      (failed: { stdout: string }) => failed,
    );
    const { diagnostics } = JSON.parse(stdout) as {
      diagnostics: { filename: string; code: string }[];
    };
    const counts = new Map(planted.map(({ file }) => [file, 0]));
    for (const { filename, code } of diagnostics)
      if (/no-restricted-imports|no-process-env/.test(code))
        counts.set(filename, (counts.get(filename) ?? 0) + 1);
    return counts;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const valueImport = (to: string, up = '..') =>
  `import { thing } from '${up}/${to}/x.ts';\nthing();\n`;
const typeImport = (to: string) =>
  `import type { Thing } from '../${to}/x.ts';\nexport type Other = Thing;\n`;

describe('the import table', () => {
  test.each(Object.entries(TABLE))(
    '%s: each forbidden folder is caught',
    async (from, { values, types }) => {
      const forbidden = FOLDERS.filter((to) => to !== from && !values.includes(to));
      const planted = forbidden.map((to) => ({
        file: `${from}/to-${to}.ts`,
        statement: valueImport(to),
      }));
      const deep = { file: `${from}/deep/to-main.ts`, statement: valueImport('main', '../..') };
      const caught = await lint([...planted, deep]);
      expect([...caught].filter(([, count]) => count === 0)).toEqual([]);
      expect(caught.size).toBe(forbidden.length + 1);
      expect(forbidden).toEqual(expect.arrayContaining(types));
    },
  );

  test.each(Object.entries(TABLE))(
    '%s: each allowed folder passes',
    async (from, { values, types }) => {
      const planted = [
        ...values.map((to) => ({ file: `${from}/to-${to}.ts`, statement: valueImport(to) })),
        ...types.map((to) => ({ file: `${from}/types-of-${to}.ts`, statement: typeImport(to) })),
        { file: `${from}/own.ts`, statement: valueImport('.', '.') },
      ];
      const caught = await lint(planted);
      expect([...caught].filter(([, count]) => count > 0)).toEqual([]);
    },
  );

  test.each([
    ['domain', 'zod'],
    ['workflows', 'node:fs'],
    ['workflows', 'sequelize'],
    ['workflows', '@temporalio/client'],
  ])('%s may not import the package %s', async (from, name) => {
    const file = `${from}/package.ts`;
    const caught = await lint([{ file, statement: `import thing from '${name}';\nthing();\n` }]);
    expect(caught.get(file)).toBe(1);
  });

  test('only main, test and bench know the stand-in', async () => {
    const caught = await lint([
      { file: 'activities/a.ts', statement: valueImport('ppa/stand-in') },
      { file: 'ppa/b.ts', statement: valueImport('stand-in', '.') },
      { file: 'main/c.ts', statement: valueImport('ppa/stand-in') },
    ]);
    expect(Object.fromEntries(caught)).toEqual({
      'activities/a.ts': 1,
      'ppa/b.ts': 1,
      'main/c.ts': 0,
    });
  });

  test('only main reads process.env', async () => {
    const statement = 'export const home = process.env.HOME;\n';
    const caught = await lint([
      { file: 'api/a.ts', statement },
      { file: 'main/b.ts', statement },
    ]);
    expect(Object.fromEntries(caught)).toEqual({ 'api/a.ts': 1, 'main/b.ts': 0 });
  });
});
