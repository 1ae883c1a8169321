import { z } from 'zod';
import { WORKER_MESSAGES } from '../../domain/builds/progress.ts';
import type { SourceUrlRule } from '../../domain/access/source-url.ts';
import { WEBHOOK_SECRET } from '../../domain/builds/webhook.ts';
import type { WebhookFields } from '../../models/events/webhook.ts';
import { isStorable, MAX_URL_LENGTH, STORABLE } from '../rest/field-values.ts';
import { problemsOf, refusal } from '../rest/request-problems.ts';
import { judgeUrl } from '../requests/judge-url.ts';

const MAX_DESCRIPTION_LENGTH = 1_000;
const INVALID_DESCRIPTION = `Enter a text of at most ${MAX_DESCRIPTION_LENGTH} characters.`;

/** The body that adds a webhook. */
export const webhookCreation = z
  .object({
    url: z
      .string({ error: 'Enter a URL.' })
      .max(MAX_URL_LENGTH, 'The URL is too long.')
      .meta({ description: 'Where events go by POST; on a host of AIRLINE_WEBHOOK_HOSTS.' }),
    secret: z
      .string({ error: 'Enter a string.' })
      .regex(WEBHOOK_SECRET, 'Enter whsec_ and 24 to 64 random bytes in base64.')
      .optional()
      .meta({
        description:
          'The secret that signs the requests. Default: a new one, which is shown only once.',
      }),
    description: z
      .string({ error: INVALID_DESCRIPTION })
      .regex(STORABLE, INVALID_DESCRIPTION)
      .refine(isStorable, INVALID_DESCRIPTION)
      .max(MAX_DESCRIPTION_LENGTH, INVALID_DESCRIPTION)
      .optional()
      .meta({ description: 'What it is for.' }),
    ticket_id: z
      .int({ error: 'Enter the id of a ticket.' })
      .nullable()
      .optional()
      .meta({ description: 'Only the builds of this ticket; null: of every ticket.' }),
    messages: z
      .array(z.enum(WORKER_MESSAGES, { error: `Enter some of ${WORKER_MESSAGES.join(', ')}.` }), {
        error: 'Enter a list of messages.',
      })
      .min(1, 'Enter at least one message, or null.')
      .max(WORKER_MESSAGES.length, 'Enter each message once.')
      .nullable()
      .optional()
      .meta({ description: 'Only events with one of these messages; null: every event.' }),
    is_active: z
      .boolean({ error: 'Enter true or false.' })
      .optional()
      .meta({ description: 'False: it gets no events.' }),
  })
  .meta({ title: 'webhook_creation' });

/** The body that changes a webhook; what is absent stays. */
export const webhookChange = webhookCreation.partial().meta({ title: 'webhook_change' });

/**
 * Reads a body that adds or changes a webhook. Every problem of it is reported at once, and none shows the secret.
 *
 * @throws AirlineError `invalid_field`, `host_not_allowed` or `credentials_in_url`, with `fields`
 */
export function readWebhook<Schema extends typeof webhookCreation | typeof webhookChange>(
  schema: Schema,
  given: Readonly<Record<string, unknown>>,
  rule: SourceUrlRule,
): z.infer<Schema> {
  const parsed = schema.safeParse(given);
  const problems = problemsOf(parsed.error, given);
  if (typeof given['url'] === 'string' && !problems.some(({ field }) => field === 'url'))
    problems.push(...judgeUrl('url', given['url'], rule));
  if (problems.length > 0 || !parsed.success) throw refusal(problems);
  return parsed.data as z.infer<Schema>;
}

/** What a body says of a webhook, by attribute. */
export function webhookFields({
  ticket_id: ticketId,
  is_active: isActive,
  messages,
  ...rest
}: z.infer<typeof webhookChange>): Partial<WebhookFields> {
  const given = {
    ...rest,
    ticketId,
    isActive,
    messages: messages ? [...new Set(messages)] : messages,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
