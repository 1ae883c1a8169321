import { useLocation } from 'preact-iso/router';
import { useState } from 'preact/hooks';
import { ticketAddress } from '../addresses.ts';
import { may } from '../server/session.ts';
import { NewTicketDialog } from './new-ticket-dialog.tsx';

/** For who may make a ticket: the button that does, and goes to its page. */
export function NewTicketButton() {
  const { route } = useLocation();
  const [isMaking, setMaking] = useState(false);
  if (!may('ticket:write')) return null;
  return (
    <div class="actions">
      <button type="button" class="button button-main" onClick={() => setMaking(true)}>
        New ticket
      </button>
      {isMaking && (
        <NewTicketDialog
          onClose={() => setMaking(false)}
          onMade={(id) => route(ticketAddress(id))}
        />
      )}
    </div>
  );
}
