import { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';
import { DELIVERY_STATES, deliveryMessageId } from '../../domain/builds/webhook.ts';
import type { WebhookDelivery } from '../../models/events/webhook-delivery.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import type { ApiContext } from '../http/context.ts';
import { withQuery, type Operation } from '../http/operation.ts';
import { build } from '../resources/build.ts';
import { landing } from '../resources/landing.ts';
import { answerPage, answerRead, answerWriting } from '../rest/answers.ts';
import { bigInteger } from '../rest/field-values.ts';
import { pageMeta } from '../rest/list-query.ts';
import { pageOf, pageParameters } from '../rest/page-parameters.ts';
import { orNotFound } from '../rest/read-resource.ts';
import { pageSchema } from '../rest/request-schema.ts';
import { WEBHOOK, webhookIdOf, WEBHOOKS } from './webhook-routes.ts';

const deliverySchema = z
  .object({
    id: z.int().meta({ description: 'The id.' }),
    resource_uri: z.string().meta({ description: 'Its address.' }),
    message_id: z.string().meta({
      description:
        'The webhook-id of its requests: <build id>:<seq>, landing:<landing id>:<seq>, or ping:<id>.',
    }),
    build: z
      .string()
      .nullable()
      .meta({ description: 'The build; null for a ping, which has no seq either.' }),
    landing: z.string().nullable().meta({ description: 'The landing, where it is of one.' }),
    seq: z.int().nullable().meta({ description: 'The seq of the message.' }),
    state: z.enum(DELIVERY_STATES).meta({ description: 'Where it stands.' }),
    requested_at: z.iso.datetime().meta({ description: 'When it was requested, or began anew.' }),
    tries: z.int().meta({ description: 'How often it was tried.' }),
    tried_at: z.iso.datetime().nullable().meta({ description: 'When the latest try began.' }),
    status_code: z.int().nullable().meta({ description: 'The answer to the latest try.' }),
    duration_ms: z.int().nullable().meta({ description: 'How long the latest try took.' }),
    error: z.string().nullable().meta({ description: 'What went wrong at the latest try.' }),
    next_try_at: z.iso.datetime().nullable().meta({
      description:
        'While it is pending; an earlier event of its build or landing is delivered before it.',
    }),
  })
  .meta({ title: 'webhook_delivery' });

/** The operations on what was sent to a webhook, or is to be. */
export const webhookDeliveryOperations: readonly Operation[] = [
  withQuery({
    method: 'get',
    path: `${WEBHOOKS}{id}/deliveries/`,
    summary: 'List the deliveries of a webhook, the latest first, each with its latest try',
    scope: 'build:write',
    query: pageParameters,
    answers: { 200: { description: 'A page of deliveries.', schema: pageSchema(deliverySchema) } },
    errors: ['not_found', 'invalid_field'],
    handle: async (ctx, { database: { Webhook, WebhookDelivery } }, query) => {
      const id = webhookIdOf(ctx);
      orNotFound(await Webhook.findByPk(id), WEBHOOK, id);
      const page = pageOf(query);
      const { rows, totalCount } = await WebhookDelivery.list(id, page);
      const meta = pageMeta(listOf(id), ctx.query, page, totalCount);
      answerPage(ctx, { meta, objects: rows.map(serialize) });
    },
  }),
  {
    method: 'get',
    path: `${WEBHOOKS}{id}/deliveries/{delivery}/`,
    summary: 'Read a delivery of a webhook',
    scope: 'build:write',
    answers: { 200: { description: 'The delivery.', schema: deliverySchema } },
    errors: ['not_found'],
    handle: async (ctx, { database: { WebhookDelivery } }) => {
      const where = { webhookId: webhookIdOf(ctx), id: deliveryIdOf(ctx) };
      answerRead(ctx, serialize((await WebhookDelivery.findOne({ where })) ?? noDelivery()));
    },
  },
  {
    method: 'post',
    path: `${WEBHOOKS}{id}/deliveries/{delivery}/resend/`,
    summary: 'Send a delivery again, under the same webhook-id; one that waits keeps its place',
    scope: 'build:write',
    answers: { 202: { description: 'The delivery, pending.', schema: deliverySchema } },
    errors: ['not_found', 'conflict'],
    handle: async (ctx, deps) => {
      const webhookId = await activeWebhookId(ctx, deps);
      const { WebhookDelivery } = deps.database;
      const { transaction } = ctx.state;
      const row = await WebhookDelivery.resend(webhookId, deliveryIdOf(ctx), transaction);
      const sent = row ?? noDelivery();
      answerWriting(ctx, 202, () => serialize(sent), { needsRead: false });
    },
  },
  {
    method: 'post',
    path: `${WEBHOOKS}{id}/ping/`,
    summary: 'Send a request that tells of no event; its delivery shows what became of it',
    scope: 'build:write',
    answers: { 202: { description: 'The delivery.', schema: deliverySchema } },
    errors: ['not_found', 'conflict'],
    handle: async (ctx, deps) => {
      const webhookId = await activeWebhookId(ctx, deps);
      const { transaction = null } = ctx.state;
      const row = await deps.database.WebhookDelivery.ping(webhookId, transaction);
      answerWriting(ctx, 202, () => serialize(row), { needsRead: false });
    },
  },
];

/** @throws AirlineError `not_found`; `conflict` where nothing is sent to it */
async function activeWebhookId(
  ctx: ApiContext,
  { database: { Webhook } }: HandlerDependencies,
): Promise<number> {
  const transaction = ctx.state.transaction ?? null;
  const id = webhookIdOf(ctx);
  const { isActive } = orNotFound(await Webhook.findByPk(id, { transaction }), WEBHOOK, id);
  if (!isActive)
    throw new AirlineError('conflict', `Webhook ${id} is not active: set is_active first.`);
  return id;
}

function serialize(row: WebhookDelivery): z.infer<typeof deliverySchema> {
  return {
    id: row.id,
    resource_uri: `${listOf(row.webhookId)}${row.id}/`,
    message_id: deliveryMessageId(row),
    build: row.buildId === null ? null : build.uriOf(row.buildId),
    landing: row.landingId === null ? null : landing.uriOf(row.landingId),
    seq: row.seq,
    state: row.state,
    requested_at: row.requestedAt.toISOString(),
    tries: row.tries,
    tried_at: row.triedAt?.toISOString() ?? null,
    status_code: row.statusCode,
    duration_ms: row.durationMs,
    error: row.error,
    next_try_at: row.state === 'pending' ? row.nextTryAt.toISOString() : null,
  };
}

function deliveryIdOf(ctx: ApiContext): number {
  return bigInteger(ctx.params['delivery'] ?? '') ?? noDelivery();
}

function noDelivery(): never {
  throw new AirlineError('not_found', 'There is no such delivery.');
}

function listOf(webhookId: number): string {
  return `${WEBHOOKS}${webhookId}/deliveries/`;
}
