import type { Middleware } from 'koa';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AirlineError } from '../../domain/errors.ts';
import type { RequestState } from './context.ts';

/**
 * Limits how many requests every actor makes in a window of time that begins with the first one. The answers say what
 * is left: https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/. The actor has to be known; the count
 * is this process's own and is forgotten when the window ends, so that it holds no more than there are actors.
 *
 * @param limit.requests 0: there is no limit
 * @throws AirlineError `rate_limited`
 */
export function limitRate(limit: {
  requests: number;
  windowMs: number;
}): Middleware<Pick<RequestState, 'actor'>> {
  const { requests, windowMs } = limit;
  if (requests === 0) return (_ctx, next) => next();
  const limiter = new RateLimiterMemory({ points: requests, duration: windowMs / 1_000 });
  const policy = `"default";q=${requests};w=${seconds(windowMs)}`;

  return async (ctx, next) => {
    const { isRefused, left, untilResetMs } = await take(ctx.state.actor.name);
    const resetS = seconds(untilResetMs);
    ctx.res.setHeader('RateLimit-Policy', policy);
    ctx.res.setHeader('RateLimit', `"default";r=${left};t=${resetS}`);
    if (isRefused) {
      ctx.res.setHeader('Retry-After', String(resetS));
      throw new AirlineError('rate_limited', `The limit is ${requests} requests in each window.`);
    }
    return next();
  };

  async function take(actor: string) {
    const { isRefused, count } = await limiter.consume(actor).then(
      (count) => ({ isRefused: false, count }),
      (refusal: unknown) => {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        return { isRefused: true, count: refusal };
      },
    );
    return { isRefused, left: count.remainingPoints, untilResetMs: count.msBeforeNext };
  }
}

function seconds(durationMs: number): number {
  return Math.ceil(durationMs / 1_000);
}
