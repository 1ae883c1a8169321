import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Context, Middleware } from 'koa';
import compress from 'koa-compress';
import { hasSecret } from './secret-answers.ts';

/** A smaller answer fits into a packet or two as it is. */
const MIN_BYTES = 1_024;
/** What is text. A stream of events is not: each has to arrive as it is written. */
const TEXTS = /^(?:text\/(?!event-stream)|application\/(?:json|problem\+json|javascript)$)/;

/**
 * Sends texts compressed to callers that accept gzip. What says `no-store` stays as it is: it has secrets in it, and
 * what stands beside a secret must not change the size of an answer (BREACH).
 */
export function compressAnswers(): Middleware {
  const compressed = compress({
    threshold: MIN_BYTES,
    filter: (type) => TEXTS.test(type),
    gzip: {},
    br: false,
    deflate: false,
    zstd: false,
  });
  return async (ctx, next) => {
    let plain: unknown;
    await compressed(ctx, async () => {
      await next();
      plain = ctx.body;
      if (hasSecret(ctx.response.get('Cache-Control')) || acceptsNeither(ctx)) ctx.compress = false;
      else if (ctx.method === 'GET' && Buffer.isBuffer(plain)) compressOnce(ctx, plain);
    });
    // A pipe does not pass an error on: without this, a file that breaks off would leave the caller waiting.
    if (plain instanceof Readable && ctx.body !== plain)
      plain.once('error', (error) => (ctx.body as Readable).destroy(error));
  };
}

/** Whether the caller may be sent an answer of this media type compressed: also one that likes plain text as much. */
export function mayCompress(ctx: Context, type: string): boolean {
  return TEXTS.test(type) && ctx.acceptsEncodings('gzip') === 'gzip';
}

/** Whoever accepts none of what can be sent gets it plain (RFC 9110, 12.5.3); koa-compress fails. */
function acceptsNeither(ctx: Context): boolean {
  return ctx.acceptsEncodings('gzip', 'identity') === false;
}

function prefersGzip(ctx: Context): boolean {
  return ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
}

/** By what is compressed. It goes when that goes. */
const known = new WeakMap<Buffer, Buffer>();

/** Compresses what is in memory once for all callers. A stream for each that reads slowly takes a quarter of a MiB. */
function compressOnce(ctx: Context, bytes: Buffer): void {
  const isFit = bytes.length >= MIN_BYTES && TEXTS.test(ctx.type) && prefersGzip(ctx);
  if (!isFit || ctx.res.hasHeader('Content-Encoding')) return;
  const compressed = known.get(bytes) ?? gzipSync(bytes);
  known.set(bytes, compressed);
  ctx.set('Content-Encoding', 'gzip');
  ctx.body = compressed;
}
