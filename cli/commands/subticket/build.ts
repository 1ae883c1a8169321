import type { Command } from 'commander';
import type { Build } from '../../../api/openapi/contract.generated.ts';
import { describeCommand } from '../../definition/command-help.ts';
import type { Runner } from '../../command-context.ts';
import { reportTo } from '../../builds/request-build.ts';
import { buildRequestError } from '../../builds/unanswered-request.ts';
import { checkTarget } from '../../builds/check-target.ts';
import { addTargetOptions, type TargetOptions } from '../../definition/target-options.ts';
import { shellCall } from '../../output/shell-call.ts';
import { parseId } from '../../definition/argument-parsers.ts';

/** Adds `airline subticket build`. */
export function addSubticketBuildCommand(subticket: Command, runner: Runner): void {
  describeCommand(
    addTargetOptions(
      subticket
        .command('build')
        .description('Make the source package of a merge proposal, and build it in a PPA.')
        .argument('<subticket>', 'the id of its subticket', parseId('subticket')),
    )
      .option('--queue <name>', 'the queue for progress messages')
      .option(
        '--webhook <id>',
        'the id of a webhook to notify instead of a queue',
        parseId('webhook'),
      )
      .action(
        runner.remote(
          async (
            { api, out },
            id: number,
            options: TargetOptions & { queue?: string; webhook?: number },
          ) => {
            const { archive } = await checkTarget(options);
            const { ppa, series } = options;
            const made = await api
              .write<Build>('POST', `/api/v1/subticket/${id}/build_proposal/`, {
                ppa,
                series,
                archive,
                ...reportTo(options, `airline-cli-subticket-${id}`),
              })
              .catch((error: unknown) => {
                const target = { '--ppa': ppa, '--series': series };
                throw buildRequestError(error, shellCall('airline build list', target));
              });
            await out.show({
              json: made,
              quiet: made.id,
              human: () => `Build ${made.id}: airline build watch ${made.id}`,
            });
            return undefined;
          },
        ),
      ),
    {
      examples: [['airline subticket build 9 --ppa ppa:team/landing --series noble', 'a build']],
      json: 'the build',
      quiet: 'its id',
    },
  );
}
