import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { basename } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { callbackify } from 'node:util';
import { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';
import {
  assertKey,
  StoreKeyError,
  UPLOADS,
  type DataStore,
  type FileFacts,
} from '../../store/store.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import { rangeAsked } from '../http/byte-range.ts';
import { answerJson, type ApiContext } from '../http/context.ts';
import { hasAlready } from '../http/if-none-match.ts';
import { onceCut } from '../http/once-cut.ts';
import type { Operation } from '../http/operation.ts';
import { assertEtagMatched } from '../rest/answers.ts';
import { withoutSignature } from './without-signature.ts';

const STORE_PATH = /^\/store\/(?<key>.+)$/;
const FILE = 'application/octet-stream';
/** Shown without their signature. A `.buildinfo` may say what a `.changes` says, and then needs only its name. */
const SIGNED_UPLOAD = /\.(?:changes|buildinfo)$/;
/** A file that comes again is stored anew once it was stored so long ago. */
const RENEWED_AFTER_MS = 3_600_000;
const storedSchema = z
  .object({
    url: z.string().meta({ description: 'Where it is.' }),
    size_bytes: z.int().meta({ description: 'Its size in bytes.' }),
    sha256: z.string().meta({ description: 'Its SHA-256, in hexadecimal digits.' }),
  })
  .meta({ title: 'stored_file' });

/** The data store over HTTP: reading, and writing of new keys under `uploads/`. */
export const storeOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/store/{key}',
    route: STORE_PATH,
    summary: 'Read a file of the data store',
    scope: 'read',
    places: 'storeReads',
    answers: {
      200: {
        description:
          'The file; where tokens are needed, of a `.changes` or `.buildinfo` all but its signature.',
        mediaType: ['text/plain', FILE],
      },
      206: {
        description:
          'The bytes of `Range`. Where tokens are needed, all of a `.changes` or `.buildinfo` comes.',
        mediaType: ['text/plain', FILE],
      },
    },
    errors: [
      'not_found',
      'precondition_failed',
      'range_not_satisfiable',
      'store_unavailable',
      'overloaded',
    ],
    handle: answerFile,
  },
  {
    method: 'put',
    path: '/store/{key}',
    route: STORE_PATH,
    summary: 'Store a new file under uploads/',
    scope: 'ticket:write',
    places: 'storeWrites',
    bodyMediaType: FILE,
    answers: {
      200: { description: 'The file was stored before, with this content.', schema: storedSchema },
      201: { description: 'Stored.', schema: storedSchema },
    },
    errors: [
      'invalid_field',
      'conflict',
      'too_large',
      'unsupported_media_type',
      'store_unavailable',
      'overloaded',
    ],
    handle: storeFile,
  },
];

async function answerFile(
  ctx: ApiContext,
  { store, authentication }: HandlerDependencies,
): Promise<void> {
  const key = keyOf(ctx);
  // Without tokens only this machine asks, such as another Airline that builds what it finds here.
  const hidesSignature = authentication === 'token' && key !== undefined && SIGNED_UPLOAD.test(key);
  const asked = (of: FileFacts) => (hidesSignature ? undefined : rangeAsked(ctx, of));
  const choosePart = (of: FileFacts) => {
    const range = asked(of);
    return range === 'none' ? undefined : range;
  };
  const options = ctx.get('Range') === '' ? {} : { choosePart };
  const stored = key === undefined ? undefined : await store.get(key, options);
  if (!stored) throw new AirlineError('not_found', 'The data store has no such key.');
  // A connection may be cut while answers to earlier requests on it are under way: nothing else closes the file then.
  const close = () => stored.stream.destroy();
  if (ctx.req.closed) close();
  else ctx.req.once('close', close);
  const file = hidesSignature ? await withoutSignature(stored, basename(key)) : stored;
  try {
    assertEtagMatched(ctx, `"${file.version}"`);
    if (asked(stored) === 'none') {
      ctx.set('Content-Range', `bytes */${stored.sizeBytes}`);
      throw new AirlineError('range_not_satisfiable', `The file has ${stored.sizeBytes} bytes.`);
    }
  } catch (error) {
    close();
    throw error;
  }
  ctx.set({
    'Content-Type': file.contentType,
    // The files come from strangers: a browser must show them as their own type and run nothing in them.
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    ETag: `"${file.version}"`,
    ...(hidesSignature ? {} : { 'Accept-Ranges': 'bytes' }),
  });
  const { part, sizeBytes } = file;
  ctx.status = part ? 206 : 200;
  if (part) ctx.set('Content-Range', `bytes ${part.start}-${part.end}/${sizeBytes}`);
  if (hasAlready(ctx)) ctx.status = 304;
  else ctx.length = part ? part.end - part.start + 1 : sizeBytes;
  if (ctx.method === 'HEAD' || ctx.status === 304) file.stream.destroy();
  else ctx.body = file.stream;
}

