import type { Command } from 'commander';
import type { Build } from '../../../api/openapi/contract.generated.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { addWaitOptions, type WaitForEndOptions } from '../../definition/wait-options.ts';
import type { CommandContext, Runner } from '../../command-context.ts';
import { EACH_BUILD_NOTE, eachBuild, type Wait } from '../../builds/each-build.ts';
import { collectBuildIds, collectWords, REPEATABLE } from '../../definition/argument-parsers.ts';
import { watchBuild } from '../../builds/watch-build.ts';

type RetryOptions = WaitForEndOptions & { architecture?: readonly string[] };

/** Adds `airline build retry`. */
export function addBuildRetryCommand(build: Command, runner: Runner): void {
  describeCommand(
    addWaitOptions(
      build
        .command('retry')
        .description('Build again what failed, as one more attempt of the same build.')
        .argument('<build...>', 'the ids', collectBuildIds)
        .option(
          '--architecture <name>',
          `only this one of the architectures that failed ${REPEATABLE}`,
          collectWords,
        ),
      'the attempt has ended',
    ).action(
      runner.remote((context, ids: readonly number[], options: RetryOptions) =>
        eachBuild(context, ids, options, (id, after) => retryBuild(context, id, after, options)),
      ),
    ),
    {
      examples: [
        ['airline build retry 12 --wait', 'try again what failed, and wait for it'],
        ['airline build retry 12 13 14', 'several'],
        ['airline build retry 12 --architecture arm64', 'one of the architectures that failed'],
      ],
      notes: [
        'With `--architecture`, the others that failed are not built again. They are still failed, so the build ends failed unless all of them are built.',
        EACH_BUILD_NOTE,
      ],
      json: 'each build on a line; with --wait they come first, then every event on a line',
      quiet: 'the number of the attempt',
    },
  );
}

async function retryBuild(
  context: CommandContext,
  id: number,
  after: number,
  options: RetryOptions,
): Promise<Wait | undefined> {
  const { api, out } = context;
  const body = options.architecture ? { architectures: options.architecture } : {};
  const shown = await api.write<Build>('POST', `/api/v1/build/${id}/retry/`, body);
  await out.show({
    json: shown,
    quiet: shown.attempt,
    human: () => `Build ${id} is retried: attempt ${shown.attempt}.`,
  });
  if (!options.wait) return undefined;
  return (waitedMs) => watchBuild(context, id, { after, timeoutMs: options.timeout, waitedMs });
}
