import { fileURLToPath } from 'node:url';
import type { BundleOptions } from '@temporalio/worker';

const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));

/**
 * How the bundle that ships is made. A worker runs its modules once for all workflows. They keep no state, and a copy
 * for each workflow would take memory for as long as it waits.
 */
export const WORKFLOW_BUNDLE: BundleOptions = { workflowsPath, preloadModules: [workflowsPath] };
