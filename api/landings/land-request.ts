import { z } from 'zod';
import {
  archiveReference,
  isPpa,
  parseArchive,
  POCKETS,
  type Pocket,
} from '../../domain/archive.ts';
import type { LandingTarget } from '../../domain/landing.ts';
import { INVALID_PPA, launchpadName, readPpa } from '../../domain/ppa.ts';
import type { LandingRequest } from '../../models/landing.ts';
import {
  archiveText,
  ppaText,
  queueText,
  readPpaField,
  seriesText,
  webhookText,
} from '../builds/target-fields.ts';
import { problemsOf, refusal, type Problem } from '../rest/request-problems.ts';

const INVALID_TARGET = `${INVALID_PPA.slice(0, -1)}; or the name of a distribution, for its primary archive.`;
const MAX_REFERENCE_LENGTH = 300;

/** Where a landing publishes, beside the series. */
const TARGET_FIELDS = {
  target: z
    .string({ error: 'Enter a string.' })
    .max(MAX_REFERENCE_LENGTH, 'The target is too long.')
    .meta({
      description:
        'Where it is published to: a PPA in the forms of ppa, or the name of a distribution.',
    }),
  pocket: z
    .enum(POCKETS, { error: `Enter one of ${POCKETS.join(', ')}.` })
    .nullish()
    .meta({
      description:
        'The pocket that it is published in; by default Release in a PPA, Proposed in a primary archive.',
    }),
  archive: archiveText.meta({
    description: 'The distribution of the PPA. Default: ubuntu.',
  }),
};

/** The body of land, without the rules that involve several of its fields. */
export const landRequestSchema = z
  .looseObject({
    series: seriesText.meta({ description: 'The series that it is built for.' }),
    target: TARGET_FIELDS.target,
    target_series: seriesText.nullish().meta({
      description: 'The series that it is published in; by default the one that it is built for.',
    }),
    pocket: TARGET_FIELDS.pocket,
    ppa: ppaText.nullish().meta({
      description:
        'The PPA that it builds in; by default the one dedicated to the ticket, else one of the pool.',
    }),
    archive: TARGET_FIELDS.archive,
    progress_trigger: queueText.nullish().meta({
      description:
        'The name of the queue that its messages and those of its builds go to; where no webhook is named, those of its builds go to airline-ticket-<id> by default.',
    }),
    webhook_id: webhookText.nullish().meta({
      description: 'The id of a webhook that is told of it, in place of a queue or besides.',
    }),
  })
  .meta({ title: 'land_request' });

/** Where a landing builds and publishes; the PPA is undefined where the request leaves it to the ticket. */
export type LandingPlace = Pick<
  LandingRequest,
  'series' | 'archive' | 'target' | 'targetSeries' | 'pocket'
> & { ppa: string | undefined; progressTrigger: string | undefined; webhookId: number | null };

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

const targetSchema = z.object({ ...TARGET_FIELDS, series: seriesText });

/**
 * Reads where a landing would publish, from the fields of land of which `series` is that of the target. Every problem is
 * reported at once.
 *
 * @throws AirlineError `invalid_field`, with `fields`
 */
export function readLandingTarget(given: Readonly<Record<string, unknown>>): LandingTarget {
  const { data, error } = targetSchema.safeParse(given);
  if (!data) throw refusal(problemsOf(error, given));
  const { target: archive, pocket } = readTarget(data, []);
  return { archive, series: data.series, pocket };
}

/**
 * Where a body says that is published.
 *
 * @param problems of its other fields
 * @throws AirlineError with these problems and its own, where there are any
 */
function readTarget(
  given: Pick<z.output<typeof targetSchema>, 'target' | 'pocket' | 'archive'>,
  problems: Problem[],
): { target: string; pocket: Pocket } {
  const invalid = (field: string, message: string): Problem => ({
    field,
    code: 'invalid_field',
    message,
  });
  const ppa = readPpa(given.target, given.archive);
  const target = ppa ?? parseArchive(launchpadName(given.target));
  if (!target) problems.push(invalid('target', INVALID_TARGET));
  const pocket = given.pocket ?? (ppa ? 'Release' : 'Proposed');
  if (target && isPpa(target) && pocket !== 'Release')
    problems.push(invalid('pocket', 'A PPA has only the pocket Release.'));
  if (!target || problems.length > 0) throw refusal(problems);
  return { target: archiveReference(target), pocket };
}
