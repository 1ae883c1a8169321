import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import {
  endsIdempotencyKey,
  newIdempotencyKey,
  sayOfIdempotencyKey,
} from '../server/idempotency-key.ts';
import { asRequestError, sessionOver, type RequestError } from '../server/request.ts';
import { isSessionOver, openDialogs } from '../server/session.ts';
import { Announcements } from './announcements.tsx';
import { FieldFaults } from './field-faults.tsx';
import { Icon } from './icon.tsx';
import { ErrorNote } from './notes.tsx';

/**
 * A dialog over the page: the focus stays in it, at first in what is to be filled in, Escape closes it, and the focus
 * goes back where it was. While it is open, the end of the session does not lead to the sign-in.
 *
 * @param isBare its title is told to screen readers alone, and what closes it is among the children
 * @param isBusy something is being sent: it cannot be left
 */
export function Dialog({
  title,
  isBare = false,
  isBusy = false,
  onClose,
  children,
}: {
  title: string;
  isBare?: boolean;
  isBusy?: boolean;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const before = document.activeElement;
    openDialogs.value++;
    dialog.current?.showModal();
    // Where one types, or else where one leaves as one came; the browser would take the button that closes it.
    const firstOf = (what: string) => dialog.current?.querySelector<HTMLElement>(what);
    (firstOf('input, select, textarea') ?? firstOf('.dialog-actions button'))?.focus();
    return () => {
      openDialogs.value--;
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={isBare ? 'dialog dialog-bare' : 'dialog'}
      aria-labelledby={titleId}
      // Of browsers that know `cancel` alone, some let the second Escape pass.
      closedby={isBusy ? 'none' : 'closerequest'}
      onCancel={(event) => {
        if (isBusy) event.preventDefault();
      }}
      onClose={onClose}
    >
      <header class={isBare ? 'visually-hidden' : 'dialog-head'}>
        <h2 id={titleId}>{title}</h2>
        {!isBare && <CloseButton isBusy={isBusy} onClick={() => dialog.current?.close()} />}
      </header>
      {children}
      <Announcements />
    </dialog>
  );
}

/** What closes a dialog, unless something is being sent. */
export function CloseButton({
  isBusy = false,
  onClick,
}: {
  isBusy?: boolean;
  onClick: () => void;
}) {
  return (
    <button type="button" class="button button-bare" disabled={isBusy} onClick={onClick}>
      <Icon name="close" />
      <span class="visually-hidden">Close</span>
    </button>
  );
}

/**
 * A dialog with a form that does one thing. While it is done nothing else can be asked for, nor can the dialog be left;
 * why it failed is said there.
 *
 * @param act does it; what it throws is shown. It sends what it asks for under the key: where the answer is lost, the
 *   reader presses again, and it is done once
 */
export function FormDialog({
  title,
  doIt,
  leaveIt = 'Go back',
  isDangerous = false,
  act,
  onClose,
  children,
}: {
  title: string;
  doIt: string;
  leaveIt?: string;
  isDangerous?: boolean;
  act: (form: FormData, key: string) => Promise<void>;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<RequestError>();
  const form = useRef<HTMLFormElement>(null);
  const isGone = useRef(false);
  const key = useRef<string>(undefined);
  useEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      key.current ??= newIdempotencyKey();
      await act(new FormData(event.currentTarget as HTMLFormElement), key.current);
      // Where the page is another by now, what would close is not this dialog.
      if (!isGone.current) onClose();
    } catch (fault) {
      const failure = asRequestError(fault);
      if (endsIdempotencyKey(failure)) key.current = undefined;
      setError(sayOfIdempotencyKey(failure));
    }
    setBusy(false);
  };
  // Where a field is at fault, that is where the reader goes on.
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [error]);

  // Something else on the page may have been refused before this is sent.
  const fault = error ?? (isSessionOver.value && !isBusy ? sessionOver() : undefined);

  return (
    <Dialog title={title} isBusy={isBusy} onClose={onClose}>
      <form ref={form} class="dialog-form" onSubmit={(event) => void submit(event)}>
        <FieldFaults.Provider value={error?.fields ?? {}}>{children}</FieldFaults.Provider>
        {fault && (
          <ErrorNote needsReader error={fault} shownFields={fieldsOf(form.current)}>
            {fault.status === 401 && (
              <a class="button" href="/sign-in" target="_blank">
                Sign in
              </a>
            )}
          </ErrorNote>
        )}
        <div class="dialog-actions">
          <button type="button" class="button" disabled={isBusy} onClick={onClose}>
            {leaveIt}
          </button>
          <button
            type="submit"
            class={`button ${isDangerous ? 'button-danger' : 'button-main'}`}
            disabled={isBusy}
          >
            {isBusy ? 'Sending…' : doIt}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** The names of the fields that say themselves what is wrong with them. */
function fieldsOf(form: HTMLFormElement | null): string[] {
  return [...(form?.querySelectorAll<HTMLInputElement>('.field > input[name]') ?? [])].map(
    ({ name }) => name,
  );
}
