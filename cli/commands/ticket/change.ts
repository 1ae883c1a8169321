import type { Command } from 'commander';
import type { Ticket } from '../../../api/openapi/contract.generated.ts';
import { STEP } from '../../../domain/tickets/ticket.ts';
import { printableLine } from '../../../domain/text/printable.ts';
import { usageError } from '../../command-error.ts';
import { describeCommand } from '../../definition/command-help.ts';
import type { Runner } from '../../command-context.ts';
import { addLinks } from '../../tickets/add-links.ts';
import { moveStep } from '../../tickets/move-step.ts';
import {
  collectReferences,
  collectWords,
  parseEmail,
  parseId,
  parseTitle,
  type Reference,
  REPEATABLE,
} from '../../definition/argument-parsers.ts';

type EditOptions = { title?: string; description?: string; bug?: string; owner?: string };

/** Adds `airline ticket edit`. */
export function addTicketEditCommand(ticket: Command, runner: Runner): void {
  describeCommand(
    ticket
      .command('edit')
      .description('Change the title, description, bug or owner of a ticket.')
      .argument('<ticket>', 'its id', parseId('ticket'))
      .option('--title <text>', 'what it is, in a line', parseTitle)
      .option('--description <text>', 'what it is for')
      .option('--bug <id>', 'the bug that it fixes')
      .option('--owner <email>', 'its owner', parseEmail)
      .action(
        runner.remote(async ({ api, out }, id: number, options: EditOptions) => {
          const { bug, ...given } = options;
          const change = { ...given, ...(bug === undefined ? {} : { bug_id: bug }) };
          if (Object.keys(change).length === 0)
            throw usageError(
              'Nothing to change.',
              'Give --title, --description, --bug or --owner.',
            );
          const changed = await api.write<Ticket>('PATCH', `/api/v1/ticket/${id}/`, change);
          await out.show({
            json: changed,
            quiet: changed.id,
            human: () => printableLine(`Ticket ${id} is changed: ${changed.title}`),
          });
          return undefined;
        }),
      ),
    {
      examples: [["airline ticket edit 7 --title 'Say hello' --bug 1234567", 'correct it']],
      json: 'the ticket',
      quiet: 'its id',
    },
  );
}

/** Adds `airline ticket link`. */
export function addTicketLinkCommand(ticket: Command, runner: Runner): void {
  describeCommand(
    ticket
      .command('link')
      .description('Add pages that a ticket is about, and PPAs that are dedicated to it.')
      .argument('<ticket>', 'its id', parseId('ticket'))
      .option(
        '--reference <kind=url>',
        `bug, blueprint, design or other, and its URL ${REPEATABLE}`,
        collectReferences,
      )
      .option('--ppa <ppa>', `a PPA that is dedicated to it ${REPEATABLE}`, collectWords)
      .action(
        runner.remote(
          async (
            { api, out },
            id: number,
            options: { reference?: readonly Reference[]; ppa?: readonly string[] },
          ) => {
            const { reference = [], ppa = [] } = options;
            if (reference.length + ppa.length === 0)
              throw usageError('Nothing to link.', 'Give --reference or --ppa.');
            const made = await addLinks(api, id, { references: reference, ppas: ppa });
            const what = [...reference.map(({ url }) => url), ...ppa].join(', ');
            await out.show({ json: made, human: () => `Ticket ${id} names ${what}.` });
            return undefined;
          },
        ),
      ),
    {
      examples: [
        ['airline ticket link 7 --reference bug=https://bugs.debian.org/1234567', 'a bug'],
        ['airline ticket link 7 --ppa ppa:team/ticket-7', 'a PPA of its own'],
      ],
      notes: ['What the ticket has already is not added again.'],
      json: 'a list of what was added',
    },
  );
}

/** Adds `airline ticket close`. */
export function addTicketCloseCommand(ticket: Command, runner: Runner): void {
  describeCommand(
    ticket
      .command('close')
      .description('Close a ticket: as complete, or with --failed as failed.')
      .argument('<ticket>', 'its id', parseId('ticket'))
      .option('--failed', 'it failed')
      .option('--reason <text>', 'the reason, for the history')
      .action(
        runner.remote(
          async ({ api, out }, id: number, options: { failed?: boolean; reason?: string }) => {
            const step = options.failed ? STEP.failed : STEP.complete;
            const { moved } = await moveStep(api, `/api/v1/ticket/${id}/`, {
              current_workflow_step: step,
              status: step,
              reason: options.reason,
            });
            await out.show({
              json: moved,
              quiet: step,
              human: () =>
                options.failed
                  ? out.colour('bad', `✗ Ticket ${id} is closed as failed.`)
                  : out.colour('good', `✓ Ticket ${id} is complete.`),
            });
            return undefined;
          },
        ),
      ),
    {
      examples: [
        ["airline ticket close 7 --reason 'published by hand'", 'nothing is left to do'],
        ["airline ticket close 7 --failed --reason 'not wanted any more'", 'given up'],
      ],
      json: 'the ticket',
      quiet: 'its step',
    },
  );
}
