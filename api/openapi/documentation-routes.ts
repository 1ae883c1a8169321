import { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';
import { answerContent } from '../http/answer-content.ts';
import type { ApiContext } from '../http/context.ts';
import type { Operation } from '../http/operation.ts';
import { PAGE_POLICY, pageFile } from './swagger-ui.ts';

/** The operations that tell about the others: the OpenAPI document, and Swagger UI, which shows it to people. */
export const documentationOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/openapi.json',
    summary: 'This document',
    scope: null,
    answers: {
      200: {
        description: 'OpenAPI 3.1.',
        schema: z.looseObject({
          openapi: z.string().meta({ description: 'The version of OpenAPI.' }),
        }),
      },
    },
    errors: [],
    handle: (ctx, { openApi }) => answerContent(ctx, openApi()),
  },
  {
    method: 'get',
    path: '/docs/',
    summary: 'This document, for people',
    scope: null,
    answers: { 200: { description: 'Swagger UI.', mediaType: 'text/html' } },
    errors: [],
    handle: (ctx) => answerPageFile(ctx, 'index.html'),
  },
  {
    method: 'get',
    path: '/docs/{file}',
    summary: 'A file of Swagger UI',
    scope: null,
    answers: {
      200: {
        description: 'The file.',
        mediaType: ['text/html', 'text/javascript', 'text/css', 'image/png'],
      },
    },
    errors: ['not_found'],
    handle: (ctx) => answerPageFile(ctx, ctx.params['file'] ?? ''),
  },
];

function answerPageFile(ctx: ApiContext, name: string): void {
  const file = pageFile(name);
  if (!file) throw new AirlineError('not_found', 'The page has no such file.');
  ctx.set({ 'Content-Security-Policy': PAGE_POLICY, 'Referrer-Policy': 'no-referrer' });
  answerContent(ctx, file);
}
