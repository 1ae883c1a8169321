import { fileURLToPath } from 'node:url';
import type { BundleOptions } from '@temporalio/worker';

const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));

/**
 * How the bundle that ships is made. A worker runs its modules once for all workflows, which they keep nothing of, instead
 * of once for each: a copy for each workflow takes memory for as long as it waits.
 */
export const WORKFLOW_BUNDLE: BundleOptions = { workflowsPath, preloadModules: [workflowsPath] };
