/** What can be done to a ticket and leaves a trace. */
export const TICKET_EVENTS = [
  'step',
  'ticket',
  'subticket',
  'artifact',
  'link',
  'build',
  'cancellation',
  'landing',
  'decision',
] as const;
export type TicketEventKind = (typeof TICKET_EVENTS)[number];

/**
 * So many events of all tickets are reached by paging, and counted, and with them what shares the millisecond of the
 * last; what is older is reached by `until`.
 */
export const MAX_TICKET_EVENTS = 1_000;
