import type { Command } from 'commander';
import type { PlacedLandingPolicy } from '../../../api/openapi/contract.generated.ts';
import type { Runner } from '../../command-context.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { pocketOption, targetOption } from '../../definition/landing-options.ts';
import { fieldList } from '../../output/field-list.ts';
import type { Output } from '../../output/output.ts';

type PolicyOptions = { target: string; series: string; pocket?: string; archive: string };

/** Adds `airline landing policy`. */
export function addLandingPolicyCommand(landing: Command, runner: Runner): void {
  describeCommand(
    landing
      .command('policy')
      .description('Show what a landing at a target has to fulfil, and who may land there.')
      .addOption(targetOption().makeOptionMandatory())
      .requiredOption('--series <series>', 'the series to publish in')
      .addOption(pocketOption())
      .option('--archive <distribution>', "the distribution of the target's PPA", 'ubuntu')
      .action(
        runner.remote(async ({ api, out }, options: PolicyOptions) => {
          const placed = await api.get<PlacedLandingPolicy>('/api/v1/landingpolicy/', options);
          await out.show({
            json: placed,
            quiet: placed.policy.name,
            human: () => describePolicy(out, placed),
          });
          return undefined;
        }),
      ),
    {
      examples: [
        ['airline landing policy --target ubuntu --series noble', 'that of noble-proposed'],
        [
          'airline landing policy --target ppa:team/landed --series trixie --archive debian',
          'that of a PPA',
        ],
      ],
      json: 'the target as landings show it, and the policy',
      quiet: 'the name of the policy',
    },
  );
}

function describePolicy(out: Output, { target, policy }: PlacedLandingPolicy): string {
  const names = (given: readonly string[]) =>
    given.length > 0 ? given.join(', ') : 'everybody whose token has the scope';
  return fieldList(out, `Policy ${policy.name}`, [
    ['Target', `${target.archive} ${target.series} ${target.pocket}`],
    ['May land', names(policy.landers)],
    [
      'May approve',
      `${names(policy.approvers)}${policy.four_eyes ? ', but not whoever lands' : ''}`,
    ],
    ['Approval', policy.approval.replaceAll('_', ' ')],
    ['Must have built', policy.architectures.join(', ') || 'what the PPA builds'],
    ['Tests', policy.tests.replaceAll('_', ' ')],
    ['Tested on', policy.tests === 'none' ? undefined : policy.test_architectures.join(', ')],
    ...policy.freezes.map(
      ({ from, until, why, exempt }) =>
        [
          'Frozen',
          `${from} to ${until}: ${why}${exempt.length > 0 ? `; save for ${exempt.join(', ')}` : ''}`,
        ] as const,
    ),
  ]);
}
