import { signal } from '@preact/signals';
import type { Scope } from '../../domain/access/access.ts';
import type { Session } from './api-types.ts';

/** Who looks at the page; undefined until the API has said so. */
export const session = signal<Session | undefined>(undefined);

/** Whether the session is over, and the page still shows it, because a dialog is open. */
export const isSessionOver = signal(false);

/** How many dialogs are open: the page is not left for the sign-in before they are closed. */
export const openDialogs = signal(0);

/** Whether the visitor has to sign in first. */
export function mustSignIn({ authentication, name }: Session): boolean {
  return authentication === 'token' && name === null;
}

/** Whether the visitor may do what needs a scope. */
export function may(scope: Scope): boolean {
  const scopes = session.value?.scopes ?? [];
  return scopes.includes(scope) || scopes.includes('admin');
}

/** The e-mail address by which the visitor owns tickets; undefined where the name is none, as that of many a token. */
export function ownAddress(): string | undefined {
  const name = session.value?.name ?? '';
  return name.includes('@') ? name : undefined;
}

/** Whether the visitor may be told of changes, as far as it is known. */
export function mayFollow(): boolean {
  return session.value === undefined || may('read');
}

/** The API has said who the visitor is. */
export function noteSession(now: Session): void {
  if (mustSignIn(now) && noteRefusal()) return;
  isSessionOver.value = false;
  session.value = now;
}

/**
 * An answer says that the visitor is not signed in. Where that ends a session, the page goes to the sign-in; with an
 * open dialog it does so once that is closed: what is typed there would be gone.
 *
 * @returns whether it ends a session
 */
export function noteRefusal(): boolean {
  const now = session.peek();
  if (now?.authentication !== 'token' || now.name === null) return false;
  if (openDialogs.peek() > 0) isSessionOver.value = true;
  else forgetSession();
  return true;
}

/** Goes to the sign-in, whatever is open. */
export function forgetSession(): void {
  isSessionOver.value = false;
  const now = session.peek();
  if (now) session.value = { ...now, name: null, scopes: [] };
}
