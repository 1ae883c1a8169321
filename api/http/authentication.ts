import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Context, Middleware, ParameterizedContext } from 'koa';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { allows, type Actor, type Scope } from '../../domain/access/access.ts';
import { AirlineError } from '../../domain/errors.ts';
import { ALL_TARGETS } from '../../domain/access/target-rule.ts';
import { ANONYMOUS, type ValidToken } from '../../models/service/access-token.ts';
import type { Database } from '../../models/database.ts';
import type { RequestState } from './context.ts';
import { changesFromElsewhere } from './cross-site.ts';
import { clearSessionCookie, readSessionCookie } from './session-cookie.ts';

const CHALLENGE = 'Bearer realm="airline"';
const AUTHORIZATION = /^(?<scheme>bearer|apikey) +(?<credentials>\S+) *$/i;
const KNOWN_SCHEME = /^(?:bearer|apikey)\b/i;
/** Addresses are counted in so many places: what strangers send must not grow without a bound. */
const FAILURE_PLACES = 2 ** 16;

export type AuthenticationOptions = {
  /** off: everybody may do everything, which is for loopback only (`requireLoopbackHost`). */
  readonly mode: 'off' | 'token';
  readonly database: Pick<Database, 'AccessToken' | 'Session'>;
  /** Wrong tokens that are answered 401 before they are answered 429, from one address within a time. */
  readonly failures: { readonly max: number; readonly windowMs: number };
  readonly sessions: SessionRules;
  readonly now?: () => Date;
};

/** How long browsers stay signed in, and how they keep that they are. */
export type SessionRules = {
  /** A session ends when it has not been used for this long. */
  readonly idleMs: number;
  /** Callers come by HTTPS, whatever the connection looks like. */
  readonly isAlwaysSecure: boolean;
};

/** The checks of who calls, and of what they may do. Between the two their requests are counted. */
export type AccessChecks = {
  /**
   * Finds out who the caller is, who becomes `ctx.state.actor`. Where the rest of the request is still to come, it may
   * come after the token was revoked: `ctx.state.confirmCaller` asks again.
   *
   * @throws AirlineError `unauthenticated` without a valid token, `rate_limited` after too many wrong ones
   */
  readonly identify: Middleware<RequestState>;
  /**
   * Makes the check of an operation's scope.
   *
   * @throws AirlineError `forbidden` where the token lacks it
   */
  readonly authorize: (scope: Scope) => Middleware<RequestState>;
};

/** The caller, and when its token expires. */
export type Caller = Actor & { readonly expiresAt: string };

type RequestContext = ParameterizedContext<RequestState>;

/** The ways to find out who the caller is. */
export type Authentication = AccessChecks & {
  /** The caller, if it is known; for operations that need no token. Wrong tokens are counted. */
  readonly recognize: (ctx: RequestContext) => Promise<Caller | undefined>;
  /**
   * The token that a text is. Wrong ones are counted.
   *
   * @throws AirlineError `unauthenticated`, `rate_limited`
   */
  readonly admit: (ctx: RequestContext, text: string) => Promise<ValidToken>;
};

/** A token as it came, and the name that came with it. */
type Credentials = { readonly token: string; readonly name?: string };

/**
 * The rules of access, for the routes. A caller shows a token, or the cookie of a session that was begun with one; the
 * token wins. Headers are those of RFC 6750. Both are looked up in the database at every request, and once more where
 * its body came later, so that a token that is revoked is refused at once, and its sessions with it.
 */
