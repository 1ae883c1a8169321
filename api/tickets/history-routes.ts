import { z } from 'zod';
import { readChanges, type StatusChange } from '../../models/tickets/status-change.ts';
import { answerPage } from '../rest/answers.ts';
import type { Database } from '../../models/database.ts';
import type { ApiContext } from '../http/context.ts';
import { withQuery, type Operation } from '../http/operation.ts';
import { readBoolean } from '../rest/field-values.ts';
import { booleanText, statusSchema, stepSchema } from '../rest/fields.ts';
import { pageMeta } from '../rest/list-query.ts';
import {
  afterParameter,
  DEFAULT_ENTRIES,
  entriesParameter,
  pageOf,
  pageParameters,
} from '../rest/page-parameters.ts';
import { readOne } from '../rest/read-resource.ts';
import { pageSchema } from '../rest/request-schema.ts';
import { idOf } from '../rest/resource-routes.ts';
import type { Resource } from '../rest/resource.ts';
import { subticket } from '../resources/subticket.ts';
import { ticket } from '../resources/ticket.ts';

const changeSchema = z
  .object({
    seq: z.int().meta({
      description: "Its place in the ticket's chain, which has the subtickets' changes, too.",
    }),
    ticket: z.string().meta({ description: 'The address of the ticket.' }),
    subticket: z.string().nullable().meta({
      description: 'The address of the subticket that was changed; null: the ticket was.',
    }),
    from_step: stepSchema.meta({ description: 'The step before.' }),
    to_step: stepSchema.meta({ description: 'The step after.' }),
    from_status: statusSchema.meta({ description: 'The status before.' }),
    to_status: statusSchema.meta({ description: 'The status after.' }),
    actor: z.string().meta({ description: 'Who made the change.' }),
    reason: z.string().meta({ description: 'Why, as whoever made the change said.' }),
    request_id: z
      .string()
      .nullable()
      .meta({ description: 'The request that made it, if it was one.' }),
    created_at: z.iso.datetime().meta({ description: 'When it was made.' }),
    hash: z
      .string()
      .meta({ description: 'SHA-256 over the change before it in the chain and this one.' }),
  })
  .meta({ title: 'status_change' });

const historyQuery = pageParameters.extend({
  ...entriesParameter.shape,
  ...afterParameter.shape,
});
const ticketQuery = historyQuery.extend({
  subtickets: booleanText
    .default('false')
    .meta({ description: 'Whether the changes of its subtickets are among them.' }),
});

/** The histories of tickets and subtickets. */
export const historyOperations: readonly Operation[] = [
  withQuery({
    ...historyOperation(ticket),
    query: ticketQuery,
    handle: (ctx, { database }, { subtickets, ...page }) =>
      answerHistory(ctx, database, ticket, page, (ticketId) => ({
        ticketId,
        withSubtickets: readBoolean(subtickets) === true,
      })),
  }),
  withQuery({
    ...historyOperation(subticket),
    query: historyQuery,
    handle: (ctx, { database }, page) =>
      answerHistory(ctx, database, subticket, page, (subticketId) => ({ subticketId })),
  }),
];

function historyOperation(of: Resource) {
  return {
    method: 'get',
    path: `/api/v1/${of.name}/{id}/history/`,
    summary: `List the changes of step and status of a ${of.name}, in order`,
    scope: 'read',
    resource: of.name,
    answers: { 200: { description: 'One page.', schema: pageSchema(changeSchema) } },
    errors: ['not_found', 'invalid_field'],
  } as const satisfies Partial<Operation>;
}

async function answerHistory(
  ctx: ApiContext,
  database: Database,
  of: Resource,
  { after, ...page }: z.output<typeof historyQuery>,
  key: (id: number) => Parameters<typeof readChanges>[1],
): Promise<void> {
  const id = (await readOne(database, of, idOf(ctx)))['id'] as number;
  const { limit, offset } = pageOf(page, DEFAULT_ENTRIES);
  const { changes, totalCount } = await readChanges(database.sequelize, key(id), {
    after,
    limit,
    offset,
  });
  answerPage(ctx, {
    meta: pageMeta(`${of.uriOf(id)}history/`, ctx.query, { limit, offset }, totalCount),
    objects: changes.map(serializeChange),
  });
}

function serializeChange(change: StatusChange): z.input<typeof changeSchema> {
  return {
    seq: change.seq,
    ticket: ticket.uriOf(change.ticketId),
    subticket: change.subticketId === null ? null : subticket.uriOf(change.subticketId),
    from_step: String(change.fromStep),
    to_step: String(change.toStep),
    from_status: String(change.fromStatus),
    to_status: String(change.toStatus),
    actor: change.actor,
    reason: change.reason,
    request_id: change.requestId,
    created_at: change.createdAt.toISOString(),
    hash: change.hash,
  };
}