async function storeFile(ctx: ApiContext, deps: HandlerDependencies): Promise<void> {
  const { store } = deps;
  const maxBytes = deps.limits.storeMaxBytes;
  const key = keyOf(ctx);
  if (!key?.startsWith(UPLOADS))
    throw new AirlineError('invalid_field', `Keys of new files are plain paths under ${UPLOADS}.`);
  assertWhole(ctx);
  if ((ctx.request.length ?? 0) > maxBytes) throw tooLarge(maxBytes);
  ctx.res.on('timeout', (socket: Socket) => {
    // The sender is not silent where all has come, or the store takes nothing for a while.
    if (ctx.req.complete || ctx.req.readableFlowing !== true)
      socket.setTimeout(socket.timeout ?? 0);
    else socket.destroy();
  });
  const stored = await storeOnce(store, key, () => limited(ctx, maxBytes));
  const url = store.urlOf(key);
  ctx.set('Location', url);
  answerJson(ctx, stored.isNew ? 201 : 200, {
    url,
    size_bytes: stored.sizeBytes,
    sha256: stored.sha256,
  });
}

/**
 * A key keeps its first content: what is not the file itself would be in its place for good.
 *
 * @throws AirlineError `invalid_field` for a part of a file (RFC 9110, 14.5), `unsupported_media_type` for one that is
 * encoded (8.4)
 */
function assertWhole(ctx: ApiContext): void {
  const { length } = ctx.request;
  const range = ctx.get('Content-Range');
  // `curl -C -` sends all of a file, and says so.
  if (range !== '' && range !== `bytes 0-${length - 1}/${length}`)
    throw new AirlineError(
      'invalid_field',
      'A file is stored as a whole: send all of it, without Content-Range.',
    );
  const coding = ctx.get('Content-Encoding');
  if (!['', 'identity'].includes(coding.toLowerCase()))
    throw new AirlineError(
      'unsupported_media_type',
      'A file is stored as it comes: send it without Content-Encoding.',
    );
}

/**
 * A key keeps its first content, so that the files of a build request never change. What it holds is read only once as
 * much has been sent: what a request costs is its sender's, and somebody who leaves costs nothing more.
 */
async function storeOnce(store: DataStore, key: string, body: () => Readable) {
  const existing = await store.get(key);
  // A bucket may cut a stream that nobody reads for as long as the body comes.
  existing?.stream.destroy();
  const { isKept, ...now } = existing
    ? { isKept: false, ...(await digest(body())) }
    : await store.put(key, body(), { keepsFirst: true });
  if (isKept) return { isNew: true, ...now };
  // Where there was none, somebody else was first, perhaps through another process.
  const kept = await store.get(key);
  if (!kept)
    throw existing
      ? new AirlineError('store_unavailable', `${key} was removed while it was sent.`)
      : new AirlineError('conflict', `${key} is the name of a folder.`);
  if (kept.sizeBytes !== now.sizeBytes) {
    kept.stream.destroy();
    throw holdsOther(key);
  }
  // The sweep of old files goes by that time: what comes again is about to be named by a request.
  const isOld = Date.now() - kept.storedAt.getTime() > RENEWED_AFTER_MS;
  const before = await (isOld ? store.put(key, kept.stream) : digest(kept.stream));
  if (before.sha256 !== now.sha256) throw holdsOther(key);
  return { isNew: false, ...now };
}

function holdsOther(key: string): AirlineError {
  return new AirlineError('conflict', `${key} holds other content already.`);
}

/**
 * The body, failing past the limit, and at its end where the caller may not store it any more. A pipe, not a pipeline:
 * a pipeline would cut the connection before the answer.
 */
function limited({ req: body, state }: ApiContext, maxBytes: number): Readable {
  let sizeBytes = 0;
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) done(tooLarge(maxBytes));
      else done(null, chunk);
    },
    flush(done) {
      callbackify(async () => void (await state.confirmCaller?.()))(done);
    },
  });
  body.once('error', (error) => limit.destroy(error));
  // It may have been cut while the store was asked for the key.
  onceCut(body, (error) => limit.destroy(error));
  return body.pipe(limit);
}

function tooLarge(maxBytes: number): AirlineError {
  return new AirlineError('too_large', `The data store takes files of up to ${maxBytes} bytes.`);
}

async function digest(stream: Readable) {
  const sha256 = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of stream) {
    sha256.update(chunk as Buffer);
    sizeBytes += (chunk as Buffer).length;
  }
  return { sizeBytes, sha256: sha256.digest('hex') };
}

/** The key of a path; undefined if it is not a key. */
function keyOf(ctx: ApiContext): string | undefined {
  try {
    // Generated clients encode the slashes of a key, too. What the key may be is checked when it is decoded.
    const key = decodeURIComponent(STORE_PATH.exec(ctx.path)?.groups?.['key'] ?? '');
    assertKey(key);
    return key;
  } catch (error) {
    if (error instanceof StoreKeyError || error instanceof URIError) return undefined;
    throw error;
  }
}
