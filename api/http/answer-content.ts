import type { ApiContext } from './context.ts';
import { hasAlready } from './if-none-match.ts';

/** What an answer holds as a whole. It is in memory once, however many callers read it slowly. */
export type Content = {
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly etag: string;
  /** Set where the bytes are compressed. */
  readonly encoding?: string | undefined;
};

/** Answers with a content; 304 where the caller has it already. */
export function answerContent(
  ctx: ApiContext,
  { mediaType, bytes, etag, encoding }: Content,
): void {
  ctx.status = 200;
  ctx.set({ 'Content-Type': mediaType, ETag: etag });
  if (encoding) ctx.set('Content-Encoding', encoding);
  if (hasAlready(ctx)) ctx.status = 304;
  else ctx.body = bytes;
}
