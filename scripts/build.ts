import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
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
// Renamed, because a worker that starts at this moment must not read half of it.
const unfinished = `${path}.${randomUUID()}`;
await writeFile(unfinished, code);
await rename(unfinished, path);
console.log(`workflow bundle: ${path} (${Math.round(code.length / 1024)} KiB)`);
