import type { Context } from 'koa';
import type { ByteRange, FileFacts } from '../../store/store.ts';
import { mayCompress } from './compress-answers.ts';
import { hasAlready } from './if-none-match.ts';

const ONE_RANGE = /^bytes=(?<first>\d*)-(?<last>\d*)$/i;

/**
 * Which bytes of a file a request asks for (RFC 9110, 14.2). A server may ignore a range: so all of the file comes for
 * several, and for what is none. `If-None-Match` counts before it, and only a GET has one.
 *
 * @returns undefined: all of them; `none`: the file has none of these
 */
export function rangeAsked(ctx: Context, file: FileFacts): ByteRange | 'none' | undefined {
  const { sizeBytes, version } = file;
  const { first = '', last = '' } = ONE_RANGE.exec(ctx.get('Range'))?.groups ?? {};
  const isRange = first === '' ? last !== '' : last === '' || Number(first) <= Number(last);
  if (!isRange || sizeBytes === 0 || ctx.method !== 'GET') return undefined;
  if (hasAlready(ctx, `"${version}"`) || !goesOnWith(ctx, file)) return undefined;
  const start = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? Infinity : Number(last);
  return start < sizeBytes ? { start, end: Math.min(end, sizeBytes - 1) } : 'none';
}

/** Whether the caller may have other bytes of this very file. A text has the same ETag where it is sent compressed. */
function goesOnWith(ctx: Context, { version, contentType }: FileFacts): boolean {
  const given = ctx.get('If-Range');
  return given === '' || (given === `"${version}"` && !mayCompress(ctx, contentType));
}
