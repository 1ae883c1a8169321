import type { Transaction } from 'sequelize';
import { AirlineError } from '../../domain/errors.ts';
import type { Database } from '../../models/database.ts';

/**
 * Asserts that the webhook that a request names, if it names one, will be told of the ticket's builds and landings.
 *
 * @throws AirlineError `unknown_reference`; `conflict` where the webhook is switched off, or another ticket's
 */
export async function assertWebhookIsTold(
  { Webhook }: Pick<Database, 'Webhook'>,
  { webhookId, ticketId }: { webhookId: number | null; ticketId: number },
  transaction: Transaction,
): Promise<void> {
  if (webhookId === null) return;
  const refuse = (code: 'unknown_reference' | 'conflict', message: string) =>
    new AirlineError(code, message, { fields: { webhook_id: [message] } });
  const webhook = await Webhook.findByPk(webhookId, { transaction });
  if (!webhook) throw refuse('unknown_reference', `There is no webhook ${webhookId}.`);
  if (!webhook.isActive) throw refuse('conflict', `Webhook ${webhookId} is switched off.`);
  if (webhook.ticketId !== null && webhook.ticketId !== ticketId)
    throw refuse('conflict', `Webhook ${webhookId} is only for ticket ${webhook.ticketId}.`);
}
