import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLE_SOURCES } from '../admin/replay/bundle-age.ts';

/** What else decides what comes out: the packages that are installed, and how the bundle is made. */
const TOOLS = ['node_modules/.package-lock.json', 'scripts/build.ts'];

/**
 * A last line for a workflow bundle that tells what it is made of, by content: a clone or a checkout gives a file a new
 * time and leaves it as it is.
 *
 * @param projectDir where the sources are; the bundle names them, so the same sources elsewhere make another
 */
export function sourcesMark(projectDir: string): string {
  const hash = createHash('sha256').update(projectDir);
  const sources = BUNDLE_SOURCES.flatMap((folder) =>
    readdirSync(join(projectDir, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  ).toSorted();
  for (const path of [...sources, ...TOOLS]) {
    const content = createHash('sha256').update(readFileSync(join(projectDir, path)));
    hash.update(`${path}\0${content.digest('hex')}\n`);
  }
  return `\n//# madeOf=${hash.digest('hex')}\n`;
}

/** Whether a bundle was made, whole, of what `mark` tells. */
export function isMadeOf(bundle: string, mark: string): boolean {
  return bundle.endsWith(mark);
}
