import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

// oxlint looks for tsgolint in the folder that it lints, and then on PATH.
const PROGRAMS = resolve('node_modules/.bin');
const ENVIRONMENT = { ...process.env, PATH: [PROGRAMS, process.env['PATH']].join(delimiter) };

// The table of docs/architecture.md: what each folder may import, and what it may import as types only.
const TABLE: Record<string, { values: string[]; types: string[] }> = {
  domain: { values: [], types: [] },
  store: { values: [], types: [] },
  timing: { values: [], types: [] },
  diagnosis: { values: ['domain'], types: [] },
  ppa: { values: ['domain', 'timing'], types: [] },
  sandbox: { values: ['domain'], types: [] },
  models: { values: ['domain', 'timing'], types: [] },
  'stand-in': { values: ['domain', 'sandbox', 'timing'], types: [] },
  progress: { values: ['domain', 'models', 'timing'], types: [] },
  workflows: { values: ['domain'], types: ['activities'] },
  activities: {
    values: ['domain', 'diagnosis', 'models', 'ppa', 'sandbox', 'store', 'timing'],
    types: [],
  },
  dispatch: { values: ['domain', 'models', 'timing'], types: ['workflows'] },
  api: { values: ['domain', 'models', 'store', 'timing'], types: [] },
  cli: { values: ['domain', 'timing'], types: ['api'] },
  web: { values: ['domain'], types: ['api'] },
};
const FOLDERS = [...Object.keys(TABLE), 'main', 'admin', 'scripts', 'bench', 'test'];

// The floors of the API: what each of its folders may import of the others.
const API: Record<string, string[]> = {
  http: [],
  rest: ['http'],
  resources: ['http', 'rest'],
  openapi: ['http', 'rest'],
  requests: ['http', 'rest'],
  tickets: ['http', 'rest', 'resources', 'requests'],
  builds: ['http', 'rest', 'resources', 'requests'],
  landings: ['http', 'rest', 'resources', 'requests'],
  webhooks: ['http', 'rest', 'resources', 'requests'],
  service: ['http', 'rest', 'resources', 'requests'],
};

type Planted = { file: string; statement: string };

const waiting: Planted[] = [];
let linting: Promise<Map<string, number>> | undefined;

/** Lints planted files in a folder of their own, under the project's rules, with those of the tests beside this one. */
async function lint(planted: Planted[]): Promise<Map<string, number>> {
  waiting.push(...planted);
  linting ??= lintTogether();
  const counts = await linting;
  return new Map(planted.map(({ file }) => [file, counts.get(file) ?? 0]));
}

