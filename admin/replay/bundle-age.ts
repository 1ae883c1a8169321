import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What the bundle is made of. */
export const BUNDLE_SOURCES = ['workflows', 'domain'];

/**
 * Why a workflow bundle is not what the sources would make now; undefined where it is.
 *
 * @param projectDir where the sources are
 */
export function bundleProblem(bundle: string, projectDir: string): string | undefined {
  if (!existsSync(bundle)) return `There is no workflow bundle at ${bundle}.`;
  const madeAtMs = statSync(bundle).mtimeMs;
  const newer = BUNDLE_SOURCES.flatMap((folder) =>
    readdirSync(join(projectDir, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  ).filter((source) => statSync(join(projectDir, source)).mtimeMs > madeAtMs);
  return newer.length === 0
    ? undefined
    : `The workflow bundle ${bundle} is older than ${newer.slice(0, 3).join(', ')}${newer.length > 3 ? ` and ${newer.length - 3} more` : ''}.`;
}
