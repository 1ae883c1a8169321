import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMadeOf, sourcesMark, withMark } from '../../scripts/sources-mark.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const MAP = Buffer.from('{"m":1}!!').toString('base64');
const CODE = `code;\n//# sourceMappingURL=data:application/json;base64,${MAP}`;
let project: string;
const write = (path: string, text: string) => writeFileSync(join(project, path), text);

beforeEach(() => {
  project = temporaryDirectory();
  for (const folder of ['workflows', 'domain/deep', 'node_modules', 'scripts'])
    mkdirSync(join(project, folder), { recursive: true });
  write('workflows/index.ts', 'export const one = 1;');
  write('domain/deep/words.ts', 'export const word = 1;');
  write('node_modules/.package-lock.json', '{}');
  write('scripts/build.ts', '');
  write('scripts/workflow-bundle.ts', '');
});

test('a bundle is known by what it was made of, whatever the times of the files are', () => {
  const bundle = withMark(CODE, sourcesMark(project));
  write('workflows/index.ts', 'export const one = 1;');
  expect(isMadeOf(bundle, sourcesMark(project))).toBe(true);
});

test.each<[string, () => void]>([
  ['a workflow', () => write('workflows/index.ts', 'export const one = 2;')],
  ['a module of the domain', () => write('domain/deep/words.ts', 'export const word = 2;')],
  ['a new module', () => write('domain/new.ts', '')],
  ['a package', () => write('node_modules/.package-lock.json', '{"packages":{}}')],
  ['how it is made', () => write('scripts/build.ts', 'minify();')],
  [
    'the name of a module',
    () => renameSync(join(project, 'domain/deep/words.ts'), join(project, 'domain/words.ts')),
  ],
])('it is made again where %s has changed', (_, change) => {
  const bundle = withMark(CODE, sourcesMark(project));
  change();
  expect(isMadeOf(bundle, sourcesMark(project))).toBe(false);
});

test('it is made again where a part of it is missing, or all of it', () => {
  const mark = sourcesMark(project);
  for (const bundle of ['', CODE, withMark(CODE, mark).slice(0, -CODE.length)])
    expect(isMadeOf(bundle, mark)).toBe(false);
});

test('the source map stays the last of a bundle, with or without padding', () => {
  expect(MAP.endsWith('=')).toBe(false);
  expect(withMark(CODE, sourcesMark(project))).toMatch(
    new RegExp(`^code;\\n//# madeOf=\\w+\\n//# sourceMappingURL=data:.*base64,${MAP}$`),
  );
});
