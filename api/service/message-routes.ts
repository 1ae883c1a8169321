import { z } from 'zod';
import { answerContent } from '../http/answer-content.ts';
import type { Operation } from '../http/operation.ts';
import { servedDocument } from '../http/served-document.ts';
import {
  LANDING_SCHEMA_ADDRESS,
  landingMessageSchema,
  messageSchema,
  SCHEMA_ADDRESS,
} from './message-documents.ts';

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
    handle: (ctx, { asyncApi }) => answerContent(ctx, asyncApi()),
  },
  schemaOperation(SCHEMA_ADDRESS, 'The JSON Schema of the progress messages', messageSchema),
  schemaOperation(
    LANDING_SCHEMA_ADDRESS,
    'The JSON Schema of the messages of landings',
    landingMessageSchema,
  ),
];

function schemaOperation(path: `/${string}`, summary: string, schema: () => object): Operation {
  const served = servedDocument(schema);
  return {
    method: 'get',
    path,
    summary,
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
    handle: (ctx) => answerContent(ctx, served()),
  };
}
