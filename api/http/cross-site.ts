import type { Context, Middleware } from 'koa';
import { AirlineError } from '../../domain/errors.ts';
import { SAFE_METHODS } from './safe-methods.ts';

/** What browsers say of requests that no page elsewhere has made: https://www.w3.org/TR/fetch-metadata/ */
const OWN_SITES = ['same-origin', 'none'];

/**
 * Refuses what a web page elsewhere has a browser change here, with the reader's cookie or, without authentication,
 * with nothing but the reader's place on the network. What no browser has sent, such as the CLI or curl, passes.
 *
 * @param allowedOrigins pages of these may call
 * @throws AirlineError `cross_site_refused`
 */
export function refuseCrossSite(allowedOrigins: readonly string[]): Middleware {
  return (ctx, next) => {
    if (!changesFromElsewhere(ctx) || allowedOrigins.includes(ctx.get('Origin'))) return next();
    const origin = ctx.get('Origin').slice(0, 255) || ctx.get('Sec-Fetch-Site').slice(0, 255);
    throw new AirlineError(
      'cross_site_refused',
      `A page of another site (${JSON.stringify(origin)}) may not change anything here.`,
    );
  };
}

/**
 * Whether a page of another origin has made a request that may change something. `Sec-Fetch-Site` says so where it is
 * there; browsers leave it out on plain HTTP, and `Origin` is compared then. Its scheme is not: a proxy may have taken
 * the encryption off.
 */
export function changesFromElsewhere(ctx: Context): boolean {
  if (SAFE_METHODS.includes(ctx.req.method ?? '')) return false;
  const site = ctx.get('Sec-Fetch-Site');
  if (site !== '') return !OWN_SITES.includes(site);
  const origin = ctx.get('Origin');
  if (origin === '') return false;
  return !URL.canParse(origin) || new URL(origin).host !== hostOf(ctx);
}

/** The host as a browser would write it, without a port that goes without saying. */
function hostOf({ host, protocol }: Context): string {
  const address = `${protocol}://${host}`;
  return URL.canParse(address) ? new URL(address).host : host;
}
