import bodyParser from 'koa-bodyparser';
import type { Middleware } from 'koa';
import { AirlineError } from '../../domain/errors.ts';

/** `__proto__` is one more unknown field. The parser below koa-bodyparser has an option for it, its types have none. */
type BodyOptions = bodyParser.Options & { onProtoPoisoning: 'remove' };

const JSON_TYPES = ['application/json', 'application/merge-patch+json'];

/**
 * Reads the JSON object, or the list, that a request carries into `ctx.request.body`. Left alone, koa-bodyparser takes
 * another media type and an empty body for an empty object.
 *
 * @param maxBytes largest body, after decompression
 * @throws AirlineError `unsupported_media_type`, `malformed_json`, `too_large`
 */
export function jsonBody(maxBytes: number, isList = false): Middleware {
  const options: BodyOptions = {
    enableTypes: ['json'],
    extendTypes: { json: JSON_TYPES },
    jsonLimit: String(maxBytes),
    strict: false,
    onProtoPoisoning: 'remove',
  };
  const parse = bodyParser(options);
  return async (ctx, next) => {
    const type = ctx.request.is(JSON_TYPES);
    if (type === null || ctx.get('Content-Length') === '0')
      throw new AirlineError('malformed_json', 'The request has no body.');
    if (type === false)
      throw new AirlineError(
        'unsupported_media_type',
        `The content type ${JSON.stringify(ctx.get('Content-Type').slice(0, 255))} is not JSON.`,
      );
    try {
      await parse(ctx, async () => {});
    } catch (error) {
      const { status } = error as { status?: number };
      if (status === 413)
        throw new AirlineError('too_large', `The body is larger than ${maxBytes} bytes.`);
      if (status === 415)
        throw new AirlineError('unsupported_media_type', (error as Error).message);
      throw new AirlineError('malformed_json', 'Request is not valid JSON.', { cause: error });
    }
    const { body } = ctx.request;
    if (typeof body !== 'object' || body === null || Array.isArray(body) !== isList)
      throw new AirlineError(
        'malformed_json',
        `The request is not a JSON ${isList ? 'array' : 'object'}.`,
      );
    return next();
  };
}
