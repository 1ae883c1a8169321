import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import { loadConfig } from '../main/config/config.ts';

// What ships is what is tested: the worker and the replay test both load this one file.
const { workflowBundle: path } = loadConfig();
const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)),
});
await mkdir(dirname(path), { recursive: true });
await writeFile(path, code);
console.log(`workflow bundle: ${path} (${Math.round(code.length / 1024)} KiB)`);
