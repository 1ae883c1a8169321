import { signal } from '@preact/signals';
import type { Scope } from '../../domain/access.ts';
import { request, type RequestError } from './request.ts';
import type { Session } from './api-types.ts';

/** Who looks at the page; undefined until the API has said so. */
export const session = signal<Session | undefined>(undefined);

/** Whether the visitor has to sign in first. */
export function mustSignIn({ authentication, name }: Session): boolean {
  return authentication === 'token' && name === null;
}

/** Whether the visitor may do what needs a scope. */
export function may(scope: Scope): boolean {
  const scopes = session.value?.scopes ?? [];
  return scopes.includes(scope) || scopes.includes('admin');
}

/** Asks the API who the visitor is. */
export async function loadSession(): Promise<void> {
  session.value = (await request<Session>('GET', '/api/v1/session/')).body;
}

/** Starts a session. @throws RequestError if the token is not valid */
export async function signIn(token: string): Promise<void> {
  session.value = (await request<Session>('POST', '/api/v1/session/', { body: { token } })).body;
}

/** Ends the session. @throws RequestError where it may live on */
export async function signOut(): Promise<void> {
  await request('DELETE', '/api/v1/session/');
  forgetSession();
}

/** The session is over where an answer says so: the page goes to the sign-in. */
export function noteRefusal(error: RequestError): void {
  if (error.status === 401) forgetSession();
}

function forgetSession(): void {
  const now = session.peek();
  if (now?.authentication === 'token' && now.name !== null)
    session.value = { ...now, name: null, scopes: [] };
}
