import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Scope } from '../../domain/access/access.ts';
import { connection, onChange, reportOffline } from './changes.ts';
import { request, RequestError } from './request.ts';
import type { Session } from './api-types.ts';

const RETRY_MS = 3_000;

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
async function loadSession(): Promise<void> {
  session.value = (await request<Session>('GET', '/api/v1/session/')).body;
}

/** Asks who the visitor is until the API answers, and again after a gap: the session may have ended in it. */
export function useSession(): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let hasFollowed = false;
    const load = () => {
      loadSession().catch((error: unknown) => {
        if (session.peek() !== undefined) return;
        if (error instanceof RequestError && error.isUnavailable) reportOffline();
        timer = setTimeout(load, RETRY_MS);
      });
    };
    load();
    const unsubscribe = onChange((change) => {
      if (change !== 'anything') return;
      // The first time, what was loaded is as old as the stream.
      if (hasFollowed) load();
      hasFollowed = true;
    });
    // A stream that ends does not say whether it is because the session has.
    const stopWatching = connection.subscribe((now) => {
      if (now === 'lost' && session.peek() !== undefined) load();
    });
    return () => {
      clearTimeout(timer);
      stopWatching();
      unsubscribe();
    };
  }, []);
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
