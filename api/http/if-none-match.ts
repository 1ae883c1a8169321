import type { Context } from 'koa';

/**
 * Whether the caller has the answer already: `If-None-Match` names its ETag (RFC 9110, 13.1.2). Unlike `ctx.fresh`
 * it answers those who send `Cache-Control: no-cache`, too, as `fetch` does of itself: that one speaks to caches.
 */
export function hasAlready(ctx: Context): boolean {
  const given = ctx.get('If-None-Match');
  if (given === '') return false;
  const etag = opaque(ctx.response.get('ETag'));
  return given.split(',').some((tag) => tag.trim() === '*' || opaque(tag.trim()) === etag);
}

/** Two ETags are compared weakly here. */
function opaque(etag: string): string {
  return etag.replace(/^W\//, '');
}
