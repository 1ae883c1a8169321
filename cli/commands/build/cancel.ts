import type { Command } from 'commander';
import type { Build } from '../../../api/openapi/contract.generated.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { EXIT } from '../../exit-code.ts';
import { addWaitOptions, type WaitForEndOptions } from '../../definition/wait-options.ts';
import type { CommandContext, Runner } from '../../command-context.ts';
import { EACH_BUILD_NOTE, eachBuild, type Wait } from '../../builds/each-build.ts';
import { collectBuildIds } from '../../definition/argument-parsers.ts';
import { tellEnd, watchToEnd } from '../../builds/watch-build.ts';

/** Adds `airline build cancel`. */
export function addBuildCancelCommand(build: Command, runner: Runner): void {
  describeCommand(
    addWaitOptions(
      build
        .command('cancel')
        .description('Cancel builds.')
        .argument('<build...>', 'the ids', collectBuildIds),
      'it has ended',
    ).action(
      runner.remote((context, ids: readonly number[], options: WaitForEndOptions) =>
        eachBuild(context, ids, options, (id, after) => cancelBuild(context, id, after, options)),
      ),
    ),
    {
      examples: [
        ['airline build cancel 12', 'ask for it'],
        ['airline build cancel 12 13 14', 'several'],
        [
          'airline build cancel 12 --wait',
          'exits with 0 if it was cancelled, with 1 if it ended in another way',
        ],
      ],
      notes: [EACH_BUILD_NOTE],
      json: 'each build on a line; with --wait they come first, then every event on a line',
    },
  );
}

async function cancelBuild(
  context: CommandContext,
  id: number,
  after: number,
  options: WaitForEndOptions,
): Promise<Wait | undefined> {
  const { api, out } = context;
  const shown = await api.write<Build>('POST', `/api/v1/build/${id}/cancel/`);
  await out.show({
    json: shown,
    human: () =>
      `Build ${id} is being cancelled. Its builds in the PPA are stopped, then their logs are collected.`,
  });
  if (!options.wait) return undefined;
  return async (waitedMs) => {
    const end = await watchToEnd(context, id, {
      after,
      timeoutMs: options.timeout,
      waitedMs,
      resumeHint: `Build ${id} is being cancelled. \`airline build watch ${id}\` comes back to it.`,
    });
    tellEnd(context, id, end);
    return end.failure?.class === 'cancelled' ? EXIT.done : EXIT.failed;
  };
}
