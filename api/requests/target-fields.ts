import { z } from 'zod';
import { PROGRESS_TRIGGER } from '../../domain/builds/build-request.ts';
import {
  DEFAULT_DISTRIBUTION,
  distributionProblem,
  INVALID_PPA,
  LAUNCHPAD_NAME,
  launchpadName,
  readPpa,
  type Ppa,
} from '../../domain/packages/ppa.ts';
import { integer } from '../rest/field-values.ts';
import type { Problem } from '../rest/request-problems.ts';

/* What a request names as its target: a series, a PPA of a distribution, and a queue or a webhook. */

const MAX_NAME_LENGTH = 100;
const NAME_PROBLEM = 'Enter a name of lower-case letters, digits and + . -';
const WRITTEN_NAME = LAUNCHPAD_NAME.replaceAll('a-z', 'A-Za-z');

const seriesField = (absent: string, wrong: string) =>
  z
    .string({ error: absent })
    .max(MAX_NAME_LENGTH, wrong)
    .regex(new RegExp(String.raw`^\s*${WRITTEN_NAME}\s*$`), wrong)
    .transform(launchpadName);
const archiveField = (wrong: string) =>
  z
    .string({ error: 'Enter a string.' })
    .max(MAX_NAME_LENGTH, wrong)
    .regex(new RegExp(String.raw`^\s*(?:${WRITTEN_NAME}\s*)?$`), wrong);

/** A series, in any case and with white space around it. It becomes a part of the upload path. */
export const seriesText = seriesField('Enter a string.', NAME_PROBLEM);

/** The same as a parameter of a query, whose problems name it. */
export const seriesParameter = seriesField(
  'Name the series, such as series=noble.',
  `series: ${NAME_PROBLEM}`,
);

/** The distribution of a PPA, as a series is written. Undefined of an empty text, and of null: the PPA says it. */
export const archiveText = archiveField(NAME_PROBLEM).nullish().transform(archiveOf).meta({
  description: 'The distribution of the PPA. Default: the one that the PPA names, or else ubuntu.',
});

/** The distribution of a target as a parameter of a query, which is never null. */
export const archiveParameter = archiveField(`archive: ${NAME_PROBLEM}`)
  .optional()
  .transform((archive) => archiveOf(archive) ?? DEFAULT_DISTRIBUTION);

/** A PPA in any of its forms. `readPpaField` says whether it is one. */
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

function archiveOf(archive: string | null | undefined): string | undefined {
  return launchpadName(archive ?? '') || undefined;
}

/**
 * The PPA of a body, where nothing was found in its fields `ppa` and `archive` by themselves.
 *
 * @param problems those of the body, which get this one where the text is no PPA, or one of another distribution
 */
export function readPpaField(
  given: Readonly<Record<string, unknown>>,
  problems: Problem[],
): Ppa | undefined {
  const field = 'ppa';
  if (problems.some((one) => one.field === field || one.field === 'archive')) return undefined;
  const archive = archiveText.parse(given['archive']);
  const ppa = readPpa(String(given[field]), archive);
  if (!ppa) {
    problems.push({ field, code: 'invalid_field', message: INVALID_PPA });
    return undefined;
  }
  const contradiction = distributionProblem(ppa, archive);
  if (contradiction === undefined) return ppa;
  problems.push({ field: 'archive', code: 'invalid_field', message: contradiction });
  return undefined;
}
