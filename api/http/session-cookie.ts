import type { Context } from 'koa';

/** The name of the cookie that holds a session. */
export const SESSION_COOKIE = 'airline_session';

/** The text of the session that a request carries. */
export function readSessionCookie(ctx: Context): string | undefined {
  return ctx.cookies.get(SESSION_COOKIE);
}

/**
 * Gives a browser its session: no script reads it, no page elsewhere sends it, and it goes when the browser ends.
 *
 * @param isAlwaysSecure callers come by HTTPS, whatever this connection looks like
 */
export function setSessionCookie(ctx: Context, text: string, isAlwaysSecure: boolean): void {
  ctx.append('Set-Cookie', cookieOf(text, isAlwaysSecure || ctx.secure));
}

/** Has a browser forget its session. */
export function clearSessionCookie(ctx: Context, isAlwaysSecure: boolean): void {
  ctx.append('Set-Cookie', `${cookieOf('', isAlwaysSecure || ctx.secure)}; Max-Age=0`);
}

function cookieOf(text: string, isSecure: boolean): string {
  return `${SESSION_COOKIE}=${text}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}
