import type { Condition } from '../sql/conditions.ts';

/** Builds that are the latest of their tickets. */
export const latestOfTicket: Condition = {
  sql: `NOT EXISTS (SELECT FROM build later WHERE later.ticket_id = build.ticket_id AND later.id > build.id)`,
};

/** Builds whose latest attempt has a failure of one of these classes. */
export function ofFailureClass(classes: readonly string[]): Condition {
  return { sqlWith: (placeholderOf) => `failure ->> 'class' = ANY(${placeholderOf(classes)})` };
}
