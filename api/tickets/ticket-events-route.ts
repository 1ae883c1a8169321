import { z } from 'zod';
import { MAX_TICKET_EVENTS, TICKET_EVENTS } from '../../domain/tickets/ticket-event.ts';
import { readTicketEvents } from '../../models/tickets/ticket-events.ts';
import { withQuery, type Operation } from '../http/operation.ts';
import { answerPage } from '../rest/answers.ts';
import { integer, NOT_STORED, STORABLE } from '../rest/field-values.ts';
import { statusSchema, stepSchema } from '../rest/fields.ts';
import { pageMeta } from '../rest/list-query.ts';
import { pageOf, pageParameters } from '../rest/page-parameters.ts';
import { pageSchema } from '../rest/request-schema.ts';
import { ticket } from '../resources/ticket.ts';

const PATH = '/api/v1/ticketevent/';
const MAX_ACTOR = 300;

const time = (name: string) =>
  z.iso.datetime({ offset: true, error: `Invalid ${name}: Enter a time as in RFC 3339.` });

const eventSchema = z
  .object({
    kind: z.enum(TICKET_EVENTS).meta({
      description:
        'step: it moved; ticket, subticket, artifact, link: it was made; build, landing: it was requested; cancellation: it was to be cancelled; decision: a landing was approved or rejected.',
    }),
    at: z.iso.datetime().meta({ description: 'When.' }),
    ticket: z.string().meta({ description: 'The address of the ticket.' }),
    subject: z
      .string()
      .meta({ description: 'The address of what it was done to, or of what was made.' }),
    actor: z.string().nullable().meta({
      description: 'Who did it; null where Airline does not keep that, as of what was made.',
    }),
    from_step: stepSchema.nullable().meta({ description: 'The step before, of a move.' }),
    to_step: stepSchema.nullable().meta({ description: 'The step after, of a move.' }),
    from_status: statusSchema.nullable().meta({ description: 'The status before, of a move.' }),
    to_status: statusSchema.nullable().meta({ description: 'The status after, of a move.' }),
    detail: z.string().meta({ description: 'What it was: a title, a name, a PPA.' }),
    reason: z.string().meta({ description: 'Why, as whoever did it said.' }),
  })
  .meta({ title: 'ticket_event' });

/** What was done to all tickets. */
export const ticketEventsOperation: Operation = withQuery({
  method: 'get',
  path: PATH,
  summary: 'List what was done to all tickets, the newest first',
  scope: 'read',
  query: pageParameters.extend({
    kind: z
      .enum(TICKET_EVENTS, { error: `Invalid kind: Enter one of ${TICKET_EVENTS.join(', ')}.` })
      .optional()
      .meta({ description: 'What was done.' }),
    ticket: z
      .string()
      .refine((given) => integer(given) !== undefined, 'Invalid ticket: Enter its number.')
      .optional()
      .meta({ description: 'The number of a ticket.' }),
    actor: z
      .string()
      .max(MAX_ACTOR, `Invalid actor: Enter at most ${MAX_ACTOR} characters.`)
      .regex(STORABLE, `Invalid actor: ${NOT_STORED}`)
      .optional()
      .meta({ description: 'Who did it: the whole name.' }),
    since: time('since').optional().meta({ description: 'From this time on.' }),
    until: time('until').optional().meta({ description: 'Before this time.' }),
  }),
  answers: {
    200: {
      description: `One page of the newest ${MAX_TICKET_EVENTS}, and of all that has the time of the last of these. With that time as \`until\` the older ones follow.`,
      schema: pageSchema(eventSchema),
    },
  },
  errors: ['invalid_field'],
  handle: async (ctx, { database }, { kind, ticket: id, actor, since, until, ...page }) => {
    const { limit, offset } = pageOf(page);
    const { events, totalCount } = await readTicketEvents(
      database.sequelize,
      {
        kind,
        actor,
        ticketId: id === undefined ? undefined : integer(id),
        since: since === undefined ? undefined : new Date(since),
        until: until === undefined ? undefined : new Date(until),
      },
      { limit, offset },
    );
    answerPage(ctx, {
      meta: pageMeta(PATH, ctx.query, { limit, offset }, totalCount),
      objects: events.map(({ at, ticketId, subject, subjectId, ...event }) => ({
        kind: event.kind,
        at: at.toISOString(),
        ticket: ticket.uriOf(ticketId),
        subject: `/api/v1/${subject}/${subjectId}/`,
        actor: event.actor,
        from_step: textOf(event.fromStep),
        to_step: textOf(event.toStep),
        from_status: textOf(event.fromStatus),
        to_status: textOf(event.toStatus),
        detail: event.detail,
        reason: event.reason,
      })),
    });
  },
});

function textOf(value: number | null): string | null {
  return value === null ? null : String(value);
}
