import type { Command } from 'commander';
import type { Build } from '../../../api/openapi/contract.generated.ts';
import { describeCommand } from '../../definition/command-help.ts';
import type { Runner } from '../../command-context.ts';
import { openPage } from '../../output/open-page.ts';
import { parseId } from '../../definition/argument-parsers.ts';

/** Adds `airline build open`. */
export function addBuildOpenCommand(build: Command, runner: Runner): void {
  describeCommand(
    build
      .command('open')
      .description(
        "Open a build's page in the browser, or print its address if there is no browser.",
      )
      .argument('<build>', 'its id', parseId('build'))
      .action(
        runner.remote(async (context, id: number) => {
          await context.api.get<Build>(`/api/v1/build/${id}/`);
          await openPage(context, `/build/${id}`);
          return undefined;
        }),
      ),
    {
      examples: [['airline build open 12', 'look at it in the browser']],
      json: '{"url"}',
      quiet: 'the address, without opening it',
    },
  );
}
