import type { Command } from 'commander';
import type { Landing } from '../../../api/openapi/contract.generated.ts';
import { LANDING_PHASES } from '../../../domain/landings/landing-phase.ts';
import type { Runner } from '../../command-context.ts';
import { parseId } from '../../definition/argument-parsers.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { proposalsToMerge } from '../../landings/proposals-to-merge.ts';
import { describeLanding } from '../../landings/landing-view.ts';
import { landingPath } from '../../landings/watch-landing.ts';

/** Adds `airline landing show`. */
export function addLandingShowCommand(landing: Command, runner: Runner): void {
  describeCommand(
    landing
      .command('show')
      .description('Show a landing, its packages, what it waits for and, if it failed, why.')
      .argument('<landing>', 'its id', parseId('landing'))
      .action(
        runner.remote(async (context, id: number) => {
          const shown = await context.api.get<Landing>(landingPath(id));
          await context.out.show({
            json: shown,
            quiet: shown.phase,
            // Only people are told of the proposals: another form does not fail where its ticket cannot be read.
            human: async () =>
              describeLanding(context, shown, await proposalsToMerge(context.api, shown)),
          });
          return undefined;
        }),
      ),
    {
      examples: [['airline landing show 7', 'how landing 7 stands']],
      json: 'the landing',
      quiet: `its phase: ${LANDING_PHASES.join(', ')}`,
    },
  );
}
