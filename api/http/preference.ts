import type { Context } from 'koa';

/**
 * Makes the question whether a caller prefers something, such as `return=minimal` (the Prefer header, RFC 7240).
 *
 * @param value a plain word, as the name is
 */
export function preference(name: string, value: string): (ctx: Pick<Context, 'get'>) => boolean {
  const stated = new RegExp(`(?:^|,)\\s*${name}\\s*=\\s*"?${value}"?\\s*(?:;|,|$)`, 'i');
  return (ctx) => stated.test(ctx.get('Prefer'));
}
