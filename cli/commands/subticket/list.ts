import type { Command } from 'commander';
import type { Subticket } from '../../../api/openapi/contract.generated.ts';
import { describeCommand } from '../../definition/command-help.ts';
import type { Runner } from '../../command-context.ts';
import { PAGE_OUTPUT, showPage, withPaging, type PagingOptions } from '../../definition/paging.ts';
import type { Page } from '../../server/api-client.ts';
import { uploadNames } from '../../tickets/upload-names.ts';
import { relativeTime } from '../../output/time-format.ts';
import { parseId, parseStep } from '../../definition/argument-parsers.ts';
import { stepText } from '../../output/step-text.ts';
import { STEP_COLUMN } from '../../tickets/step-column.ts';
import { stepFilter } from '../../../domain/tickets/ticket.ts';
import { idOfUri } from '../../server/resource-uri.ts';

/** Adds `airline subticket list`. */
export function addSubticketListCommand(subticket: Command, runner: Runner): void {
  describeCommand(
    withPaging(
      subticket
        .command('list')
        .description('List subtickets, the latest first.')
        .option('--ticket <id>', 'of this ticket', parseId('ticket'))
        .option(
          '--step <step>',
          'only those at this step, given by its number or name; what has failed is at failed alone',
          parseStep,
        )
        .option('--assignee <email>', 'of this assignee'),
    ).action(
      runner.remote(
        async (
          { api, out },
          options: PagingOptions & {
            ticket?: number;
            step?: string;
            assignee?: string;
          },
        ) => {
          const page = await api.get<Page<Subticket>>('/api/v1/subticket/', {
            order_by: '-id',
            limit: options.limit,
            offset: options.offset,
            ticket: options.ticket,
            ...(options.step === undefined ? {} : stepFilter(options.step)),
            assignee: options.assignee,
          });
          const names = await uploadNames(
            api,
            out.form === 'human' ? page.objects.map((one) => one.source_package_upload) : [],
          );
          await showPage(
            out,
            page,
            [
              { head: 'ID', cell: ({ id }) => id },
              { head: 'TICKET', cell: ({ ticket }) => idOfUri(ticket) },
              STEP_COLUMN,
              {
                head: 'UPLOAD',
                cell: (one) => names.get(one.source_package_upload ?? ''),
                isFlexible: true,
              },
              { head: 'ASSIGNEE', cell: ({ assignee }) => assignee, isFlexible: true },
              {
                head: 'CHANGED',
                cell: ({ updated_at: at }) => relativeTime(at, out.now()),
              },
              { head: 'STATUS', cell: ({ status }) => stepText(status), isWide: true },
              { head: 'REPLACED BY', cell: (one) => one.replaced_by, isWide: true },
            ],
            'No subtickets match.',
          );
          return undefined;
        },
      ),
    ),
    {
      examples: [['airline subticket list --ticket 7', 'those of a ticket']],
      ...PAGE_OUTPUT,
    },
  );
}
