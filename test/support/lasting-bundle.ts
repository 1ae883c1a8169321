import { copyFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { workflowBundle } from './addresses.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const DAY_S = 86_400;

/** A copy of the workflow bundle that is newer than any source, so that whoever works on one meanwhile does not make it old. */
export function lastingBundle(): string {
  const bundle = join(temporaryDirectory(), 'workflows.js');
  copyFileSync(workflowBundle(), bundle);
  const later = Date.now() / 1_000 + DAY_S;
  utimesSync(bundle, later, later);
  return bundle;
}
