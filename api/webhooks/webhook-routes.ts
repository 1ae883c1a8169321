import { z } from 'zod';
import { WORKER_MESSAGES } from '../../domain/builds/progress.ts';
import { shownUrl } from '../../domain/access/source-url.ts';
import type { Database } from '../../models/database.ts';
import type { InTransaction } from '../../models/sql/mutation-context.ts';
import { atomically } from '../../models/sql/transactions.ts';
import { newWebhookSecret, type Webhook, type WebhookFields } from '../../models/events/webhook.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import { answerJson, type ApiContext } from '../http/context.ts';
import { withQuery, type Operation } from '../http/operation.ts';
import { answerPage, answerRead, answerWriting, assertMatched } from '../rest/answers.ts';
import { pageMeta } from '../rest/list-query.ts';
import { pageOf, pageParameters } from '../rest/page-parameters.ts';
import { orNotFound, pathId } from '../rest/read-resource.ts';
import { mutationContextOf } from '../rest/request-context.ts';
import { pageSchema } from '../rest/request-schema.ts';
import { bodyOf, idOf } from '../rest/resource-routes.ts';
import { readNamedTicket } from '../requests/named-ticket.ts';
import { readWebhook, webhookChange, webhookCreation, webhookFields } from './webhook-request.ts';

export const WEBHOOKS = '/api/v1/webhook/';
/** As errors name it. */
export const WEBHOOK = { name: 'webhook' };

const webhookSchema = z
  .object({
    id: z.int().meta({ description: 'The id.' }),
    resource_uri: z.string().meta({ description: 'Its address.' }),
    url: z.string().meta({ description: 'Where the messages are posted to.' }),
    description: z.string().meta({ description: 'What it is for.' }),
    ticket_id: z.int().nullable().meta({
      description: 'The ticket whose builds it gets events of; null: it gets those of all builds.',
    }),
    messages: z
      .array(z.enum(WORKER_MESSAGES))
      .nullable()
      .meta({ description: 'It gets events with these worker messages; null: with any.' }),
    is_active: z.boolean().meta({ description: 'Whether anything is posted to it.' }),
    inactive_reason: z
      .string()
      .nullable()
      .meta({ description: 'Why Airline has switched it off; null where it has not.' }),
    failing_since: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'Since when every request has failed; null: the latest succeeded.' }),
    created_at: z.iso.datetime().meta({ description: 'When it was added.' }),
    created_by: z.string().meta({ description: 'Who added it.' }),
  })
  .meta({ title: 'webhook' });

const addedWebhookSchema = webhookSchema
  .extend({
    secret: z.string().optional().meta({
      description: 'The secret, where the request gave none. It is shown only once.',
    }),
  })
  .meta({ title: 'added_webhook' });

/** The operations on webhooks. All need the scope of build requests: who may be told of builds decides who is told. */
export const webhookOperations: readonly Operation[] = [
  withQuery({
    method: 'get',
    path: WEBHOOKS,
    summary: 'List webhooks',
    scope: 'build:write',
    query: pageParameters.extend({
      order_by: z
        .enum(['id', '-id'], { error: 'Invalid order_by: Enter id or -id.' })
        .default('id')
        .meta({ description: 'The field to order by; descending with - before it.' }),
    }),
    answers: { 200: { description: 'A page of webhooks.', schema: pageSchema(webhookSchema) } },
    errors: ['invalid_field'],
    handle: async (ctx, { database: { Webhook } }, { order_by: order, ...query }) => {
      const page = pageOf(query);
      const direction = order === 'id' ? 'ASC' : 'DESC';
      const { rows, count } = await Webhook.findAndCountAll({
        order: [['id', direction]],
        ...page,
      });
      const meta = pageMeta(WEBHOOKS, ctx.query, page, count);
      answerPage(ctx, { meta, objects: rows.map(serialize) });
    },
  }),
  {
    method: 'post',
    path: WEBHOOKS,
    summary: 'Add a webhook, which is told of the events that follow',
    scope: 'build:write',
    body: webhookCreation,
    answers: { 201: { description: 'The webhook.', schema: addedWebhookSchema } },
    errors: [
      'invalid_field',
      'unknown_reference',
      'host_not_allowed',
      'credentials_in_url',
      'conflict',
      'secret_not_repeated',
    ],
    handle: addWebhook,
  },
  {
    method: 'get',
    path: `${WEBHOOKS}{id}/`,
    summary: 'Read a webhook, without its secret',
    scope: 'build:write',
    answers: { 200: { description: 'The webhook.', schema: webhookSchema } },
    errors: ['not_found'],
    handle: async (ctx, { database: { Webhook } }) => {
      const id = webhookIdOf(ctx);
      answerRead(ctx, serialize(orNotFound(await Webhook.findByPk(id), WEBHOOK, id)));
    },
  },
  {
    method: 'patch',
    path: `${WEBHOOKS}{id}/`,
    summary: 'Change a webhook, or switch it on again',
    scope: 'build:write',
    body: webhookChange,
    answers: { 202: { description: 'The webhook.', schema: webhookSchema } },
    errors: [
      'not_found',
      'invalid_field',
      'unknown_reference',
      'host_not_allowed',
      'credentials_in_url',
      'precondition_failed',
    ],
    handle: changeWebhook,
  },
  {
    method: 'delete',
    path: `${WEBHOOKS}{id}/`,
    summary: 'Delete a webhook, with what waits for it and its log',
    scope: 'build:write',
    answers: { 204: { description: 'It is gone.' } },
    errors: ['not_found', 'precondition_failed'],
    handle: async (ctx, { database }) => {
      const id = webhookIdOf(ctx);
      const context = mutationContextOf(ctx);
      await atomically(database.sequelize, context, async (within) => {
        await lockMatched(ctx, database, id, within);
        await database.Webhook.change(id, { isActive: false }, within);
      });
      // A change of its own: it takes long where the log is long, and goes on where an earlier one was interrupted.
      await database.Webhook.remove(id, context);
      ctx.state.logger().info({ webhookId: id, by: context.actor }, 'webhook deleted');
      ctx.status = 204;
    },
  },
];

