import { BUILD_TASK_QUEUE } from '../../domain/build-workflow.ts';
import type { Config } from '../config/config.ts';
import { bundledProgram, bundleProgram } from './bundle-program.ts';
import type { Command } from './child-process.ts';
import type { Addresses } from './environment.ts';
import type { Part, PartName, Service, Step } from './part.ts';
import { listens } from './tcp.ts';
import { hasPoller } from './temporal.ts';

const STEP_MS = 120_000;

/** The parts that are programs of this project. */
export function ownParts(options: {
  config: Config;
  addresses: Addresses;
  projectDir: string;
  environment: Readonly<Record<string, string>>;
}): Part<PartName>[] {
  const { config, addresses, projectDir, environment } = options;
  const program = (path: string): Command => ({
    file: process.execPath,
    args: bundledProgram(projectDir, path),
    cwd: projectDir,
    environment,
  });
  const service = (
    name: PartName,
    needs: PartName[],
    stopTimeoutMs: number,
    isReady: () => Promise<boolean>,
    summary: string,
  ): Service<PartName> => ({
    kind: 'service',
    name,
    needs,
    prepare: () => bundleProgram(projectDir, `main/${name}.ts`),
    command: () => program(`main/${name}.ts`),
    isReady,
    startTimeoutMs: 60_000,
    stopSignal: 'SIGTERM',
    stopTimeoutMs,
    summary: () => summary,
    logsJson: true,
  });
  const step = (name: PartName, needs: PartName[], path: string, done: string): Step<PartName> => ({
    kind: 'step',
    name,
    needs,
    perform: async ({ run }) => {
      await bundleProgram(projectDir, path);
      await run(program(path), STEP_MS);
      return done;
    },
  });
  let workerStartedAt = new Date();
  const worker = service(
    'worker',
    ['postgresql', 'migrations', 'rabbitmq', 'temporal', 'workflow-bundle', 'stand-in'],
    config.worker.shutdownGraceTime + 10_000,
    () =>
      hasPoller(
        addresses.temporalAddress,
        config.temporal.namespace,
        BUILD_TASK_QUEUE,
        workerStartedAt,
      ),
    `polls the task queue ${BUILD_TASK_QUEUE}`,
  );
  return [
    step('migrations', ['postgresql'], 'main/migrate.ts', 'the schema is up to date'),
    step('workflow-bundle', [], 'scripts/build.ts', config.workflowBundle),
    service(
      'stand-in',
      [],
      20_000,
      async () =>
        (await answers(`${addresses.launchpadUrl}/devel/`)) &&
        (await listens(config.ports.standInFtp)),
      `web ${addresses.launchpadUrl}/devel/, FTP ${addresses.uploadHost}`,
    ),
    service(
      'api',
      ['postgresql', 'migrations', 'rabbitmq', 'temporal'],
      config.server.drainMs + 5_000,
      () => answers(`${addresses.api}/healthz`),
      addresses.api,
    ),
    {
      ...worker,
      command: () => {
        workerStartedAt = new Date();
        return worker.command();
      },
    },
  ];
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000), redirect: 'manual' });
  await response.body?.cancel();
  return response.status === 200;
}
