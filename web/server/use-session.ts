import { useEffect } from 'preact/hooks';
import type { Session } from './api-types.ts';
import {
  connection,
  loadAnew,
  onChange,
  reportAnswered,
  reportOffline,
  vainTries,
} from './changes.ts';
import { asRequestError, request } from './request.ts';
import { retryPauses } from './retry-pauses.ts';
import {
  forgetSession,
  isSessionOver,
  mustSignIn,
  noteSession,
  openDialogs,
  session,
} from './session.ts';

const RETRY_MS = 3_000;

/** Asks the API who the visitor is. */
async function loadSession(): Promise<void> {
  const { body } = await request<Session>('GET', '/api/v1/session/');
  noteSession(body);
  // Who has to sign in is sent no changes for that reason.
  if (!mustSignIn(body)) reportAnswered();
}

/** Asks who the visitor is until the API answers, and again after a gap: the session may have ended in it. */
export function useSession(): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const pauses = retryPauses(RETRY_MS);
    let hasFollowed = false;
    const load = () => {
      loadSession().catch((error: unknown) => {
        const isKnown = session.peek() !== undefined;
        const failure = asRequestError(error);
        const isAway = failure.isUnavailable && !failure.isLate;
        if (isAway && (!isKnown || connection.peek() === 'polling')) reportOffline();
        if (isKnown) return;
        timer = setTimeout(load, pauses.next(failure));
      });
    };
    load();
    const unsubscribe = onChange((change) => {
      if (change !== 'anything') return;
      // The first time, what was loaded is as old as the stream.
      if (hasFollowed) load();
      hasFollowed = true;
    });
    // A stream that ends does not say whether it is because the session has, or Airline is away.
    const stopWatching = vainTries.subscribe((tries) => {
      if (tries > 0 && session.peek() !== undefined) load();
    });
    // What was refused meanwhile is loaded now, or leads to the sign-in.
    const stopWaiting = openDialogs.subscribe((open) => {
      if (open > 0 || !isSessionOver.peek()) return;
      hasFollowed = true;
      loadAnew();
    });
    return () => {
      clearTimeout(timer);
      stopWaiting();
      stopWatching();
      unsubscribe();
    };
  }, []);
}

/** Starts a session. @throws RequestError if the token is not valid */
export async function signIn(token: string): Promise<void> {
  noteSession((await request<Session>('POST', '/api/v1/session/', { body: { token } })).body);
}

/** Ends the session. @throws RequestError where it may live on */
export async function signOut(): Promise<void> {
  await request('DELETE', '/api/v1/session/');
  forgetSession();
}
