import { z } from 'zod';
import { BUILD_ORDERS } from '../../domain/builds/build-order.ts';
import type { BuildRequest } from '../../domain/builds/build-request.ts';
import type { Ppa } from '../../domain/packages/ppa.ts';
import {
  FILE_NAME,
  fileNameOfUrl,
  fileStem,
  namedSources,
  parseDscName,
} from '../../domain/packages/source-file.ts';
import { shownUrl, type SourceUrlRule } from '../../domain/access/source-url.ts';
import { integer, MAX_URL_LENGTH } from '../rest/field-values.ts';
import { problemsOf, refusal, REQUIRED, type Problem } from '../rest/request-problems.ts';
import { assertCarriable } from '../requests/assert-carriable.ts';
import { judgeUrl } from '../requests/judge-url.ts';
import {
  archiveText,
  ppaText,
  queueText,
  readPpaField,
  seriesText,
  webhookText,
} from '../requests/target-fields.ts';

const MAX_FILES = 1_000;

const ORDER_PROBLEM = `Enter ${BUILD_ORDERS.join(', ')}, or null.`;

/** The body of build_source, without the rules that involve several of its fields. */
export const buildRequestSchema = z
  .looseObject({
    ticket_id: z
      .union([z.int(), z.string()], { error: 'Enter a whole number.' })
      .transform((value) => integer(String(value)))
      .refine((id) => id !== undefined, 'Enter the id of a ticket.')
      .meta({ description: 'The id of the ticket that it builds.' }),
    source_packages: z
      .array(
        z.string({ error: 'Every entry is a URL.' }).max(MAX_URL_LENGTH, 'A URL is too long.'),
        {
          error: 'Enter a list of URLs.',
        },
      )
      .min(1, 'Name the URLs of all files of at least one source package.')
      .max(MAX_FILES, `At most ${MAX_FILES} files are taken in one request.`)
      .meta({
        description: 'URLs of all files of the source packages, including the .changes of each.',
      }),
    series: seriesText.meta({ description: 'The series that it is built for.' }),
    ppa: ppaText,
    progress_trigger: queueText.nullish().meta({
      description:
        'The name of the queue that its messages go to. Needed where no webhook is named.',
    }),
    webhook_id: webhookText.nullish().meta({
      description: 'The id of a webhook that is told of it, in place of a queue or besides.',
    }),
    archive: archiveText,
    cancel_url: z
      .string({ error: 'Enter a URL or null.' })
      .max(MAX_URL_LENGTH)
      .nullish()
      .meta({ description: 'An address that says whether anybody still wants the build.' }),
    order: z.enum(BUILD_ORDERS, { error: ORDER_PROBLEM }).nullish().meta({
      description:
        'dependencies: each package is uploaded when those of the request that it build-depends on are published. null: all at once.',
    }),
  })
  .meta({ title: 'build_request' });

/** The body of build_proposal: the source is made of the merge proposal, and the ticket is the subticket's. */
export const buildTargetSchema = buildRequestSchema
  .omit({ ticket_id: true, source_packages: true, order: true })
  .meta({ title: 'build_proposal_request' });

export type BuildTarget = Pick<
  BuildRequest,
  'series' | 'ppa' | 'archive' | 'progressTrigger' | 'cancelUrl'
> & { webhookId: number | null };

/**
 * Reads the body of build_source. Every problem of the body is reported at once.
 *
 * @throws AirlineError `host_not_allowed` or `credentials_in_url` if nothing else is wrong, otherwise
 * `invalid_field`; each with `fields`. `build_too_large`
 */
