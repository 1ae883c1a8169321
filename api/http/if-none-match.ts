import type { Context } from 'koa';

/**
 * Whether the caller has the answer already: `If-None-Match` names its ETag (RFC 9110, 13.1.2). Unlike `ctx.fresh`
 * this holds with `Cache-Control: no-cache` as well, which `fetch` sends by itself: that header is meant for caches.
 *
 * @param etag of the answer, where it is not set yet
 */
export function hasAlready(ctx: Context, etag = ctx.response.get('ETag')): boolean {
  const given = ctx.get('If-None-Match');
  if (given === '') return false;
  const own = opaque(etag);
  return given.split(',').some((tag) => tag.trim() === '*' || opaque(tag.trim()) === own);
}

/** Two ETags are compared weakly here. */
function opaque(etag: string): string {
  return etag.replace(/^W\//, '');
}
