/** The queue that tells of the builds of a ticket's landing, where its request names none. */
export function queueOfTicket(ticketId: number): string {
  return `airline-ticket-${ticketId}`;
}
