import { BUILD_TASK_QUEUE } from '../../domain/builds/build-workflow.ts';
import { testTaskQueue } from '../../domain/testing/test-run.ts';
import { readRelease } from '../../sandbox/machine.ts';
import type { Config } from '../config/config.ts';
import { temporalTarget } from '../config/temporal-target.ts';
import { bundledProgram, bundleProgram } from './bundle-program.ts';
import type { Command } from './child-process.ts';
import type { Addresses } from './environment.ts';
import type { Part, PartName, Service, Step } from './part.ts';
import { listens } from './tcp.ts';
import { hasPoller } from './temporal.ts';

/** The name that dpkg has for this machine's architecture; the embedded stack runs on no other. */
const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'amd64';
const STEP_MS = 120_000;
/** A migration that is cut off begins again at the next start, and that of a large table takes its time. */
const MIGRATIONS_MS = 24 * 3_600_000;

/** The parts that are programs of this project. */
export function ownParts(options: {
  config: Config;
  addresses: Addresses;
  projectDir: string;
  environment: Readonly<Record<string, string>>;
  bundle?: (program: string) => Promise<void>;
}): Part<PartName>[] {
  const { config, addresses, projectDir, environment } = options;
  const bundle = options.bundle ?? ((path: string) => bundleProgram(projectDir, path));
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
    prepare: () => bundle(`main/${name}.ts`),
    command: () => program(`main/${name}.ts`),
    isReady,
    startTimeoutMs: 60_000,
    stopSignal: 'SIGTERM',
    stopTimeoutMs,
    summary: () => summary,
    logsJson: true,
  });
  const step = (
    name: PartName,
    needs: PartName[],
    path: string,
    timeoutMs: number,
    done: string,
  ): Step<PartName> => ({
    kind: 'step',
    name,
    needs,
    perform: async ({ run }) => {
      await bundle(path);
      await run(program(path), timeoutMs);
      return done;
    },
  });
  const poller = (
    name: PartName,
    needs: PartName[],
    taskQueue: string,
    kind: 'workflow' | 'activity',
  ): Service<PartName> => {
    let startedAt = new Date();
    const target = temporalTarget(config, addresses.temporalAddress);
    const { namespace } = config.temporal;
    const part = service(
      name,
      needs,
      config.worker.shutdownGraceTime + 10_000,
      () => hasPoller(target, namespace, taskQueue, startedAt, kind),
      `polls the task queue ${taskQueue}`,
    );
    return {
      ...part,
      command: () => {
        startedAt = new Date();
        return part.command();
      },
    };
  };
  return [
    step(
      'migrations',
      ['postgresql'],
      'main/migrate.ts',
      MIGRATIONS_MS,
      'the schema is up to date',
    ),
    step('workflow-bundle', [], 'scripts/build.ts', STEP_MS, config.workflowBundle),
    service(
      'stand-in',
      [],
      // It deletes hundreds of megabytes that its builds have unpacked. Killed, it leaves them until it starts again.
      60_000,
      async () =>
        (await answers(`${addresses.launchpadUrl}/devel/`)) &&
        (await listens(config.ports.standInFtp, config.standIn.host)),
      `web ${addresses.launchpadUrl}/devel/, FTP ${addresses.uploadHost}`,
    ),
    service(
      'api',
      ['postgresql', 'migrations', 'rabbitmq', 'temporal'],
      config.server.leaveMs + config.server.drainMs + 5_000,
      () => answers(`${addresses.api}/healthz`),
      addresses.api,
    ),
    poller(
      'worker',
      ['postgresql', 'migrations', 'rabbitmq', 'temporal', 'workflow-bundle', 'stand-in'],
      BUILD_TASK_QUEUE,
      'workflow',
    ),
    poller(
      'tester',
      ['postgresql', 'migrations', 'temporal', 'stand-in'],
      testTaskQueue({
        distribution: config.tester.distribution ?? readRelease().distribution,
        architecture: ARCHITECTURE,
      }),
      'activity',
    ),
  ];
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000), redirect: 'manual' });
  await response.body?.cancel();
  return response.status === 200;
}
