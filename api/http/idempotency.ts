import { createHash } from 'node:crypto';
import { allows } from '../../domain/access/access.ts';
import { AirlineError } from '../../domain/errors.ts';
import type { Database } from '../../models/database.ts';
import type { KeptAnswer } from '../../models/service/idempotency-key.ts';
import { inTransaction } from '../../models/sql/transactions.ts';
import { answerMinimal, type ApiContext } from './context.ts';
import type { Operation } from './operation.ts';
import { hasSecret } from './secret-answers.ts';

// Draft 07 of the header: https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
// A quoted key is a String of RFC 9651, section 3.3.3; many clients send it without the quotes.
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const UNQUOTED = /^[\x21\x23-\x7e]+$/;
const MAX_CHARACTERS = 255;
/** The headers that belong to the answer itself; the others are made anew for every answer. */
const KEPT_HEADERS = ['Content-Type', 'ETag', 'Location', 'Preference-Applied'];
/** Of an answer with a secret in it; the first of them says that it was one. */
const KEPT_HEADERS_OF_SECRETS = ['Cache-Control', 'Location'];

/** Runs what an operation does: `ctx.state.transaction` is set where its request must happen once. */
type RunOnce = (ctx: ApiContext, run: () => Promise<unknown>) => Promise<void>;

/**
 * Lets a request that carries an `Idempotency-Key` happen once, however often it is sent. What it changes and the
 * answer that it gets are committed in one transaction, `ctx.state.transaction`, which `run` has to use for all that
 * it reads and writes. Without the header there is no transaction. The body, if it counts, has to be read before.
 * After a deadlock `run` is called again.
 *
 * A repetition gets the same answer with `Idempotency-Replayed: true`. An answer of 400 and above, thrown or not,
 * undoes everything and leaves the key free. Of one that says `no-store`, such as a new token, only the `Location` is
 * kept: a repetition does nothing and is told what was made. A key belongs to its actor, method and path; where a token
 * of that name may not read, and the first one might, a repetition has no body that needs it.
 *
 * @param options.lifetimeMs how long an answer is kept
 * @param options.inFlightMs a process out of reach holds its key no longer than this
 * @param options.retryAfterS seconds that a caller is told to wait while the first request runs
 * @param options.now absent: by the database's clock
 * @throws AirlineError `invalid_field`, `request_in_flight`, `idempotency_key_reused`; `secret_not_repeated` for the
 *   repetition of a request whose answer was secret
 */
export function idempotent(
  { sequelize, IdempotencyKey }: Database,
  options: {
    lifetimeMs: number;
    inFlightMs: number;
    retryAfterS: number;
    now?: () => Date;
  },
): RunOnce {
  const { lifetimeMs, inFlightMs, retryAfterS, now } = options;

  return async (ctx, run) => {
    const key = readKey(ctx);
    if (key === undefined) {
      await run();
      return;
    }
    const { name: actor } = ctx.state.actor;
    const id = sha256(JSON.stringify([actor, ctx.method, ctx.path.replace(/\/$/, ''), key]));
    const fingerprint = fingerprintOf(ctx);
    try {
      await inTransaction(sequelize, async (transaction) => {
        if (!(await IdempotencyKey.claim(id, inFlightMs, transaction))) {
          ctx.set('Retry-After', String(retryAfterS));
          throw new AirlineError(
            'request_in_flight',
            'The first request with this Idempotency-Key has no answer yet.',
          );
        }
        const earlier = await IdempotencyKey.answerOf(id, transaction, now?.());
        if (earlier) {
          if (!fingerprint.equals(earlier.fingerprint))
            throw new AirlineError(
              'idempotency_key_reused',
              'This Idempotency-Key was used for another request before.',
            );
          if (hasSecret(earlier.headers['Cache-Control'])) throw wasSecret(earlier.headers);
          replay(ctx, earlier);
          return;
        }
        ctx.state.transaction = transaction;
        await run();
        if (ctx.status >= 400) throw new Refused();
        const answer = { id, actor, key, fingerprint, ...answerOf(ctx) };
        await IdempotencyKey.keep(answer, lifetimeMs, transaction, now?.());
      });
    } catch (error) {
      if (error instanceof Refused) return;
      // Of an answer that was made but not committed.
      for (const name of KEPT_HEADERS) ctx.remove(name);
      throw error;
    } finally {
      delete ctx.state.transaction;
    }
  };
}

/**
 * Whether an `Idempotency-Key` counts for an operation. It does not where callers need not say who they are, and for a
 * file of the data store: that could not be compared, and may take longer than a transaction should. A body that the
 * operation does not read changes nothing, so it does not count either way.
 */
export function happensOnce({ method, scope, bodyMediaType, changesNothing }: Operation): boolean {
  return method !== 'get' && scope !== null && bodyMediaType === undefined && !changesNothing;
}

/** Rolls a transaction back, but keeps the answer. */
class Refused extends Error {}

function readKey(ctx: ApiContext): string | undefined {
  const header = ctx.headers['idempotency-key'];
  if (header === undefined) return undefined;
  const given = String(header);
  const quoted = QUOTED.exec(given)?.[1]?.replace(/\\(["\\])/g, '$1');
  const key = quoted ?? (UNQUOTED.test(given) ? given : '');
  if (key.length < 1 || key.length > MAX_CHARACTERS)
    throw new AirlineError(
      'invalid_field',
      `An Idempotency-Key is one string of 1 to ${MAX_CHARACTERS} printable ASCII characters.`,
    );
  return key;
}

function wasSecret({ Location = '' }: Readonly<Record<string, string>>): AirlineError {
  return new AirlineError(
    'secret_not_repeated',
    `The first request with this Idempotency-Key made ${Location}, and its answer had a secret that is shown only once.`,
  );
}

function fingerprintOf(ctx: ApiContext): Buffer {
  const { rawBody, body } = ctx.request;
  const text = typeof rawBody === 'string' ? rawBody : JSON.stringify(body ?? null);
  return sha256(`${ctx.querystring}\n${text}`);
}

function answerOf(ctx: ApiContext) {
  const secret = hasSecret(ctx.response.get('Cache-Control'));
  const headers: Record<string, string> = {};
  for (const name of secret ? KEPT_HEADERS_OF_SECRETS : KEPT_HEADERS) {
    const value = ctx.response.get(name);
    if (value) headers[name] = value;
  }
  const { status, body, state } = ctx;
  const needsRead = state.answerNeedsRead ?? false;
  return { status, headers, body: secret ? null : bytesOf(body), needsRead };
}

function bytesOf(body: unknown): Buffer | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string') return Buffer.from(body);
  if (Buffer.isBuffer(body)) return body;
  throw new Error('Only texts and bytes can be kept under an Idempotency-Key.');
}

function replay(
  ctx: ApiContext,
  {
    status,
    headers,
    body,
    needsRead,
  }: Pick<KeptAnswer, 'status' | 'headers' | 'body' | 'needsRead'>,
): void {
  const isShown = !needsRead || allows(ctx.state.actor, 'read');
  ctx.status = status;
  if (isShown && body) ctx.body = body;
  // Koa has guessed one.
  ctx.remove('Content-Type');
  ctx.set(headers);
  if (!isShown) {
    ctx.remove('Content-Type');
    answerMinimal(ctx, status);
  }
  ctx.set('Idempotency-Replayed', 'true');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
