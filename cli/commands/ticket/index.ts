import { type Command } from 'commander';
import type { Runner } from '../../command-context.ts';
import { addSetStepCommand } from '../set-step.ts';
import { addTicketListCommand } from './list.ts';
import { addTicketShowCommand } from './show.ts';
import { addTicketCloseCommand, addTicketEditCommand, addTicketLinkCommand } from './change.ts';
import { addTicketCreateCommand } from './create.ts';
import { addTicketLandCommand } from './land.ts';
import { addTicketWhyCommand } from './why.ts';
import { addTicketHistoryCommand } from './history.ts';
import { addTicketWatchCommand } from './watch.ts';
import { addTicketOpenCommand } from './open.ts';

/** `airline ticket`: tickets and their way through the steps. */
export function addTicketCommands(program: Command, runner: Runner): void {
  const ticket = program.command('ticket').description('Tickets and their way through the steps.');
  addTicketListCommand(ticket, runner);
  addTicketShowCommand(ticket, runner);
  addTicketCreateCommand(ticket, runner);
  addTicketEditCommand(ticket, runner);
  addTicketLinkCommand(ticket, runner);
  addTicketCloseCommand(ticket, runner);
  addTicketHistoryCommand(ticket, runner);
  addSetStepCommand(ticket, runner, 'ticket', {
    description: 'Move a ticket to a step and give it the same status.',
    examples: [
      ["airline ticket set-step 7 complete --reason 'published'", 'close it'],
      ['airline ticket set-step 7 300 --from 200', 'only if nobody moved it meanwhile (else 5)'],
    ],
  });
  addTicketLandCommand(ticket, runner);
  addTicketWhyCommand(ticket, runner);
  addTicketWatchCommand(ticket, runner);
  addTicketOpenCommand(ticket, runner);
}
