import type { Middleware } from 'koa';

const READS = ['GET', 'HEAD'];
const FOUND = [200, 304];

/**
 * Tells browsers and caches how to treat every answer: as the type that it declares, and a stored one only after asking
 * whether it still holds. A route that says something else of its own has the last word.
 *
 * Headers of every answer are set by Node's own method, here and in the other middleware: Koa's costs
 * much more.
 */
export function setSecurityHeaders(): Middleware {
  return async (ctx, next) => {
    ctx.res.setHeader('X-Content-Type-Options', 'nosniff');
    ctx.res.setHeader('Vary', 'Accept');
    await next();
    const isFound = READS.includes(ctx.method) && FOUND.includes(ctx.status);
    if (isFound && !ctx.res.hasHeader('Cache-Control')) ctx.set('Cache-Control', 'no-cache');
  };
}
