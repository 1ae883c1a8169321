import { Option, type Command } from 'commander';
import type { Fullticket, StatusChange, Ticket } from '../../../api/openapi/contract.generated.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { buildColumns } from '../../builds/build-view.ts';
import { fieldList } from '../../output/field-list.ts';
import type { CommandContext, Runner } from '../../command-context.ts';
import { PAGE_OUTPUT, showPage, withPaging, type PagingOptions } from '../../definition/paging.ts';
import { openPage } from '../../output/open-page.ts';
import type { Output } from '../../output/output.ts';
import { toneOf } from '../../output/colours.ts';
import type { Page } from '../../server/api-client.ts';
import { addSetStepCommand } from '../set-step.ts';
import type { Column } from '../../output/table.ts';
import { relativeTime } from '../../output/time-format.ts';
import { parseId, parseStep, parseTimeout, stepText } from '../../definition/argument-parsers.ts';
import { historyColumns, watchTicket } from '../../tickets/watch-ticket.ts';

/** `airline ticket`: tickets and their way through the steps. */
export function addTicketCommands(program: Command, runner: Runner): void {
  const ticket = program.command('ticket').description('Tickets and their way through the steps.');

  describeCommand(
    withPaging(
      ticket
        .command('list')
        .description('List tickets that are open, the latest first.')
        .option('--all', 'closed ones, too')
        .option('--step <step>', 'at this step, by its number or its name', parseStep)
        .option('--owner <email>', 'of this owner')
        .option('--search <words>', 'with all of these words'),
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
            current_workflow_step: options.step,
            owner: options.owner,
            q: options.search,
          });
          await showPage(out, page, ticketColumns(out), 'There are no such tickets.');
          return undefined;
        },
      ),
    ),
    {
      examples: [
        ['airline ticket list', 'what is under way'],
        ['airline ticket list --step failed', 'what failed'],
        ['airline ticket list --search hello --all', 'find one'],
      ],
      ...PAGE_OUTPUT,
    },
  );

  describeCommand(
    ticket
      .command('show')
      .description('Show a ticket with its subtickets, artifacts and builds.')
      .argument('<ticket>', 'its id', parseId)
      .action(
        runner.remote(async (context, id: number) => {
          const shown = await context.api.get<Fullticket>(`/api/v1/fullticket/${id}/`);
          await context.out.show({
            json: shown,
            quiet: shown.current_workflow_step,
            human: () => describeTicket(context, shown),
          });
          return undefined;
        }),
      ),
    {
      examples: [['airline ticket show 7', 'all about ticket 7']],
      json: 'the full ticket',
      quiet: 'its step',
    },
  );

  describeCommand(
    ticket
      .command('create')
      .description('Make a ticket without packages; `airline submit` makes one with them.')
      .requiredOption('--owner <email>', 'its owner')
      .requiredOption('--title <text>', 'what it is, in a line')
      .option('--description <text>', 'what it is for')
      .option('--bug <id>', 'the bug that it fixes')
      .action(
        runner.remote(
          async (
            { api, out },
            options: { owner: string; title: string; description?: string; bug?: string },
          ) => {
            const made = await api.write<Ticket>('POST', '/api/v1/ticket/', {
              owner: options.owner,
              title: options.title,
              description: options.description ?? '',
              bug_id: options.bug ?? '',
            });
            await out.show({
              json: made,
              quiet: made.id,
              human: () => `Ticket ${made.id}  ${api.page(`/ticket/${made.id}`)}`,
            });
            return undefined;
          },
        ),
      ),
    {
      examples: [
        ["airline ticket create --owner ann@example.com --title 'Say hello'", 'a ticket to add to'],
      ],
      json: 'the ticket',
      quiet: 'its id',
    },
  );

  describeCommand(
    ticket
      .command('history')
      .description('Print who changed the step and status of a ticket, when and why.')
      .argument('<ticket>', 'its id', parseId)
      .action(
        runner.remote(async ({ api, out }, id: number) => {
          const page = await api.get<Page<StatusChange>>(`/api/v1/ticket/${id}/history/`);
          await out.show({
            json: page,
            quiet: page.objects.map(({ to_step: step }) => step),
            human: () =>
              out.table(page.objects, historyColumns(out), `Ticket ${id} has not moved yet.`),
          });
          return undefined;
        }),
      ),
    {
      examples: [['airline ticket history 7 -o wide', 'with the requests that made the changes']],
      json: 'the page of the API: {"meta", "objects"}',
      quiet: 'the steps that it came to, in order',
    },
  );

  addSetStepCommand(ticket, runner, 'ticket', {
    description: 'Move a ticket to a step; its status goes with it.',
    examples: [
      ["airline ticket set-step 7 complete --reason 'published'", 'close it'],
      ['airline ticket set-step 7 300 --from 200', 'only if nobody moved it meanwhile (else 5)'],
    ],
  });

  describeCommand(
    ticket
      .command('watch')
      .description('Follow the changes of a ticket until it is complete or has failed.')
      .argument('<ticket>', 'its id', parseId)
      .option('--timeout <time>', 'watch no longer than this: 90s, 15m, 2h', parseTimeout)
      .addOption(
        new Option('--interval <time>', 'look this often')
          .argParser(parseTimeout)
          .default(2_000, '2s'),
      )
      .action(
        runner.remote(
          async (context, id: number, options: { timeout?: number; interval: number }) =>
            watchTicket(context, id, {
              timeoutMs: options.timeout,
              intervalMs: options.interval,
            }),
        ),
      ),
    {
      examples: [
        ['airline ticket watch 7 --timeout 2h', 'ends with 0 if it completes, 1 if it fails'],
      ],
      json: 'every change on a line, as the history has it',
    },
  );

  describeCommand(
    ticket
      .command('open')
      .description("Open a ticket's page in the browser, or print its address where there is none.")
      .argument('<ticket>', 'its id', parseId)
      .action(
        runner.remote(async (context, id: number) => {
          await context.api.get<Ticket>(`/api/v1/ticket/${id}/`);
          await openPage(context, `/ticket/${id}`);
          return undefined;
        }),
      ),
    {
      examples: [['airline ticket open 7', 'see it']],
      json: '{"url"}',
      quiet: 'the address, without opening it',
    },
  );
}

