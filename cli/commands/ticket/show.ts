import { type Command } from 'commander';
import type { Fullticket, Landing } from '../../../api/openapi/contract.generated.ts';
import { nameOfSubject } from '../../../domain/tickets/subticket-subject.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { buildColumns } from '../../builds/build-view.ts';
import { fieldList } from '../../output/field-list.ts';
import type { CommandContext, Runner } from '../../command-context.ts';
import { toneOf } from '../../output/colours.ts';
import { landingColumns } from '../../landings/landing-view.ts';
import { relativeTime } from '../../output/time-format.ts';
import { carriedFields } from '../../tickets/carried-fields.ts';
import { failureFields } from '../../tickets/failure-fields.ts';
import { parseId } from '../../definition/argument-parsers.ts';
import { stepText } from '../../output/step-text.ts';
import { STEP_COLUMN } from '../../tickets/step-column.ts';
import { stepToShow } from '../../../domain/tickets/ticket.ts';

/** Adds `airline ticket show`. */
export function addTicketShowCommand(ticket: Command, runner: Runner): void {
  describeCommand(
    ticket
      .command('show')
      .description('Show a ticket with its subtickets, artifacts, builds and landings.')
      .argument('<ticket>', 'its id', parseId('ticket'))
      .action(
        runner.remote(async (context, id: number) => {
          const { api, out } = context;
          const shown = await api.get<Fullticket>(`/api/v1/fullticket/${id}/`);
          const { objects: landings } = await api.get<{ objects: Landing[] }>(
            `/api/v1/landing/?ticket_id=${id}&order_by=-requested_at`,
          );
          await out.show({
            json: { ...shown, landings },
            quiet: shown.current_workflow_step,
            human: () => describeTicket(context, shown, landings),
          });
          return undefined;
        }),
      ),
    {
      examples: [['airline ticket show 7', 'everything about ticket 7']],
      json: 'the full ticket, with its latest landings',
      quiet: 'its step',
    },
  );
}

function describeTicket(
  { out, api }: CommandContext,
  ticket: Fullticket,
  landings: readonly Landing[],
): string {
  const at = (time: string) => `${relativeTime(time, out.now())} (${time})`;
  const parts = [
    fieldList(out, `Ticket ${ticket.id}: ${ticket.title}`, [
      ['Step', stepText(ticket.current_workflow_step), toneOf(stepToShow(ticket))],
      ['Status', ticket.status === ticket.current_workflow_step ? '' : stepText(ticket.status)],
      ...failureFields(ticket),
      ['Owner', ticket.owner],
      ['Bug', ticket.bug_id],
      ['Description', ticket.description],
      ...carriedFields(ticket),
      ['Created', at(ticket.created_at)],
      ['Changed', at(ticket.updated_at)],
      ['Page', api.page(`/ticket/${ticket.id}`)],
    ]),
    out.table(
      ticket.subtickets,
      [
        { head: 'SUBTICKET', cell: ({ id }) => id },
        { head: 'SOURCE PACKAGE', cell: nameOfSubject },
        { head: 'VERSION', cell: (one) => one.source_package_upload?.version, isFlexible: true },
        STEP_COLUMN,
        { head: 'ASSIGNEE', cell: ({ assignee }) => assignee, isFlexible: true },
        { head: 'FILES', cell: ({ artifacts }) => artifacts.length },
        { head: 'REPLACED BY', cell: (one) => one.replaced_by, isWide: true },
      ],
      'No subtickets.',
    ),
    out.table(ticket.builds.toReversed(), buildColumns(out), 'No builds.'),
  ];
  if (landings.length > 0) parts.push(out.table(landings, landingColumns(out), ''));
  if (ticket.artifacts.length > 0)
    parts.push(
      out.table(
        ticket.artifacts,
        [
          { head: 'ARTIFACT', cell: ({ name }) => name, isFlexible: true },
          { head: 'TYPE', cell: ({ type, image }) => [image, type].join(' ').trim() },
          { head: 'WHERE', cell: ({ reference }) => reference },
        ],
        '',
      ),
    );
  return parts.join('\n\n');
}
