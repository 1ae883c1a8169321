import { answerRead, answerWritten } from '../rest/answers.ts';
import { AirlineError } from '../../domain/errors.ts';
import { fullTicket, fullTicketSchema, readFullTicket } from './full-ticket.ts';
import type { Operation } from '../http/operation.ts';
import { pathId } from '../rest/read-resource.ts';
import { REQUIRED } from '../rest/request-problems.ts';
import { answerSchema, requestSchema } from '../rest/request-schema.ts';
import { mutationContextOf } from '../rest/request-context.ts';
import {
  bodyOf,
  detailOperation,
  idOf,
  listOperation,
  schemaOperation,
} from '../rest/resource-routes.ts';
import { view } from '../rest/declare-resource.ts';
import type { Resource } from '../rest/resource.ts';
import { subticket } from '../resources/subticket.ts';
import { ticket } from '../resources/ticket.ts';
import { changeResource } from '../rest/write-resource.ts';

const STATUS_FIELDS = ['current_workflow_step', 'status'] as const;

const LISTED = { list: ['get'], detail: ['get'] };
const UPDATED = { list: ['get'], detail: ['get', 'patch'] };

const openTickets = view(ticket, 'opentickets', { methods: LISTED });
const ticketStatus = view(ticket, 'ticketstatus', {
  methods: LISTED,
  defaultFilter: undefined,
});
const statusUpdates = [
  view(ticket, 'updateticketstatus', { methods: UPDATED }),
  view(subticket, 'updatesubticketstatus', { methods: UPDATED }),
];

/** Tickets and subtickets under other names, for the listing of resources. */
export const TICKET_VIEWS: readonly Resource[] = [
  fullTicket,
  openTickets,
  ticketStatus,
  ...statusUpdates,
];

/** The views of tickets and subtickets (ticket service, "Endpoints"). */
export const ticketViewOperations: readonly Operation[] = [
  { ...listOperation(openTickets), summary: 'List the open tickets' },
  { ...listOperation(ticketStatus), summary: 'List all tickets, or those at a step' },
  ...statusUpdates.map((update) => listOperation(update)),
  ...[openTickets, ticketStatus, ...statusUpdates].map((one) => detailOperation(one, one.name)),
  {
    ...listOperation(fullTicket, answerSchema(ticket)),
    summary: 'List the open tickets; the address of each has what belongs to it, too',
  },
  {
    method: 'get',
    path: '/api/v1/fullticket/{id}/',
    summary: 'Read a ticket with everything that belongs to it',
    scope: 'read',
    resource: 'fullticket',
    answers: {
      200: { description: 'The ticket, its parts nested.', schema: fullTicketSchema },
    },
    errors: ['not_found', 'answer_too_large'],
    handle: async (ctx, deps) =>
      answerRead(ctx, await readFullTicket(deps, pathId(ticket, idOf(ctx)))),
  },
  ...statusUpdates.map(updateOperation),
  ...TICKET_VIEWS.map((one) => schemaOperation(one, one.name)),
];

function updateOperation(update: Resource): Operation {
  const body = requestSchema(update, 'change')
    .pick({
      current_workflow_step: true,
      status: true,
      reason: true,
    })
    .meta({
      title: `${update.name}_change`,
      anyOf: STATUS_FIELDS.map((name) => ({ required: [name] })),
    });
  return {
    method: 'patch',
    path: `/api/v1/${update.name}/{id}/`,
    summary: 'Set step and status',
    scope: 'ticket:write',
    resource: update.name,
    body,
    answers: {
      202: {
        description: 'Changed.',
        schema: answerSchema(update, { comparesReferences: false }),
      },
    },
    errors: ['not_found', 'invalid_field', 'precondition_failed'],
    handle: async (ctx, deps) => {
      const sent = bodyOf(ctx);
      const given = STATUS_FIELDS.filter((name) => Object.hasOwn(sent, name));
      if (given.length === 0)
        throw new AirlineError('invalid_field', 'Neither step nor status is given.', {
          fields: Object.fromEntries(STATUS_FIELDS.map((name) => [name, [REQUIRED]])),
        });
      const changes = Object.fromEntries(given.map((name) => [name, sent[name]]));
      const id = pathId(update, idOf(ctx));
      const row = await changeResource(
        deps.database,
        update,
        id,
        changes,
        mutationContextOf(ctx, sent),
      );
      answerWritten(ctx, deps, 202, update, row);
    },
  };
}
