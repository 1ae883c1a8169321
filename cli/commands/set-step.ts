import type { Command } from 'commander';
import { CommandError } from '../command-error.ts';
import { EXIT } from '../exit-code.ts';
import { describeCommand, type CommandDescription } from '../definition/command-help.ts';
import type { CommandContext, Runner } from '../command-context.ts';
import { moveStep } from '../tickets/move-step.ts';
import { toneOf } from '../output/colours.ts';
import type { Output } from '../output/output.ts';
import { stepToShow, type StepValue } from '../../domain/tickets/ticket.ts';
import { parseId, parseStatus, parseStep } from '../definition/argument-parsers.ts';
import { stepText } from '../output/step-text.ts';
import { idOfUri } from '../server/resource-uri.ts';

type SetStepOptions = { status?: string; reason?: string; from?: string };

/** Adds `set-step` to the commands of tickets or of subtickets. */
export function addSetStepCommand(
  parent: Command,
  runner: Runner,
  kind: 'ticket' | 'subticket',
  about: { description: string; examples: CommandDescription['examples'] },
): void {
  describeCommand(
    parent
      .command('set-step')
      .description(about.description)
      .argument(`<${kind}>`, 'its id', parseId(kind))
      .argument('<step>', 'a step by its number or its name: 300, image-building', parseStep)
      .option(
        '--status <number>',
        'a status other than the step: any whole number of at most nine digits',
        parseStatus,
      )
      .option('--reason <text>', 'the reason, for the history')
      .option('--from <step>', 'only if it is at this step now', parseStep)
      .action(
        runner.remote(async (context, id: number, step: string, options: SetStepOptions) => {
          await setStep(context, kind, id, step, options);
          return undefined;
        }),
      ),
    { examples: about.examples, json: `the ${kind}`, quiet: 'its step' },
  );
}

type Moved = { current_workflow_step: StepValue; status: string };

/** `Ticket 7: 200 Package Building → 300 Image Building`, and the status where that is another. */
function describeMove({ colour }: Output, name: string, before: Moved, after: Moved): string {
  const stepAndStatus = ({ current_workflow_step: step, status }: Moved) =>
    `${stepText(step)}${status === step ? '' : `, status ${status}`}`;
  const now = colour(toneOf(stepToShow(after)), stepAndStatus(after));
  return stepAndStatus(before) === stepAndStatus(after)
    ? `${name} stands at ${now} already.`
    : `${name}: ${stepAndStatus(before)} → ${now}`;
}

/**
 * Moves a ticket or a subticket to a step.
 *
 * @throws CommandError `conflict` or `precondition_failed` where it does not stand at `from`
 */
async function setStep(
  { api, out }: CommandContext,
  kind: 'ticket' | 'subticket',
  id: number,
  step: string,
  { status = step, reason, from }: SetStepOptions,
): Promise<void> {
  const path = `/api/v1/${kind}/${id}/`;
  const name = `${kind === 'ticket' ? 'Ticket' : 'Subticket'} ${id}`;
  const { before, moved } = await moveStep(
    api,
    path,
    { current_workflow_step: step, status, reason },
    from,
  );
  if (!moved) {
    const ticketId = 'ticket' in before ? idOfUri(before.ticket) : id;
    throw new CommandError(
      `${name} stands at ${stepText(before.current_workflow_step)}, not at ${stepText(from ?? step)}.`,
      {
        code: 'conflict',
        exit: EXIT.conflict,
        hint: `Nothing was changed; \`airline ticket history ${ticketId}\` says who moved it.`,
      },
    );
  }
  await out.show({
    json: moved,
    quiet: moved.current_workflow_step,
    human: () => describeMove(out, name, before, moved),
  });
}
