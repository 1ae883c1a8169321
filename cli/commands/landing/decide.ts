import type { Command } from 'commander';
import type { Landing } from '../../../api/openapi/contract.generated.ts';
import { nothingPublishedText } from '../../../domain/landings/nothing-published.ts';
import type { Runner } from '../../command-context.ts';
import { parseCount, parseId } from '../../definition/argument-parsers.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { resumeCall } from '../../landings/landing-texts.ts';
import { landingPath } from '../../landings/watch-landing.ts';

const NOTES = ['It needs a token with the scope landing:approve. A decision cannot be taken back.'];
type DecisionOptions = {
  comment: string;
  attempt?: number;
  approvingSince?: string;
};
const JSON_OUTPUT = 'the landing, with the decision';

/** Adds `airline landing approve` and `airline landing reject`. */
export function addLandingDecisionCommands(landing: Command, runner: Runner): void {
  const add = (
    decision: 'approve' | 'reject',
    description: string,
    becomes: (shown: Landing) => string,
  ) =>
    landing
      .command(decision)
      .description(description)
      .argument('<landing>', 'its id', parseId('landing'))
      .requiredOption('--comment <text>', 'why; it stays on the landing')
      .option(
        '--attempt <number>',
        'the attempt that you have looked at; another one is not decided',
        parseCount,
      )
      .option(
        '--approving-since <time>',
        'its phase_since as you have looked at it; what was tested anew since is not decided',
      )
      .action(
        runner.remote(async ({ api, out }, id: number, options: DecisionOptions) => {
          const { approvingSince: approving_since, ...rest } = options;
          const body = { decision, ...rest, approving_since };
          const shown = await api.write<Landing>('POST', `${landingPath(id)}decide/`, body);
          await out.show({
            json: shown,
            human: () => `Landing ${id} is ${becomes(shown)}${pauseText(shown)}`,
          });
          return undefined;
        }),
      );
  describeCommand(
    add(
      'approve',
      'Approve a landing that waits for it. What it has built is published.',
      () => 'approved: what it has built is published next.',
    ),
    {
      examples: [
        [
          "airline landing approve 7 --comment 'built on both architectures, tried by hand'",
          'have it published',
        ],
        [
          "airline landing approve 7 --attempt 2 --comment 'its regressions are known'",
          'unless another attempt has begun since',
        ],
      ],
      notes: [
        ...NOTES,
        'What its tests say is in `airline landing tests`; why it waits for a person, in `airline ticket why`.',
      ],
      json: JSON_OUTPUT,
    },
  );
  describeCommand(
    add(
      'reject',
      'Reject a landing that waits for approval. It fails, and nothing more is published.',
      (shown) => `rejected: it fails, and ${nothingPublishedText(shown)}.`,
    ),
    {
      examples: [
        ["airline landing reject 7 --comment 'the changelog names no bug'", 'and say why'],
      ],
      notes: NOTES,
      json: JSON_OUTPUT,
    },
  );
}

/** Of a landing that is paused: that nothing comes of a decision before somebody resumes it. */
function pauseText({ id, paused_by: by }: Landing): string {
  return by === null ? '' : ` It is paused by ${by}: ${resumeCall(id)}.`;
}