export function authenticate(options: AuthenticationOptions): Authentication {
  const { mode, database, failures, sessions, now = () => new Date() } = options;
  const wrongTokens = new RateLimiterMemory({
    points: failures.max,
    duration: failures.windowMs / 1_000,
  });

  return {
    identify: async (ctx, next) => {
      const credentials = takeCredentials(ctx);
      const { name, scopes, targets } = mode === 'off' ? EVERYBODY : await find(ctx, credentials);
      ctx.state.actor = { name, scopes, targets };
      if (mode === 'token' && !ctx.req.complete)
        ctx.state.confirmCaller = () => find(ctx, credentials);
      return next();
    },
    authorize: (scope) => (ctx, next) => {
      assertScope(ctx, ctx.state.actor, scope);
      return next();
    },
    admit: (ctx, text) => tokenOf(ctx, { token: text }),
    recognize: async (ctx) => {
      if (mode === 'off') return undefined;
      try {
        return await find(ctx, takeCredentials(ctx));
      } catch (error) {
        if (!(error instanceof AirlineError) || error.code !== 'unauthenticated') throw error;
        ctx.remove('WWW-Authenticate');
        return undefined;
      }
    },
  };

  async function find(ctx: RequestContext, credentials: Credentials | undefined): Promise<Caller> {
    const token = credentials ? await tokenOf(ctx, credentials) : await tokenOfSession(ctx);
    if (!token) {
      ctx.set('WWW-Authenticate', CHALLENGE);
      throw new AirlineError('unauthenticated', 'This needs a token.');
    }
    const { name, scopes, targets, expiresAt } = token;
    return { name, scopes, targets, expiresAt };
  }

  /** A page elsewhere changes nothing with a reader's session, though its origin may call with a token of its own. */
  async function tokenOfSession(ctx: RequestContext): Promise<ValidToken | undefined> {
    const text = readSessionCookie(ctx);
    if (text === undefined || changesFromElsewhere(ctx)) return undefined;
    ctx.set('Cache-Control', 'private, no-cache');
    const token = await database.Session.findToken(text, sessions.idleMs);
    if (!token) clearSessionCookie(ctx, sessions.isAlwaysSecure);
    return token;
  }

  async function tokenOf(ctx: RequestContext, credentials: Credentials): Promise<ValidToken> {
    const token = await database.AccessToken.findValid(credentials.token, now());
    if (!token || !isOf(credentials, token)) {
      await countFailure(ctx);
      ctx.set('WWW-Authenticate', `${CHALLENGE}, error="invalid_token"`);
      throw new AirlineError(
        'unauthenticated',
        'The token does not exist, belongs to another name, has expired or was revoked.',
      );
    }
    return token;
  }

  /** Only wrong tokens are counted and refused, so that nobody can lock out a caller with a valid one. */
  async function countFailure(ctx: RequestContext): Promise<void> {
    try {
      await wrongTokens.consume(placeOf(ctx.ip));
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      if (error.consumedPoints === failures.max + 1)
        ctx.state.logger().warn({ address: ctx.ip }, 'many wrong tokens came from one address');
      ctx.set('Retry-After', String(Math.max(1, Math.ceil(error.msBeforeNext / 1_000))));
      throw new AirlineError('rate_limited', 'Too many wrong tokens came from this address.');
    }
  }
}

const EVERYBODY: Actor = {
  name: ANONYMOUS,
  scopes: ['admin'],
  targets: ALL_TARGETS,
};

function assertScope(ctx: Context, actor: Actor, scope: Scope): void {
  if (allows(actor, scope)) return;
  ctx.set('WWW-Authenticate', `${CHALLENGE}, error="insufficient_scope", scope="${scope}"`);
  throw new AirlineError('forbidden', `The token ${actor.name} lacks the scope ${scope}.`);
}

/**
 * Reads the credentials, from the header or from Tastypie's `?username=&api_key=`, and takes the latter out of the
 * query: no link, log or stored answer gets them.
 */
function takeCredentials(ctx: Context): Credentials | undefined {
  const header = ctx.get('Authorization');
  const fromQuery = takeQueryPair(ctx);
  // A scheme that we do not have is as if nothing was sent (RFC 6750, 3.1).
  if (!KNOWN_SCHEME.test(header)) return fromQuery;
  const { scheme, credentials = '' } = AUTHORIZATION.exec(header)?.groups ?? {};
  if (scheme?.toLowerCase() !== 'apikey') return { token: credentials };
  const [name = '', ...token] = credentials.split(':');
  return { name, token: token.join(':') };
}

function takeQueryPair(ctx: Context): Credentials | undefined {
  const { api_key: key, ...query } = ctx.query;
  if (key === undefined) return undefined;
  const name = query['username'];
  delete query['username'];
  ctx.query = query;
  ctx.set('Cache-Control', 'private');
  return { name: last(name), token: last(key) };
}

/** Of a parameter that is given twice the last one counts, as in Django. */
function last(value: string | string[] | undefined): string {
  return [value ?? ''].flat().at(-1) ?? '';
}

/** Names are no secret, so they are compared as they are; the token was found by its hash. */
function isOf(credentials: Credentials, token: ValidToken): boolean {
  return credentials.name === undefined || credentials.name === token.name;
}

function placeOf(address: string): number {
  return createHash('sha256').update(networkOf(address)).digest().readUInt32BE() % FAILURE_PLACES;
}

/** The address; of IPv6 the first half, since a caller has all of the other. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [before = [], after = []] = address.split('::').map((half) => half.split(':'));
  const between = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...between, ...after].slice(0, 4).join(':');
}
