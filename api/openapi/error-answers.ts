import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../domain/errors.ts';
import { happensOnce } from '../http/idempotency.ts';
import type { Operation } from '../http/operation.ts';

const messages = z.record(z.string(), z.array(z.string()));

const codeSchema = z.string().meta({ description: 'A code of the catalogue in docs/errors.md.' });

/** Tastypie's body of an error that is not keyed by a resource, with code and hint. */
export const errorSchema = z
  .object({
    error: z.string().meta({ description: 'What was wrong.' }),
    code: codeSchema,
    hint: z.string().meta({ description: 'What to do about it.' }),
    fields: messages.optional().meta({ description: 'What was wrong with each field.' }),
  })
  .meta({ title: 'error' });

/** The body of a fault of Airline itself, as Tastypie has it, with code and hint. */
export const faultSchema = z
  .object({
    error_message: z.string().meta({ description: 'What went wrong.' }),
    code: codeSchema,
    hint: z.string().meta({ description: 'What to do about it.' }),
  })
  .meta({ title: 'fault' });

/** RFC 9457. */
export const problemSchema = z
  .object({
    type: z.string().meta({ description: 'The error code, as urn:airline:error:<code>.' }),
    title: z.string().meta({ description: 'The kind of problem.' }),
    status: z.int().meta({ description: 'The HTTP status.' }),
    detail: z.string().meta({ description: 'What was wrong.' }),
    instance: z
      .string()
      .meta({ description: 'The request, as urn:airline:request:<X-Request-Id>.' }),
    code: codeSchema,
    hint: z.string().meta({ description: 'What to do about it.' }),
    retryable: z.boolean().meta({ description: 'Whether the same request can succeed later.' }),
    errors: messages.optional().meta({ description: 'What was wrong with each field.' }),
  })
  .meta({ title: 'problem' });

/** The errors of a resource's fields, as Tastypie has them. */
export function fieldErrorsSchema(resource: string): z.ZodType {
  return z
    .object({
      [resource]: messages.meta({ description: 'What was wrong with each field.' }),
    })
    .meta({ title: `${resource}_errors` });
}

/** Every error that an operation can answer with: its own, and those of what it goes through before. */
export function errorsOf(operation: Operation): ErrorCode[] {
  const { scope, body, query, listQuery, errors } = operation;
  const codes = new Set<ErrorCode>(errors);
  const add = (...more: ErrorCode[]) => more.forEach((code) => codes.add(code));
  if (query !== undefined || listQuery !== undefined) add('invalid_field');
  if (body !== undefined)
    add('malformed_json', 'not_utf8', 'too_large', 'unsupported_media_type', 'unknown_fields');
  if (happensOnce(operation)) add('invalid_field', 'request_in_flight', 'idempotency_key_reused');
  if (scope !== null) {
    add('unauthenticated', 'forbidden', 'rate_limited', 'database_unavailable');
    if (operation.method === 'get') add('took_too_long');
  }
  if (operation.method !== 'get') add('cross_site_refused');
  add('host_header_refused', 'internal');
  const order = Object.keys(ERRORS);
  return [...codes].toSorted((one, other) => order.indexOf(one) - order.indexOf(other));
}
