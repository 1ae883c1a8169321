import { may, session } from '../server/session.ts';
import type { Scope } from '../../domain/access/access.ts';

/** What a reader may want to do, and the scope that it needs. */
export type Wish = { to: string; needs: Scope };

/** Why there is nothing to press: what the reader's token has no scope for. Nothing where it has all of them. */
export function MissingScopes({ wishes }: { wishes: readonly Wish[] }) {
  const missing = wishes.filter(({ needs }) => !may(needs));
  if (missing.length === 0) return null;
  const scopes = session.value?.scopes.join(', ') ?? '';
  return (
    <p class="verdict-hint">
      {missing.map(({ to, needs }) => (
        <span key={to}>
          To {to}, sign in with a token that has the scope <code>{needs}</code>.{' '}
        </span>
      ))}
      Yours has {scopes === '' ? 'none' : scopes}.
    </p>
  );
}
