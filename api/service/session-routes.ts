import { z } from 'zod';
import { SCOPES } from '../../domain/access/access.ts';
import { AirlineError } from '../../domain/errors.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import type { Caller } from '../http/authentication.ts';
import { answerJson, type ApiContext } from '../http/context.ts';
import type { Operation } from '../http/operation.ts';
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '../http/session-cookie.ts';

const PATH = '/api/v1/session/';
/** A token is far shorter. Whoever sends it is not known yet: what they send is held until all of it has come. */
const MAX_SIGN_IN_BYTES = 4_096;

const signIn = z
  .object({
    token: z
      .string({ error: 'Enter a token.' })
      .min(1, 'Enter a token.')
      .meta({ description: 'The token.' }),
  })
  .meta({ title: 'sign_in' });

const session = z
  .object({
    authentication: z
      .enum(['off', 'token'])
      .meta({ description: 'off: everybody may do everything, and nobody signs in.' }),
    name: z
      .string()
      .nullable()
      .meta({ description: 'The name of the token; null when nobody has signed in.' }),
    scopes: z.array(z.enum(SCOPES)).meta({ description: 'What the caller may do.' }),
    expires_at: z.iso.datetime().nullable().meta({ description: 'When the token ends.' }),
  })
  .meta({ title: 'session' });

/** A browser signs in with a token, asks whether it is signed in, and signs out. This needs no scope. */
export const sessionOperations: readonly Operation[] = [
  {
    method: 'get',
    path: PATH,
    summary: 'Whether a browser has to sign in, and who has signed in',
    scope: null,
    isVolatile: true,
    answers: { 200: { description: 'The caller and its token.', schema: session } },
    errors: ['rate_limited', 'database_unavailable'],
    handle: async (ctx, deps) =>
      answerSession(ctx, deps, 200, await deps.authenticator.recognize(ctx)),
  },
  {
    method: 'post',
    path: PATH,
    summary: 'Sign in with a token: the answer sets a cookie',
    scope: null,
    body: signIn,
    bodyLimit: MAX_SIGN_IN_BYTES,
    answers: { 201: { description: 'Signed in.', schema: session } },
    errors: ['invalid_field', 'unauthenticated', 'rate_limited', 'database_unavailable'],
    handle: async (ctx, deps) => {
      const token = readToken(ctx.request.body);
      // Without authentication nobody needs to sign in. A page does not need to know that.
      if (deps.authentication === 'off') return answerSession(ctx, deps, 201, undefined);
      const found = await deps.authenticator.admit(ctx, token);
      await endSession(ctx, deps);
      const text = await deps.database.Session.begin(found.id, deps.sessions.idleMs);
      setSessionCookie(ctx, text, deps.sessions.isAlwaysSecure);
      ctx.state.logger().info({ tokenId: found.id, tokenName: found.name }, 'signed in');
      answerSession(ctx, deps, 201, found);
    },
  },
  {
    method: 'delete',
    path: PATH,
    summary: 'Sign out: the session ends and the cookie is cleared',
    scope: null,
    answers: { 204: { description: 'Nobody is signed in.' } },
    errors: ['database_unavailable'],
    handle: async (ctx, deps) => {
      await endSession(ctx, deps);
      clearSessionCookie(ctx, deps.sessions.isAlwaysSecure);
      ctx.status = 204;
    },
  },
];

async function endSession(ctx: ApiContext, { database }: HandlerDependencies): Promise<void> {
  const text = readSessionCookie(ctx);
  if (text !== undefined) await database.Session.end(text);
}

function answerSession(
  ctx: ApiContext,
  { authentication: mode }: HandlerDependencies,
  status: number,
  caller: Pick<Caller, 'name' | 'scopes' | 'expiresAt'> | undefined,
): void {
  ctx.set('Cache-Control', 'no-store');
  answerJson(ctx, status, {
    authentication: mode,
    name: caller?.name ?? null,
    scopes: [...(caller?.scopes ?? (mode === 'off' ? ['admin' as const] : []))],
    expires_at: caller?.expiresAt ?? null,
  } satisfies z.infer<typeof session>);
}

/** @throws AirlineError `invalid_field` with `fields` */
function readToken(body: unknown): string {
  const parsed = signIn.safeParse(body);
  if (parsed.success) return parsed.data.token.trim();
  const message = 'Enter a token.';
  throw new AirlineError('invalid_field', message, { fields: { token: [message] } });
}
