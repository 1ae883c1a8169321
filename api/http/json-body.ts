import type { IncomingMessage } from 'node:http';
import { parse } from '@hapi/bourne';
import bodyParser from 'koa-bodyparser';
import type { Middleware } from 'koa';
import { AirlineError } from '../../domain/errors.ts';
import { onceCut } from './once-cut.ts';

/** The reader below koa-bodyparser has an option for it, its types have none. */
type BodyOptions = bodyParser.Options & { encoding: 'binary' };

// Values take far more memory than their text, and the shorter they are the more. In a list of entries with names and
// versions they have more than twenty bytes each.
const LIST_BYTES_PER_VALUE = 16;
const OPENERS_AND_COMMAS: ReadonlySet<number> = new Set(Buffer.from('{[,'));
const JSON_TYPES = ['application/json', 'application/merge-patch+json'];

/**
 * Reads the JSON object, or the list, that a request carries into `ctx.request.body`, and its text into `rawBody`. JSON
 * is UTF-8 (RFC 8259, 8.1), whatever `charset` says. Left alone, koa-bodyparser takes another media type and an empty
 * body for an empty object, and puts U+FFFD for what is not UTF-8; so it reads bytes alone here.
 *
 * @param maxBytes largest body, after decompression; a list may have no more values than one for each 16 bytes of that
 * @param options.isNeeded false: a request without a body has an empty object
 * @throws AirlineError `unsupported_media_type`, `malformed_json`, `not_utf8`, `too_large`
 */
export function jsonBody(maxBytes: number, { isList = false, isNeeded = true } = {}): Middleware {
  const options: BodyOptions = {
    enableTypes: ['text'],
    extendTypes: { text: JSON_TYPES },
    textLimit: String(maxBytes),
    encoding: 'binary',
  };
  const readBytes = bodyParser(options);
  return async (ctx, next) => {
    const type = ctx.request.is(JSON_TYPES);
    if (type === null || ctx.get('Content-Length') === '0') {
      if (isNeeded) throw new AirlineError('malformed_json', 'The request has no body.');
      ctx.request.body = {};
      return next();
    }
    if (type === false)
      throw new AirlineError(
        'unsupported_media_type',
        `The content type ${JSON.stringify(ctx.get('Content-Type').slice(0, 255))} is not JSON.`,
      );
    try {
      await unlessCut(
        ctx.req,
        readBytes(ctx, async () => {}),
      );
    } catch (error) {
      throw unread(error, maxBytes);
    }
    const bytes = Buffer.from(ctx.request.rawBody as string, 'binary');
    if (isList) refuseManyValues(bytes, Math.floor(maxBytes / LIST_BYTES_PER_VALUE));
    const text = decode(bytes);
    const body = parseJson(text);
    if (typeof body !== 'object' || body === null || Array.isArray(body) !== isList)
      throw new AirlineError(
        'malformed_json',
        `The request is not a JSON ${isList ? 'array' : 'object'}.`,
      );
    Object.assign(ctx.request, { rawBody: text, body });
    return next();
  };
}

/** What unpacks a body that comes compressed goes on waiting where the request was cut. */
async function unlessCut<T>(request: IncomingMessage, reading: Promise<T>): Promise<T> {
  let forget = () => {};
  const cut = new Promise<never>((_, reject) => {
    forget = onceCut(request, reject);
  });
  try {
    return await Promise.race([reading, cut]);
  } finally {
    forget();
  }
}

/** Every value but the first comes after a comma, or is the first one in an object or a list. */
function refuseManyValues(bytes: Buffer, max: number): void {
  let count = 0;
  for (const byte of bytes) {
    if (!OPENERS_AND_COMMAS.has(byte)) continue;
    count += 1;
    if (count > max) throw new AirlineError('too_large', `The body has more than ${max} values.`);
  }
}

function unread(error: unknown, maxBytes: number): AirlineError {
  const { status, message } = error as { status?: number; message: string };
  if (status === 413)
    return new AirlineError('too_large', `The body is larger than ${maxBytes} bytes.`);
  if (status === 415)
    return new AirlineError(
      'unsupported_media_type',
      `${message}. Send the body in gzip, deflate or br, or as it is.`,
    );
  return new AirlineError('malformed_json', 'The body cannot be read.', { cause: error });
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new AirlineError('not_utf8', 'The request is not UTF-8.', { cause: error });
  }
}

/** `__proto__` is one more unknown field. */
function parseJson(text: string): unknown {
  try {
    return parse(text, { protoAction: 'remove' });
  } catch (error) {
    throw new AirlineError('malformed_json', 'Request is not valid JSON.', { cause: error });
  }
}
