import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../main/config/config.ts';
import { isMadeOf, sourcesMark, withMark } from './sources-mark.ts';
import { WORKFLOW_BUNDLE } from './workflow-bundle.ts';

// What ships is what is tested: the worker and the replay test both load this one file.
const { workflowBundle: path } = loadConfig();
const mark = sourcesMark(fileURLToPath(new URL('..', import.meta.url)));
const existing = await readFile(path, 'utf8').catch(() => '');
if (isMadeOf(existing, mark)) report(existing);
else {
  // Where nothing is to be made, it need not be loaded.
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode(WORKFLOW_BUNDLE);
  await mkdir(dirname(path), { recursive: true });
  // Renamed, because a worker that starts at this moment must not read half of it.
  const unfinished = `${path}.${randomUUID()}`;
  await writeFile(unfinished, withMark(code, mark));
  await rename(unfinished, path);
  report(code);
}

function report(code: string): void {
  console.log(`workflow bundle: ${path} (${Math.round(code.length / 1024)} KiB)`);
}
