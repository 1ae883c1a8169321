import type { Command } from 'commander';
import type { Build } from '../../../api/openapi/contract.generated.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { EXIT } from '../../exit-code.ts';
import { failureBanner } from '../../builds/failure-banner.ts';
import { stateAndTime } from '../../builds/build-view.ts';
import { waitingText } from '../../builds/waiting-text.ts';
import { troubleText } from '../../output/trouble-text.ts';
import type { CommandContext, Runner } from '../../command-context.ts';
import { parseId } from '../../definition/argument-parsers.ts';
import { printableLine } from '../../../domain/text/printable.ts';

/** Adds `airline build why`. */
export function addBuildWhyCommand(build: Command, runner: Runner): void {
  describeCommand(
    build
      .command('why')
      .description('Say why a build failed, or what it waits for.')
      .argument('<build>', 'its id', parseId('build'))
      .action(
        runner.remote(async (context, id: number) => {
          const { api, out } = context;
          const shown = await api.get<Build>(`/api/v1/build/${id}/`);
          const { failure, waiting, trouble, phase } = shown;
          await out.show({
            json: { phase, failure, waiting, trouble },
            quiet: failure?.class ?? waiting?.for ?? phase,
            human: () => describeReason(context, shown),
          });
          return failure ? EXIT.failed : EXIT.done;
        }),
      ),
    {
      examples: [['airline build why 12', 'the lines of the log that say it, and what to do']],
      json: '{"phase", "failure", "waiting", "trouble"}',
      quiet: 'the class of the failure, what it waits for, or its state',
    },
  );
}

function describeReason(context: CommandContext, build: Build): string {
  const { id, failure, waiting, trouble } = build;
  if (failure) return failureBanner(context, { ...build, failure });
  const now = context.out.now();
  const waits = waiting ? `; it waits for ${waitingText(waiting)}` : '';
  const missing = build.builds
    .filter(({ dependencies }) => dependencies !== undefined)
    .map((one) => `  ${one.package} on ${one.architecture} waits for ${one.dependencies ?? ''}`);
  return [
    `Build ${id} is ${stateAndTime(build, now)}${waits}.`,
    ...missing.map(printableLine),
    ...(trouble ? [`  ${printableLine(troubleText(trouble, now))}`] : []),
  ].join('\n');
}
