import { z } from 'zod';
import { readExpectedDurations } from '../../models/builds/build-record.ts';
import { answerPage } from '../rest/answers.ts';
import type { Operation } from '../http/operation.ts';
import { wholeMeta } from '../rest/list-query.ts';
import { readOne } from '../rest/read-resource.ts';
import { pageSchema } from '../rest/request-schema.ts';
import { idOf } from '../rest/resource-routes.ts';
import { build } from '../resources/build.ts';
import { roundOrNull } from '../rest/round-or-null.ts';

const expectedSchema = z
  .object({
    package: z.string().meta({ description: 'The source package.' }),
    architecture: z.string().meta({ description: 'The architecture.' }),
    median_ms: z.int().nullable().meta({
      description:
        'The median of the latest successful builds, at most 20; null if there are none.',
    }),
    builds: z.int().meta({ description: 'The number of builds that the median is of.' }),
  })
  .meta({ title: 'expected_duration' });

/** How long the packages of a build are expected to take, from earlier builds of them. */
export const expectedDurationsOperation: Operation = {
  method: 'get',
  path: '/api/v1/build/{id}/expected/',
  summary: 'How long each package of a build takes on each architecture',
  scope: 'read',
  answers: {
    200: {
      description:
        'All architectures of the build; before the PPA shows any, those of earlier builds of its packages.',
      schema: pageSchema(expectedSchema),
    },
  },
  errors: ['not_found'],
  handle: async (ctx, { database }) => {
    const row = await readOne(database, build, idOf(ctx));
    const rows = await readExpectedDurations(database.sequelize, row['id'] as number);
    const objects = rows.map((one) => ({ ...one, median_ms: roundOrNull(one['median_ms']) }));
    answerPage(ctx, { meta: wholeMeta(objects.length), objects });
  },
};
