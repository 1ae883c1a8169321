import type { Middleware } from 'koa';
import { AirlineError } from '../../domain/errors.ts';
import { isLoopbackHost } from '../../domain/access/url-host.ts';

const PORT = /:\d{1,5}$/;

/**
 * Answers only requests whose Host header names the loopback interface, so that a web page elsewhere cannot reach an
 * API without authentication by DNS rebinding.
 */
export function requireLoopbackHost(): Middleware {
  return (ctx, next) => {
    const host = ctx.get('Host');
    if (!isLoopbackHost(host.replace(PORT, '')))
      throw new AirlineError(
        'host_header_refused',
        `The Host header ${JSON.stringify(host.slice(0, 255))} names no loopback address.`,
      );
    return next();
  };
}
