import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const BUNDLE_SOURCES = ['workflows', 'domain'];
/** What else decides what comes out: the packages that are installed, and how the bundle is made. */
const TOOLS = ['node_modules/.package-lock.json', 'scripts/build.ts', 'scripts/workflow-bundle.ts'];

const SOURCE_MAP = '//# sourceMappingURL=data:';

/**
 * A line for a workflow bundle that tells what it is made of, by content: a clone or a checkout gives a file a new time
 * and leaves it as it is.
 *
 * @param projectDir where the sources are; the bundle names them, so the same sources elsewhere make another
 */
export function sourcesMark(projectDir: string): string {
  const hash = createHash('sha256').update(resolve(projectDir));
  const sources = BUNDLE_SOURCES.flatMap((folder) =>
    readdirSync(join(projectDir, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  ).toSorted();
  for (const path of [...sources, ...TOOLS]) {
    const content = createHash('sha256').update(readFileSync(join(projectDir, path)));
    hash.update(`${path}\0${content.digest('hex')}\n`);
  }
  return `//# madeOf=${hash.digest('hex')}\n`;
}

/**
 * A bundle with its mark, which stands before the source map: a worker reads all that follows the map's beginning as
 * base64, and moves no line of the code.
 */
export function withMark(bundle: string, mark: string): string {
  const map = bundle.lastIndexOf(SOURCE_MAP);
  if (map === -1) throw new Error('a workflow bundle has its source map as its last line');
  return `${bundle.slice(0, map)}${mark}${bundle.slice(map)}`;
}

/** Whether a bundle was made of what `mark` tells. */
export function isMadeOf(bundle: string, mark: string): boolean {
  return bundle.includes(`${mark}${SOURCE_MAP}`);
}