async function addWebhook(ctx: ApiContext, deps: HandlerDependencies): Promise<void> {
  const given = readWebhook(webhookCreation, bodyOf(ctx), deps.webhookUrls);
  const fields = {
    description: '',
    ticketId: null,
    messages: null,
    isActive: true,
    ...webhookFields(given),
    url: given.url,
    secret: given.secret ?? newWebhookSecret(),
  };
  await assertTicketExists(ctx, deps, fields);
  const context = mutationContextOf(ctx);
  const isByToken = deps.authentication === 'token';
  const row = await deps.database.Webhook.add(fields, context, { isByToken });
  ctx.state
    .logger()
    .info({ webhookId: row.id, url: shownUrl(row.url), by: context.actor }, 'webhook added');
  ctx.set('Location', uriOf(row));
  if (given.secret !== undefined) return answerWriting(ctx, 201, () => serialize(row));
  // Whatever the caller prefers: nothing else shows it the secret.
  ctx.set('Cache-Control', 'no-store');
  answerJson(ctx, 201, { ...serialize(row), secret: fields.secret });
}

async function changeWebhook(ctx: ApiContext, deps: HandlerDependencies): Promise<void> {
  const fields = webhookFields(readWebhook(webhookChange, bodyOf(ctx), deps.webhookUrls));
  await assertTicketExists(ctx, deps, fields);
  const { database } = deps;
  const context = mutationContextOf(ctx);
  const id = webhookIdOf(ctx);
  const row = await atomically(database.sequelize, context, async (within) => {
    await lockMatched(ctx, database, id, within);
    return orNotFound(await database.Webhook.change(id, fields, within), WEBHOOK, id);
  });
  const about = { webhookId: row.id, fields: Object.keys(fields), by: context.actor };
  ctx.state.logger().info(about, 'webhook changed');
  answerWriting(ctx, 202, () => serialize(row), { needsRead: false });
}

/**
 * Keeps a webhook as it is until the transaction ends, and asserts that it is as the caller has read it. Events, which
 * refer to it, do not wait for that.
 *
 * @throws AirlineError `not_found`, `precondition_failed`
 */
async function lockMatched(
  ctx: ApiContext,
  { Webhook }: Database,
  id: number,
  { transaction }: InTransaction,
): Promise<void> {
  const row = await Webhook.findByPk(id, { transaction, lock: transaction.LOCK.NO_KEY_UPDATE });
  assertMatched(ctx, serialize(orNotFound(row, WEBHOOK, id)));
}

/** @throws AirlineError `unknown_reference` */
async function assertTicketExists(
  ctx: ApiContext,
  { database }: HandlerDependencies,
  { ticketId }: Partial<WebhookFields>,
): Promise<void> {
  if (typeof ticketId === 'number')
    await readNamedTicket(database, ticketId, ctx.state.transaction);
}

function serialize(row: Webhook): z.infer<typeof webhookSchema> {
  return {
    id: row.id,
    resource_uri: uriOf(row),
    url: row.url,
    description: row.description,
    ticket_id: row.ticketId,
    messages: row.messages,
    is_active: row.isActive,
    inactive_reason: row.inactiveReason ?? null,
    failing_since: row.failingSince?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    created_by: row.createdBy,
  };
}

function uriOf({ id }: { readonly id: number }): string {
  return `${WEBHOOKS}${id}/`;
}

/** The id in the path. @throws AirlineError `not_found` */
export function webhookIdOf(ctx: ApiContext): number {
  return pathId(WEBHOOK, idOf(ctx));
}
