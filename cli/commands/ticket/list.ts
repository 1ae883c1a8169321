import { type Command } from 'commander';
import type { Ticket } from '../../../api/openapi/contract.generated.ts';
import { describeCommand } from '../../definition/command-help.ts';
import type { Runner } from '../../command-context.ts';
import { PAGE_OUTPUT, showPage, withPaging, type PagingOptions } from '../../definition/paging.ts';
import type { Output } from '../../output/output.ts';
import type { Page } from '../../server/api-client.ts';
import type { Column } from '../../output/table.ts';
import { relativeTime } from '../../output/time-format.ts';
import { parseStep } from '../../definition/argument-parsers.ts';
import { stepText } from '../../output/step-text.ts';
import { STEP_COLUMN } from '../../tickets/step-column.ts';
import { stepFilter } from '../../../domain/tickets/ticket.ts';

/** Adds `airline ticket list`. */
export function addTicketListCommand(ticket: Command, runner: Runner): void {
  describeCommand(
    withPaging(
      ticket
        .command('list')
        .description('List open tickets, the latest first.')
        .option('--all', 'also closed ones')
        .option(
          '--step <step>',
          'only those at this step, given by its number or name; what has failed is at failed alone',
          parseStep,
        )
        .option('--owner <email>', 'of this owner')
        .option('--search <words>', 'only those that contain all of these words'),
    ).action(
      runner.remote(
        async (
          { api, out },
          options: PagingOptions & {
            all?: boolean;
            step?: string;
            owner?: string;
            search?: string;
          },
        ) => {
          const list = options.all ? 'ticketstatus' : 'ticket';
          const page = await api.get<Page<Ticket>>(`/api/v1/${list}/`, {
            order_by: '-id',
            limit: options.limit,
            offset: options.offset,
            ...(options.step === undefined ? {} : stepFilter(options.step)),
            owner: options.owner,
            q: options.search,
          });
          await showPage(out, page, ticketColumns(out), 'No tickets match.');
          return undefined;
        },
      ),
    ),
    {
      examples: [
        ['airline ticket list', 'open tickets'],
        ['airline ticket list --step failed', 'what failed'],
        ['airline ticket list --search hello --all', 'find one'],
      ],
      ...PAGE_OUTPUT,
    },
  );
}

function ticketColumns({ now }: Output): Column<Ticket>[] {
  return [
    { head: 'ID', cell: ({ id }) => id },
    STEP_COLUMN,
    { head: 'TITLE', cell: ({ title }) => title, isFlexible: true },
    { head: 'OWNER', cell: ({ owner }) => owner, isFlexible: true },
    { head: 'BUG', cell: ({ bug_id: bug }) => bug },
    { head: 'CHANGED', cell: ({ updated_at: at }) => relativeTime(at, now()) },
    { head: 'STATUS', cell: ({ status }) => stepText(status), isWide: true },
    { head: 'CREATED', cell: ({ created_at: at }) => at, isWide: true },
    { head: 'DESCRIPTION', cell: ({ description }) => description, isWide: true },
  ];
}
