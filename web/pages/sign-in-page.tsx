import { useState } from 'preact/hooks';
import { formText } from '../components/form-text.ts';
import { PageHeading } from '../components/page-heading.tsx';
import { Command, ErrorNote } from '../components/notes.tsx';
import { asRequestError, type RequestError } from '../server/request.ts';
import { signIn } from '../server/use-session.ts';

/** Starts a session with a token. The page that was asked for comes after it. */
export function SignInPage() {
  const [error, setError] = useState<RequestError>();
  const [isBusy, setBusy] = useState(false);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const token = formText(new FormData(event.currentTarget as HTMLFormElement), 'token');
    setBusy(true);
    setError(undefined);
    try {
      await signIn(token);
    } catch (fault) {
      setError(asRequestError(fault));
      setBusy(false);
    }
  };

  return (
    <div class="sign-in">
      <PageHeading title="Sign in" />
      <form class="card" onSubmit={(event) => void submit(event)}>
        <label class="field">
          <span>Token</span>
          <input
            name="token"
            type="password"
            required
            autoComplete="current-password"
            spellcheck={false}
            aria-describedby="token-help"
          />
        </label>
        <p id="token-help" class="muted">
          The browser keeps the token only if you have it do so. Without that it keeps a session,
          which ends when the token does, or when it is not used for long.
        </p>
        {error && <ErrorNote needsReader error={error} />}
        <button type="submit" class="button button-main" disabled={isBusy}>
          {isBusy ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
      <p class="muted">No token yet? An administrator makes one:</p>
      <Command>
        airline token create --name you@example.com --scope read,ticket:write,build:write
      </Command>
    </div>
  );
}
