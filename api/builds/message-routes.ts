import { z } from 'zod';
import type { Operation } from '../http/operation.ts';
import { answerRead } from '../rest/answers.ts';
import { describeMessages, messageSchema, SCHEMA_ADDRESS } from './message-documents.ts';

/** The operations that tell about the messages on the callers' queues. */
export const messageOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/v1/asyncapi.json',
    summary: 'The AsyncAPI document of the progress queues',
    scope: null,
    answers: {
      200: {
        description: 'AsyncAPI 3.0.',
        schema: z.looseObject({
          asyncapi: z.string().meta({ description: 'The version of AsyncAPI.' }),
        }),
      },
    },
    errors: [],
    handle: (ctx, { version }) => answerRead(ctx, describeMessages(version)),
  },
  {
    method: 'get',
    path: SCHEMA_ADDRESS,
    summary: 'The JSON Schema of the progress messages',
    scope: null,
    answers: {
      200: {
        description: 'JSON Schema, draft 7.',
        schema: z.looseObject({
          $schema: z.string().meta({ description: 'The version of JSON Schema.' }),
        }),
      },
    },
    errors: [],
    handle: (ctx) => answerRead(ctx, messageSchema()),
  },
];
