import { z } from 'zod';
import { answerRead } from '../rest/answers.ts';
import type { Operation } from '../http/operation.ts';

const aboutSchema = z
  .object({
    version: z.string().meta({ description: 'The version of Airline.' }),
    temporal_ui: z
      .string()
      .nullable()
      .meta({ description: "The workflows in Temporal's UI; null where it has no address." }),
  })
  .meta({ title: 'about' });

/** What runs here. */
export const aboutOperation: Operation = {
  method: 'get',
  path: '/api/v1/about/',
  summary: 'Read the version, and where the UI of Temporal is',
  scope: 'read',
  answers: { 200: { description: 'What runs here.', schema: aboutSchema } },
  errors: [],
  handle: (ctx, { version, workflowUrl }) =>
    answerRead(ctx, { version, temporal_ui: workflowUrl('')?.replace(/\/$/, '') ?? null }),
};
