import { z } from 'zod';
import { PROGRESS_TRIGGER } from '../../domain/build-request.ts';
import { INVALID_PPA, LAUNCHPAD_NAME, launchpadName, readPpa } from '../../domain/ppa.ts';
import { integer } from '../rest/field-values.ts';
import type { Problem } from '../rest/request-problems.ts';

/* What a request names as its target: a series, a PPA of a distribution, and a queue or a webhook. */

const MAX_NAME_LENGTH = 100;
const NAME_PROBLEM = 'Enter a name of lower-case letters, digits and + . -';
const WRITTEN_NAME = LAUNCHPAD_NAME.replaceAll('a-z', 'A-Za-z');

const shortText = z.string({ error: 'Enter a string.' }).max(MAX_NAME_LENGTH, NAME_PROBLEM);

/** A series, in any case and with white space around it. It becomes a part of the upload path. */
export const seriesText = shortText
  .regex(new RegExp(String.raw`^\s*${WRITTEN_NAME}\s*$`), NAME_PROBLEM)
  .transform(launchpadName);

/** A distribution, as a series is written; an empty text, as null, leaves it to the default. */
export const archiveText = shortText
  .regex(new RegExp(String.raw`^\s*(?:${WRITTEN_NAME}\s*)?$`), NAME_PROBLEM)
  .nullish()
  .transform((archive) => launchpadName(archive ?? '') || 'ubuntu');

/** A PPA in any of its forms. `judgePpa` says whether it is one. */
export const ppaText = z
  .string({ error: 'Enter a string.' })
  .max(300, 'The PPA is too long.')
  .meta({
    description:
      'The PPA: ppa:owner/name, ~owner/distribution/name, owner/name or its address on Launchpad.',
  });

/** The name of a queue. */
export const queueText = z
  .string({ error: 'Enter a string.' })
  .regex(PROGRESS_TRIGGER, 'Enter 1 to 255 of A-Z a-z 0-9 . _ : - that do not start with amq.');

const WEBHOOK_PROBLEM = 'Enter the id of a webhook.';

/** The id of a webhook. */
export const webhookText = z
  .union([z.int(), z.string()], { error: WEBHOOK_PROBLEM })
  .transform((value) => integer(String(value)))
  .refine((id) => id !== undefined, WEBHOOK_PROBLEM);

/** What is wrong with the PPA of a body, where nothing was found in its fields `ppa` and `archive` by themselves. */
export function judgePpa(
  { ppa }: Readonly<Record<string, unknown>>,
  found: readonly Problem[],
): Problem[] {
  const field = 'ppa';
  if (found.some((problem) => problem.field === field || problem.field === 'archive')) return [];
  // Whether it is a PPA does not depend on the distribution where it names none.
  if (readPpa(String(ppa), 'ubuntu')) return [];
  return [{ field, code: 'invalid_field', message: INVALID_PPA }];
}