export function readBuildRequest(
  given: Readonly<Record<string, unknown>>,
  rule: SourceUrlRule,
): Omit<BuildRequest, 'buildId'> & BuildTarget {
  const parsed = buildRequestSchema.safeParse(given);
  const problems = problemsOf(parsed.error, given);
  if (!problems.some(({ field }) => field === 'source_packages'))
    problems.push(...judgeSources(given['source_packages'] as string[], rule));
  const ppa = judgeTarget(given, problems, rule);
  if (problems.length > 0 || !parsed.success || !ppa) throw refusal(problems);
  const { ticket_id: ticketId, source_packages: sourcePackages, order } = parsed.data;
  assertCarriable(sourcePackages);
  return { ticketId, sourcePackages, ...targetOf(parsed.data, ppa), ...(order ? { order } : {}) };
}

/**
 * Reads the body of build_proposal. Every problem of the body is reported at once.
 *
 * @throws AirlineError as readBuildRequest
 */
export function readBuildTarget(
  given: Readonly<Record<string, unknown>>,
  rule: SourceUrlRule,
): BuildTarget {
  const parsed = buildTargetSchema.safeParse(given);
  const problems = problemsOf(parsed.error, given);
  const ppa = judgeTarget(given, problems, rule);
  if (problems.length > 0 || !parsed.success || !ppa) throw refusal(problems);
  return targetOf(parsed.data, ppa);
}

function targetOf(request: z.output<typeof buildTargetSchema>, ppa: Ppa): BuildTarget {
  return {
    series: request.series,
    ppa: request.ppa,
    archive: ppa.distribution,
    progressTrigger: request.progress_trigger ?? null,
    webhookId: request.webhook_id ?? null,
    cancelUrl: request.cancel_url ?? null,
  };
}

/**
 * Adds what is wrong with the PPA, the cancel URL and where it reports to, where nothing is wrong with their fields by
 * themselves.
 *
 * @returns the PPA, where there is nothing wrong with it
 */
function judgeTarget(
  given: Readonly<Record<string, unknown>>,
  problems: Problem[],
  rule: SourceUrlRule,
): Ppa | undefined {
  const ppa = readPpaField(given, problems);
  if ((given['progress_trigger'] ?? given['webhook_id'] ?? null) === null)
    problems.push({ field: 'progress_trigger', code: 'invalid_field', message: REQUIRED });
  const { cancel_url: cancelUrl } = given;
  if (typeof cancelUrl === 'string' && !problems.some(({ field }) => field === 'cancel_url'))
    problems.push(...judgeUrl('cancel_url', cancelUrl, rule));
  return ppa;
}

/** Each source package has one `.changes`, and every other file goes with one (by `<source>_<version>`). */
function judgeSources(urls: readonly string[], rule: SourceUrlRule): Problem[] {
  const field = 'source_packages';
  const badUrls = urls.flatMap((url) => judgeUrl(field, url, rule));
  if (badUrls.length > 0) return badUrls;
  const wrong = (message: string): Problem => ({ field, code: 'invalid_field', message });
  const names = urls.map(fileNameOfUrl);
  const unnamed = urls.filter((_, index) => !FILE_NAME.test(names[index] ?? ''));
  if (unnamed.length > 0)
    return unnamed.map((url) =>
      wrong(`${JSON.stringify(shownUrl(url))} does not end in a plain file name.`),
    );
  const twice = names.filter((name, index) => names.indexOf(name) < index);
  if (twice.length > 0) return twice.map((name) => wrong(`${name} is named twice.`));
  const packages = namedSources(urls);
  const changes = packages.map(fileStem);
  if (changes.length === 0)
    return [wrong('Name the .changes of each source package (<source>_<version>_source.changes).')];
  const problems: Problem[] = [];
  for (const stem of new Set(changes.filter((name, index) => changes.indexOf(name) < index)))
    problems.push(wrong(`${stem} has more than one .changes.`));
  const sources = new Set(packages.map(({ source }) => source));
  for (const name of names) {
    const dsc = parseDscName(name);
    if (dsc && !changes.includes(fileStem(dsc))) problems.push(wrong(`${name} has no .changes.`));
    else if (!sources.has(name.split('_')[0] ?? ''))
      problems.push(wrong(`${name} belongs to no source package of the request.`));
  }
  return problems;
}
