import { choice, mapped, section } from '../setting.ts';

export const tickets = section('Tickets', {
  tickets: {
    replacesFailed: mapped(
      choice(
        ['0', '1'],
        'AIRLINE_PHASE',
        '1',
        'Phase of the ticket service. 0: when a subticket fails, the developer submits a new ticket; 1: another subticket may be added in its place.',
      ),
      (phase) => phase === '1',
    ),
  },
});
