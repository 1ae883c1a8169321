import { useLocation } from 'preact-iso/router';
import { useState } from 'preact/hooks';
import { ticketAddress } from '../addresses.ts';
import { may } from '../server/session.ts';
import { NewTicketDialog } from './new-ticket-dialog.tsx';

/** The button that makes a ticket and goes to its page; nothing for anybody who may not. */
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
