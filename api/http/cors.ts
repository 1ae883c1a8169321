import cors from '@koa/cors';
import type { Middleware } from 'koa';

const EXPOSED = [
  'Accept-Ranges',
  'Airline-Ignored',
  'Content-Range',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
];
const PREFLIGHT_MAX_AGE_S = 600;

/**
 * Lets pages of these origins call the API from a browser, with a token that they have; cookies are not taken.
 * Without origins nothing is set, and browsers let no page read an answer.
 */
export function allowOrigins(origins: readonly string[]): Middleware {
  if (origins.length === 0) return (_ctx, next) => next();
  return cors({
    origin: (ctx) => {
      const origin = ctx.get('Origin');
      return origins.includes(origin) ? origin : '';
    },
    exposeHeaders: EXPOSED,
    maxAge: PREFLIGHT_MAX_AGE_S,
  });
}
