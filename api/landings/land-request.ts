import { z } from 'zod';
import {
  archiveReference,
  INVALID_ARCHIVE,
  isPpa,
  POCKETS,
  readArchive,
  usualPocket,
  type Pocket,
} from '../../domain/packages/archive.ts';
import type { LandingTarget } from '../../domain/landings/landing.ts';
import type { LandingRequest } from '../../models/landings/landing.ts';
import {
  archiveParameter,
  archiveText,
  ppaText,
  queueText,
  readPpaField,
  seriesParameter,
  seriesText,
  webhookText,
} from '../requests/target-fields.ts';
import { problemsOf, refusal, type Problem } from '../rest/request-problems.ts';

const MAX_REFERENCE_LENGTH = 300;

const targetField = (error: string) =>
  z.string({ error }).max(MAX_REFERENCE_LENGTH, 'The target is too long.');
const POCKET_PROBLEM = `Enter one of ${POCKETS.join(', ')}.`;

/** The body of land, without the rules that involve several of its fields. */
export const landRequestSchema = z
  .looseObject({
    series: seriesText.meta({ description: 'The series that it is built for.' }),
    target: targetField('Enter a string.').meta({
      description:
        'Where it is published to: a PPA in the forms of ppa, or the name of a distribution. A PPA that names none is of archive, or where that is not given, of ubuntu.',
    }),
    target_series: seriesText.nullish().meta({
      description: 'The series that it is published in; by default the one that it is built for.',
    }),
    pocket: z.enum(POCKETS, { error: POCKET_PROBLEM }).nullish().meta({
      description:
        'The pocket that it is published in; by default Release in a PPA, Proposed in a primary archive.',
    }),
    ppa: ppaText.nullish().meta({
      description:
        'The PPA that it builds in; by default the one dedicated to the ticket, else one of the pool.',
    }),
    archive: archiveText,
    progress_trigger: queueText.nullish().meta({
      description:
        'The name of the queue that its messages and those of its builds go to; where no webhook is named, those of its builds go to airline-ticket-<id> by default, if that queue is allowed.',
    }),
    webhook_id: webhookText.nullish().meta({
      description: 'The id of a webhook that is told of it, in place of a queue or besides.',
    }),
  })
  .meta({ title: 'land_request' });

/**
 * Where a landing builds and publishes; the PPA is undefined where the request leaves it to the ticket, and its
 * distribution where the request does not say it.
 */
export type LandingPlace = Pick<LandingRequest, 'series' | 'target' | 'targetSeries' | 'pocket'> & {
  ppa: string | undefined;
  archive: string | undefined;
  progressTrigger: string | undefined;
  webhookId: number | null;
};

/**
 * Reads the body of land. Every problem of the body is reported at once.
 *
 * @throws AirlineError `invalid_field`, with `fields`
 */
export function readLandRequest(given: Readonly<Record<string, unknown>>): LandingPlace {
  const { data, error } = landRequestSchema.safeParse(given);
  const problems = problemsOf(error, given);
  if (!data) throw refusal(problems);
  const { series, archive, ppa, progress_trigger: queue } = data;
  if (ppa) readPpaField(given, problems);
  const { target, pocket } = readTarget(data, problems);
  return {
    series,
    archive,
    ppa: ppa || undefined,
    target,
    targetSeries: data.target_series ?? series,
    pocket,
    progressTrigger: queue || undefined,
    webhookId: data.webhook_id ?? null,
  };
}

/** Where a landing would publish, as the parameters of a query: `series` is that of the target. */
export const targetParameters = z.object({
  target: targetField('Name the target, such as target=ubuntu.').meta({
    description: 'A PPA, or the name of a distribution for its primary archive.',
  }),
  series: seriesParameter.meta({ description: 'The series to publish in.' }),
  pocket: z
    .enum(POCKETS, { error: `pocket: ${POCKET_PROBLEM}` })
    .optional()
    .meta({ description: 'By default Release in a PPA, Proposed in a primary archive.' }),
  archive: archiveParameter.meta({
    description:
      'The distribution of the target, where that is a PPA that names none. Default: ubuntu.',
  }),
});

/**
 * Where a landing would publish, of the parameters of a query.
 *
 * @throws AirlineError `invalid_field`, with `fields`
 */
export function landingTargetOf(given: z.output<typeof targetParameters>): LandingTarget {
  const { target: archive, pocket } = readTarget(given, []);
  return { archive, series: given.series, pocket };
}

/**
 * Where a request says that is published.
 *
 * @param problems of its other fields
 * @throws AirlineError with these problems and its own, where there are any
 */
function readTarget(
  given: Pick<z.output<typeof landRequestSchema>, 'target' | 'pocket' | 'archive'>,
  problems: Problem[],
): { target: string; pocket: Pocket } {
  const invalid = (field: string, message: string): Problem => ({
    field,
    code: 'invalid_field',
    message,
  });
  const target = readArchive(given.target, given.archive);
  if (!target) problems.push(invalid('target', INVALID_ARCHIVE));
  const pocket = given.pocket ?? (target && usualPocket(target));
  if (target && isPpa(target) && pocket !== 'Release')
    problems.push(invalid('pocket', 'A PPA has only the pocket Release.'));
  if (!target || !pocket || problems.length > 0) throw refusal(problems);
  return { target: archiveReference(target), pocket };
}
