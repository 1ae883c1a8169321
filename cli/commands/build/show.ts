import type { Command } from 'commander';
import { BUILD_PHASES } from '../../../domain/builds/build-phase.ts';
import type { Attempt, Build, ExpectedDuration } from '../../../api/openapi/contract.generated.ts';
import { describeBuild } from '../../builds/build-view.ts';
import { describeCommand } from '../../definition/command-help.ts';
import type { Runner } from '../../command-context.ts';
import { parseId } from '../../definition/argument-parsers.ts';
import type { Page } from '../../server/api-client.ts';

/** Adds `airline build show`. */
export function addBuildShowCommand(build: Command, runner: Runner): void {
  describeCommand(
    build
      .command('show')
      .description('Show a build, its attempts and, if it failed, why.')
      .argument('<build>', 'its id', parseId('build'))
      .action(
        runner.remote(async (context, id: number) => {
          const { api, out } = context;
          const [shown, attempts, expected] = await Promise.all([
            api.get<Build>(`/api/v1/build/${id}/`),
            api.get<Page<Attempt>>(`/api/v1/build/${id}/attempts/`),
            api.get<Page<ExpectedDuration>>(`/api/v1/build/${id}/expected/`),
          ]);
          await out.show({
            json: { ...shown, attempts: attempts.objects, expected: expected.objects },
            quiet: shown.phase,
            human: () => describeBuild(context, shown, attempts.objects, expected.objects),
          });
          return undefined;
        }),
      ),
    {
      examples: [['airline build show 12', 'the state of build 12']],
      json: 'the build, with "attempts", and in "expected" how long each package takes by its earlier builds',
      quiet: `its state: ${BUILD_PHASES.join(', ')}`,
    },
  );
}
