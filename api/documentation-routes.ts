import { createHash } from 'node:crypto';
import { z } from 'zod';
import { describeApi } from './openapi.ts';
import type { Operation } from './operation.ts';
import { answerRead } from './answers.ts';

/**
 * The operations that tell about the others: the OpenAPI document, and Swagger UI for people.
 *
 * @param operations all others
 * @param about as `describeApi` takes it
 */
export function documentationOperations(
  operations: readonly Operation[],
  about: Parameters<typeof describeApi>[1],
): Operation[] {
  const own: Operation[] = [
    {
      method: 'get',
      path: '/openapi.json',
      summary: 'This document',
      scope: null,
      answers: {
        200: { description: 'OpenAPI 3.1.', schema: z.looseObject({ openapi: z.string() }) },
      },
      errors: [],
      handle: (ctx) => answerRead(ctx, document, etag),
    },
  ];
  const document = describeApi([...operations, ...own], about);
  const etag = `"${createHash('sha1').update(JSON.stringify(document)).digest('base64url')}"`;
  return own;
}
