import { choice, section } from '../setting.ts';

export const tickets = section('Tickets', {
  tickets: {
    phase: choice(
      ['0', '1'],
      'AIRLINE_PHASE',
      '1',
      'Phase of the ticket service. 0: subtickets stand for uploads, and when one fails, the developer submits a new ticket; 1: subtickets may stand for merge proposals, and another may be added in place of one that failed.',
    ),
  },
});
