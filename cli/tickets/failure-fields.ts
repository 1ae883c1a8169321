import type { Subticket, Ticket } from '../../api/openapi/contract.generated.ts';
import { stepText } from '../output/step-text.ts';
import { idOfUri } from '../server/resource-uri.ts';
import type { Field } from '../output/field-list.ts';

/** Where a ticket or subticket failed, and why; nothing of one that has not failed. */
export function failureFields(
  failed: Pick<Subticket, 'failed_at_step' | 'failure_reason'> &
    Partial<Pick<Ticket, 'failed_part' | 'failed_subticket'>>,
): Field[] {
  const { failed_at_step: step, failed_part: part, failed_subticket: subticket } = failed;
  if (step === null) return [];
  const what = [
    ...(part === 'build' || part === 'test' ? [`the ${part}`] : []),
    ...(subticket ? [`subticket ${idOfUri(subticket)}`] : []),
  ];
  return [
    ['Failed at', `${stepText(step)}${what.length > 0 ? ` (${what.join(' of ')})` : ''}`, 'bad'],
    ['Reason', failed.failure_reason],
  ];
}
