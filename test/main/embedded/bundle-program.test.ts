import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundledProgram, bundleProgram } from '../../../main/embedded/bundle-program.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const PROGRAM = 'main/program.ts';

/** A project with one program, which says a word of another module. */
function makeProject(word: string, directory = temporaryDirectory()): string {
  mkdirSync(join(directory, 'main'), { recursive: true });
  writeFileSync(join(directory, 'word.ts'), `export const word: string = '${word}';\n`);
  writeFileSync(
    join(directory, PROGRAM),
    "export { word } from '../word.ts';\nexport const address = import.meta.url;\n",
  );
  return directory;
}

/** Makes the program anew and loads it. */
async function load(project: string): Promise<unknown> {
  await bundleProgram(project, PROGRAM);
  const path = bundledProgram(project, PROGRAM).at(-1) ?? '';
  expect(readdirSync(dirname(path))).toEqual(['program.mjs']);
  // Node keeps what it has loaded from an address.
  return { ...((await import(`${pathToFileURL(path).href}?${Math.random()}`)) as object) };
}

test('a program is made of the sources as they are now, and knows where they are', async () => {
  const project = makeProject('first');
  const address = pathToFileURL(join(project, PROGRAM)).href;
  expect(await load(project)).toEqual({ word: 'first', address });
  makeProject('second', project);
  expect(await load(project)).toEqual({ word: 'second', address });
});

test('programs that start at the same moment do not disturb each other', async () => {
  const project = makeProject('same');
  await Promise.all(Array.from({ length: 8 }, () => bundleProgram(project, PROGRAM)));
  expect(await load(project)).toMatchObject({ word: 'same' });
});
