import { resolve } from 'node:path';
import './typescript.js';

/** What jest calls before the first test file. Unit tests alone need no stack. */
export default async function globalSetup({ rootDir, filter, testPathPatterns }) {
  const { startSharedStack, startWithoutStack } = await import('../stack/shared-stack.ts');
  const { testFiles, unitTests } = await import('../stack/unit-tests.ts');
  const patterns = testPathPatterns.toExecutor({ rootDir });
  const all = testFiles();
  const chosen = all.filter((path) => patterns.isMatch(resolve(rootDir, path)));
  // Of all files, some need it: that need not be found out.
  if (
    // The one filter that there is leaves unit tests alone.
    filter !== undefined ||
    (chosen.length < all.length && (await unitTests(chosen)).length === chosen.length)
  )
    startWithoutStack();
  else await startSharedStack();
}
