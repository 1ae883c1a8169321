import { landingMessageId } from '../landings/landing.ts';
import { messageId } from './progress.ts';

/**
 * A secret as the Standard Webhooks specification writes it: `whsec_` and a key of 24 to 64 bytes in base64.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const WEBHOOK_SECRET =
  /^whsec_(?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/]{4}(?:[A-Za-z0-9+/]{2}==)?|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$/;

/** How far a delivery is. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;

export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** What a delivery is of: an event of a build or of a landing, or nothing but a ping. */
export type DeliverySubject = {
  readonly id: number;
  readonly buildId: number | null;
  readonly landingId: number | null;
  readonly seq: number | null;
};

/**
 * The `webhook-id` of a delivery, by which a receiver recognises a repetition. That of an event is the message id on
 * the queue.
 */
export function deliveryMessageId({ id, buildId, landingId, seq }: DeliverySubject): string {
  if (seq === null) return `ping:${id}`;
  if (landingId !== null) return landingMessageId({ landing_id: landingId, seq });
  return buildId === null ? `ping:${id}` : messageId({ build_id: buildId, seq });
}
