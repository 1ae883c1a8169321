import type { Middleware } from 'koa';
import { AirlineError } from '../../domain/errors.ts';

const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Answers only requests whose Host header names the loopback interface, so that a web page elsewhere cannot reach an
 * API without authentication by DNS rebinding.
 */
export function requireLoopbackHost(): Middleware {
  return (ctx, next) => {
    const host = ctx.get('Host');
    if (!LOOPBACK.test(host))
      throw new AirlineError(
        'host_header_refused',
        `The Host header ${JSON.stringify(host.slice(0, 255))} names no loopback address.`,
      );
    return next();
  };
}