/** The linter takes a second to start, so that all tests begin first. */
async function lintTogether(): Promise<Map<string, number>> {
  await new Promise((resolve) => setImmediate(resolve));
  linting = undefined;
  const planted = waiting.splice(0);
  const paths = planted.map(({ file }) => file);
  expect(paths).toEqual([...new Set(paths)]);
  const folder = await mkdtemp(join(tmpdir(), 'airline-lint-'));
  try {
    await cp('.oxlintrc.json', join(folder, '.oxlintrc.json'));
    for (const { file, statement } of planted) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), statement);
    }
    const { stdout } = await run('oxlint', ['--format=json'], {
      cwd: folder,
      env: ENVIRONMENT,
    }).catch((failed: { stdout: string }) => failed);
    const { diagnostics } = JSON.parse(stdout) as {
      diagnostics: { filename: string; code: string }[];
    };
    const counts = new Map(planted.map(({ file }) => [file, 0]));
    for (const { filename, code } of diagnostics)
      if (/no-restricted-imports|no-process-env|no-cycle|no-(?:focused|disabled)-tests/.test(code))
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
  test.concurrent.each(Object.entries(TABLE))(
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

  test.concurrent.each(Object.entries(TABLE))(
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

  test.concurrent.each([
    ['domain', 'zod'],
    ['workflows', 'node:fs'],
    ['workflows', 'sequelize'],
    ['workflows', '@temporalio/client'],
    ['workflows', '@temporalio/proto'],
    ['workflows', '@temporalio/workflow/lib/internals'],
    ['workflows', '@tanstack/virtual-core'],
    ['api', '@temporalio/client'],
    ['api', 'sequelize'],
    ['api/tickets', 'sequelize'],
  ])('%s may not import the package %s', async (from, name) => {
    const file = `${from}/${name.replaceAll(/\W/g, '-')}.ts`;
    const caught = await lint([{ file, statement: `import thing from '${name}';\nthing();\n` }]);
    expect(caught.get(file)).toBe(1);
  });

  test.concurrent.each(['@temporalio/workflow', '@temporalio/common'])(
    'workflows may import the package %s',
    async (name) => {
      const file = `workflows/of${name.replaceAll(/\W/g, '-')}.ts`;
      const caught = await lint([{ file, statement: `import thing from '${name}';\nthing();\n` }]);
      expect(caught.get(file)).toBe(0);
    },
  );

  test.concurrent.each(Object.entries(API))(
    'api/%s: it imports the floors below it alone',
    async (from, below) => {
      const planted = Object.keys(API)
        .filter((to) => to !== from)
        .map((to) => ({ file: `api/${from}/to-${to}.ts`, statement: valueImport(to) }));
      const app = {
        file: `api/${from}/to-app.ts`,
        statement: "import { app } from '../app.ts';\napp();\n",
      };
      const outside = { file: `api/${from}/to-cli.ts`, statement: valueImport('cli', '../..') };
      const caught = await lint([...planted, app, outside]);
      const allowed = [...caught].filter(([, count]) => count === 0).map(([file]) => file);
      expect(allowed.toSorted()).toEqual(below.map((to) => `api/${from}/to-${to}.ts`).toSorted());
    },
  );

  test.concurrent(
    'main/config imports nothing of the embedded stack and the demonstration',
    async () => {
      const caught = await lint([
        { file: 'main/config/a.ts', statement: valueImport('embedded') },
        { file: 'main/config/sections/b.ts', statement: valueImport('demo', '../..') },
        { file: 'main/embedded/c.ts', statement: valueImport('config') },
      ]);
      expect(Object.fromEntries(caught)).toEqual({
        'main/config/a.ts': 1,
        'main/config/sections/b.ts': 1,
        'main/embedded/c.ts': 0,
      });
    },
  );

  test.concurrent('a circle is caught, also one of types alone', async () => {
    const imports = (name: string) => `import { ${name} } from './${name}.ts';\n`;
    const caught = await lint([
      { file: 'api/one.ts', statement: `${imports('two')}export const one = () => two();\n` },
      { file: 'api/two.ts', statement: `${imports('one')}export const two = () => one();\n` },
      {
        file: 'api/first.ts',
        statement: "import type { Second } from './second.ts';\nexport type First = Second[];\n",
      },
      {
        file: 'api/second.ts',
        statement:
          "import type { First } from './first.ts';\nexport type Second = { all: First };\n",
      },
      { file: 'api/outside.ts', statement: `${imports('one')}one();\n` },
    ]);
    expect(Object.fromEntries(caught)).toEqual({
      'api/one.ts': 1,
      'api/two.ts': 1,
      'api/first.ts': 1,
      'api/second.ts': 1,
      'api/outside.ts': 0,
    });
  });

  test.concurrent('only main/config reads process.env', async () => {
    const statement = 'export const home = process.env.HOME;\n';
    const caught = await lint([
      { file: 'api/a.ts', statement },
      { file: 'main/b.ts', statement },
      { file: 'main/config/c.ts', statement },
    ]);
    expect(Object.fromEntries(caught)).toEqual({
      'api/a.ts': 1,
      'main/b.ts': 1,
      'main/config/c.ts': 0,
    });
  });

  test('no file imports process, whose environment the linter would not see', () => {
    const files = Object.keys(TABLE).flatMap((folder) =>
      readdirSync(folder, { encoding: 'utf8', recursive: true })
        .filter((path) => /\.tsx?$/.test(path))
        .map((path) => join(folder, path)),
    );
    expect(files.length).toBeGreaterThan(1_000);
    const hidden = /from '(?:node:)?process'|globalThis\.process/;
    expect(files.filter((file) => hidden.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  test.concurrent('a test that keeps others from running, or does not run, is caught', async () => {
    const assertion = "('adds', () => expect(1 + 1).toBe(2));\n";
    const caught = await lint([
      { file: 'test/only.test.ts', statement: `it.only${assertion}` },
      { file: 'test/concurrent.test.ts', statement: `test.concurrent.only${assertion}` },
      { file: 'test/web/skip.test.tsx', statement: `it.skip${assertion}` },
      {
        file: 'test/root.test.ts',
        statement: `const asRoot = process.getuid?.() === 0 ? it : it.skip;\nasRoot${assertion}`,
      },
    ]);
    expect(Object.fromEntries(caught)).toEqual({
      'test/only.test.ts': 1,
      'test/concurrent.test.ts': 1,
      'test/web/skip.test.tsx': 1,
      'test/root.test.ts': 0,
    });
  });
});
