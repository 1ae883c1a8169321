import { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';
import {
  listPackageStatistics,
  MAX_HISTORY,
  PACKAGE_ORDERS,
  readPackageHistory,
  readPackageStatistics,
} from '../../models/builds/package-statistics.ts';
import { RECORD_STATES } from '../../models/builds/build-record.ts';
import type { Row } from '../../models/sql/query.ts';
import { answerPage, answerRead } from '../rest/answers.ts';
import { STORABLE } from '../rest/field-values.ts';
import { pageMeta } from '../rest/list-query.ts';
import { pageOf, pageParameters } from '../rest/page-parameters.ts';
import { withQuery, type Operation } from '../http/operation.ts';
import { pageSchema } from '../rest/request-schema.ts';
import { sourcePackage } from '../resources/source-package.ts';
import { roundOrNull } from '../rest/round-or-null.ts';

const PATH = '/api/v1/packagestatistics/';
const MAX_SEARCHED = 255;
const INVALID_Q = `Invalid q: Enter at most ${MAX_SEARCHED} characters.`;

const statistics = z.object({
  name: z.string().meta({ description: 'The name of the source package.' }),
  sourcepackage: z
    .string()
    .nullable()
    .meta({ description: 'The source package; null where only builds know it.' }),
  latest_version: z.string().nullable().meta({
    description: 'The version of the latest build; before the first build, of the latest upload.',
  }),
  builds: z.int().meta({
    description: 'Builds that have ended; each architecture of each attempt is one.',
  }),
  succeeded: z.int().meta({ description: 'How many succeeded.' }),
  failed: z.int().meta({ description: 'How many failed.' }),
  cancelled: z.int().meta({ description: 'How many were cancelled.' }),
  success_rate: z.number().nullable().meta({
    description: 'From 0 to 1, of the builds that were not cancelled; null when there are none.',
  }),
  median_build_ms: z
    .int()
    .nullable()
    .meta({
      description: `Of the latest successful builds, at most ${MAX_HISTORY}; null if there are none.`,
    }),
  last_build_at: z.iso.datetime().nullable().meta({ description: 'When the latest ended.' }),
});

const recordSchema = z
  .object({
    build: z.string().meta({ description: 'The address of the build.' }),
    attempt: z.int().meta({ description: 'The attempt of the build.' }),
    version: z.string().meta({ description: 'The version of the source package.' }),
    series: z.string().meta({ description: 'The series.' }),
    ppa: z.string().meta({ description: 'The PPA, as the caller wrote it.' }),
    architecture: z.string().meta({ description: 'The architecture.' }),
    state: z.enum(RECORD_STATES).meta({ description: 'What became of it.' }),
    duration_ms: z.int().nullable().meta({ description: 'Null when the PPA does not say.' }),
    finished_at: z.iso.datetime().meta({ description: 'When the attempt ended.' }),
  })
  .meta({ title: 'build_record' });

const listSchema = pageSchema(statistics.meta({ title: 'package_statistics' }));
const detailSchema = statistics
  .extend({
    history: z.array(recordSchema).meta({
      description: `The latest builds, at most ${MAX_HISTORY}, the latest first.`,
    }),
  })
  .meta({ title: 'package_history' });

/** How the builds of each package ended, and how long they took. */
export const packageStatisticsOperations: readonly Operation[] = [
  withQuery({
    method: 'get',
    path: PATH,
    summary: 'List packages with the results of their builds',
    scope: 'read',
    query: pageParameters.extend({
      q: z
        .string()
        .trim()
        .max(MAX_SEARCHED, INVALID_Q)
        .regex(STORABLE, INVALID_Q)
        .default('')
        .meta({ description: 'A part of the name, in any case.' }),
      order_by: z
        .enum(PACKAGE_ORDERS, {
          error: `Invalid order_by: Enter one of ${PACKAGE_ORDERS.join(', ')}.`,
        })
        .default('name')
        .meta({ description: 'The field to order by; descending with - before it.' }),
    }),
    answers: { 200: { description: 'One page.', schema: listSchema } },
    errors: ['invalid_field'],
    handle: async (ctx, { database }, { q: part, order_by: order, ...page }) => {
      const { limit, offset } = pageOf(page);
      const { rows, totalCount } = await listPackageStatistics(database.sequelize, {
        part,
        order,
        limit,
        offset,
      });
      const meta = pageMeta(PATH, ctx.query, { limit, offset }, totalCount);
      answerPage(ctx, { meta, objects: rows.map(serializeStatistics) });
    },
  }),
  {
    method: 'get',
    path: `${PATH}{name}/`,
    summary: "Read the results of a package's builds, and its latest builds",
    scope: 'read',
    answers: { 200: { description: 'The package.', schema: detailSchema } },
    errors: ['not_found'],
    handle: async (ctx, { database }) => {
      const name = ctx.params['name'] ?? '';
      const row = STORABLE.test(name)
        ? await readPackageStatistics(database.sequelize, name)
        : undefined;
      if (!row)
        throw new AirlineError('not_found', `There is no package ${name.slice(0, MAX_SEARCHED)}.`);
      const history = await readPackageHistory(database.sequelize, name);
      answerRead(ctx, { ...serializeStatistics(row), history: history.map(serializeRecord) });
    },
  },
];

function serializeStatistics(row: Row): z.infer<typeof statistics> {
  const { source_package_id: id, builds, succeeded, failed, ...rest } = row as Statistics;
  const judged = succeeded + failed;
  return {
    name: rest.name,
    sourcepackage: id === null ? null : sourcePackage.uriOf(id),
    latest_version: rest.latest_version,
    builds,
    succeeded,
    failed,
    cancelled: rest.cancelled,
    success_rate: judged === 0 ? null : succeeded / judged,
    median_build_ms: roundOrNull(rest.median_build_ms),
    last_build_at: rest.last_build_at?.toISOString() ?? null,
  };
}

type Statistics = {
  readonly name: string;
  readonly source_package_id: number | null;
  readonly latest_version: string | null;
  readonly builds: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly median_build_ms: number | null;
  readonly last_build_at: Date | null;
};

function serializeRecord({ build_id: id, ...record }: Row): Record<string, unknown> {
  return { build: `/api/v1/build/${String(id)}/`, ...record };
}
