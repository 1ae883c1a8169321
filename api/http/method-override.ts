import type { Middleware } from 'koa';

const OVERRIDDEN = ['PUT', 'PATCH', 'DELETE'];

/** Takes a POST for the method that `X-HTTP-Method-Override` names: clients behind old proxies can send no other. */
export function overrideMethod(): Middleware {
  return (ctx, next) => {
    const method = ctx.get('X-HTTP-Method-Override').toUpperCase();
    if (ctx.method === 'POST' && OVERRIDDEN.includes(method)) ctx.method = method;
    return next();
  };
}
