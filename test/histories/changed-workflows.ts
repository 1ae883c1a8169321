import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, type BundleOptions } from '@temporalio/worker';

/** A change of one file of the workflows. */
export type Change = {
  file: string;
  from: string | RegExp;
  to: string;
  /** Of the workflow SDK, which the change needs and the file does not import. */
  imports?: string;
};

/** A copy of the workflow code that changes can be tried on. */
export type WorkflowCopy = {
  /** Bundles the code with a change, which is taken back. @throws Error where there is nothing to change */
  bundleWith(change?: Change): Promise<{ code: string }>;
  remove(): void;
};

/** Copies the workflow code to a place inside the project, so that the copy finds its packages. */
export function copyWorkflows(): WorkflowCopy {
  mkdirSync('dist', { recursive: true });
  const copy = mkdtempSync(resolve('dist', 'changed-workflow-'));
  for (const folder of ['workflows', 'domain'])
    cpSync(folder, join(copy, folder), { recursive: true });
  const bundle = () =>
    bundleWorkflowCode({
      workflowsPath: join(copy, 'workflows', 'index.ts'),
      logger: new DefaultLogger('ERROR', () => undefined),
      webpackConfigHook: (config) => quickly(config, join(copy, 'bundled')),
    });
  return {
    async bundleWith(change) {
      if (!change) return bundle();
      const path = join(copy, 'workflows', change.file);
      const source = readFileSync(path, 'utf8');
      const changed = source.replace(change.from, change.to);
      if (changed === source)
        throw new Error(
          `${change.file} has no ${String(change.from)} any more: change the change.`,
        );
      const { imports } = change;
      const head = imports ? `import { ${imports} } from '@temporalio/workflow';\n` : '';
      writeFileSync(path, head + changed);
      try {
        return await bundle();
      } finally {
        writeFileSync(path, source);
      }
    },
    remove: () => rmSync(copy, { recursive: true }),
  };
}

/**
 * Bundles again only what was changed, by its content, with the least source map that the SDK takes: nobody asks for
 * the lines of these bundles.
 */
function quickly(
  config: Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0],
  cacheDirectory: string,
): typeof config {
  const byContent = { hash: true, timestamp: false };
  return {
    ...config,
    devtool: 'inline-nosources-cheap-source-map',
    module: {
      ...config.module,
      rules: (config.module?.rules ?? []).filter(
        (rule) => typeof rule !== 'object' || rule?.enforce !== 'pre',
      ),
    },
    cache: { type: 'filesystem', cacheDirectory, idleTimeout: 0, idleTimeoutForInitialStore: 0 },
    snapshot: { module: byContent, resolve: byContent },
  };
}
