import { z } from 'zod';
import { readThroughput } from '../../models/builds/build-throughput.ts';
import { answerJson } from '../http/context.ts';
import type { Operation } from '../http/operation.ts';
import { roundOrNull } from '../rest/round-or-null.ts';

const HOURS = 24;

const throughputSchema = z
  .object({
    hours: z
      .array(
        z
          .object({
            from: z.iso.datetime().meta({ description: 'When the hour began.' }),
            accepted: z.int().meta({ description: 'Attempts that were requested.' }),
            completed: z.int().meta({ description: 'Attempts that completed.' }),
            failed: z
              .int()
              .meta({ description: 'Attempts that failed, without those that were cancelled.' }),
            cancelled: z.int().meta({ description: 'Attempts that were cancelled.' }),
            median_build_ms: z.int().nullable().meta({
              description: 'The median of what the PPA has built; each architecture counts as one.',
            }),
            p90_build_ms: z.int().nullable().meta({
              description: 'The 90th percentile of the build times.',
            }),
            median_wait_ms: z.int().nullable().meta({
              description:
                'From the request to the start on a builder, of the builds that ended; the median of all architectures.',
            }),
            p90_wait_ms: z.int().nullable().meta({
              description: 'The 90th percentile of the waiting times.',
            }),
            failures: z.record(z.string(), z.int()).meta({
              description:
                'How many attempts failed with each class, without those that were cancelled.',
            }),
          })
          .meta({ title: 'hour_of_builds' }),
      )
      .meta({ description: `${HOURS} hours, the oldest first; the last one is under way.` }),
  })
  .meta({ title: 'status_history' });

/** How the builds of the last day ended, hour by hour. */
export const throughputOperation: Operation = {
  method: 'get',
  path: '/api/v1/status/history/',
  summary: 'Read the results of the builds of each of the last 24 hours',
  scope: 'read',
  isVolatile: true,
  answers: { 200: { description: 'The hours.', schema: throughputSchema } },
  errors: [],
  handle: async (ctx, { database, now }) => {
    const rows = await readThroughput(database.sequelize, { hours: HOURS, now: now() });
    const hours = rows.map((row) => ({
      ...row,
      median_build_ms: roundOrNull(row['median_build_ms']),
      p90_build_ms: roundOrNull(row['p90_build_ms']),
      median_wait_ms: roundOrNull(row['median_wait_ms']),
      p90_wait_ms: roundOrNull(row['p90_wait_ms']),
    }));
    answerJson(ctx, 200, { hours });
  },
};