function ticketColumns({ now }: Output): Column<Ticket>[] {
  return [
    { head: 'ID', cell: ({ id }) => id },
    {
      head: 'STEP',
      cell: ({ current_workflow_step: step }) => stepText(step),
      tone: ({ current_workflow_step: step }) => toneOf(step),
    },
    { head: 'TITLE', cell: ({ title }) => title, isFlexible: true },
    { head: 'OWNER', cell: ({ owner }) => owner, isFlexible: true },
    { head: 'BUG', cell: ({ bug_id: bug }) => bug },
    { head: 'CHANGED', cell: ({ updated_at: at }) => relativeTime(at, now()) },
    { head: 'STATUS', cell: ({ status }) => stepText(status), isWide: true },
    { head: 'CREATED', cell: ({ created_at: at }) => at, isWide: true },
    { head: 'DESCRIPTION', cell: ({ description }) => description, isWide: true },
  ];
}

function describeTicket({ out, api }: CommandContext, ticket: Fullticket): string {
  const at = (time: string) => `${relativeTime(time, out.now())} (${time})`;
  const parts = [
    fieldList(out, `Ticket ${ticket.id}: ${ticket.title}`, [
      ['Step', stepText(ticket.current_workflow_step), toneOf(ticket.current_workflow_step)],
      ['Status', ticket.status === ticket.current_workflow_step ? '' : stepText(ticket.status)],
      ['Owner', ticket.owner],
      ['Bug', ticket.bug_id],
      ['Description', ticket.description],
      ['Created', at(ticket.created_at)],
      ['Changed', at(ticket.updated_at)],
      ['Page', api.page(`/ticket/${ticket.id}`)],
    ]),
    out.table(
      ticket.subtickets,
      [
        { head: 'SUBTICKET', cell: ({ id }) => id },
        { head: 'SOURCE PACKAGE', cell: (one) => one.source_package_upload.sourcepackage.name },
        { head: 'VERSION', cell: (one) => one.source_package_upload.version, isFlexible: true },
        {
          head: 'STEP',
          cell: (one) => stepText(one.current_workflow_step),
          tone: (one) => toneOf(one.current_workflow_step),
        },
        { head: 'ASSIGNEE', cell: ({ assignee }) => assignee, isFlexible: true },
        { head: 'FILES', cell: ({ artifacts }) => artifacts.length },
        { head: 'REPLACED BY', cell: (one) => one.replaced_by, isWide: true },
      ],
      'No subtickets.',
    ),
    out.table(ticket.builds.toReversed(), buildColumns(out), 'No builds.'),
  ];
  if (ticket.artifacts.length > 0)
    parts.push(
      out.table(
        ticket.artifacts,
        [
          { head: 'ARTIFACT', cell: ({ name }) => name, isFlexible: true },
          { head: 'TYPE', cell: ({ type }) => type },
          { head: 'WHERE', cell: ({ reference }) => reference },
        ],
        '',
      ),
    );
  return parts.join('\n\n');
}
