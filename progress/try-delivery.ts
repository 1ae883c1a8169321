import type { LookupFunction } from 'node:net';
import { printable } from '../domain/text/printable.ts';
import { assertUrlAllowed, type SourceUrlRule } from '../domain/access/source-url.ts';
import { deliveryMessageId } from '../domain/builds/webhook.ts';
import type { ClaimedDelivery, TryOutcome } from '../models/events/webhook-outbox.ts';
import { withTimeLimit } from '../timing/time-limit.ts';
import { postWebhook } from './post-webhook.ts';
import { signedHeaders } from './sign-webhook.ts';

const MAX_ERROR_LENGTH = 300;

/** Which addresses are called. */
export type AddressRules = {
  /** Judges a URL as it is written. */
  readonly rule: SourceUrlRule;
  /** Judges what the name in a URL leads to. */
  readonly dialRule: (
    url: URL,
    rule: SourceUrlRule,
  ) => { lookup: LookupFunction; refusal: Error | undefined };
};

/**
 * Sends a delivery once, signed with the time of its claim: receivers refuse what seems old, and the clock of this
 * process may be wrong. Only a status of 2xx confirms it. Whatever goes wrong is in the outcome: it never throws.
 *
 * @param options.answerMs time for the whole request
 * @param options.signal ends the request
 */
export async function tryDelivery(
  { webhookId, url, secret, body, triedAt, ...subject }: ClaimedDelivery,
  { rule, dialRule, answerMs, signal }: AddressRules & { answerMs: number; signal: AbortSignal },
): Promise<TryOutcome & { retryAfterMs: number }> {
  const beganAt = performance.now();
  const outcome = (statusCode: number | null, error: string | null, retryAfterMs = 0) => ({
    statusCode,
    durationMs: Math.round(performance.now() - beganAt),
    error,
    retryAfterMs,
  });
  return withTimeLimit({ ms: answerMs, signal }, async (limit) => {
    try {
      limit.throwIfAborted();
      assertUrlAllowed(url, rule);
      const { lookup, refusal } = dialRule(new URL(url), rule);
      if (refusal) throw refusal;
      const text = JSON.stringify(body ?? { type: 'ping', webhook_id: webhookId });
      const messageId = deliveryMessageId(subject);
      const headers = signedHeaders(secret, { id: messageId, at: triedAt, body: text });
      const answer = await postWebhook(url, text, { headers, lookup, signal: limit });
      return outcome(answer.statusCode, problemOf(answer.statusCode), answer.retryAfterMs);
    } catch (error) {
      const said = limit.aborted
        ? `It gave no answer within ${answerMs} ms`
        : printable((error as Error).message);
      return outcome(null, said.slice(0, MAX_ERROR_LENGTH));
    }
  });
}

/** What is wrong with an answer; null where it confirms the delivery. */
function problemOf(statusCode: number): string | null {
  if (statusCode >= 200 && statusCode < 300) return null;
  const isRedirect = statusCode >= 300 && statusCode < 400;
  return `It answered ${statusCode}${isRedirect ? ', a redirect, which is not followed' : ''}`;
}
