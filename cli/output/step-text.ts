import { isStepValue, stepName } from '../../domain/tickets/ticket.ts';

/** A step as people read it, `200 Package Building`; what is not a step as it is. */
export function stepText(step: string): string {
  return isStepValue(step) ? `${step} ${stepName(step)}` : step;
}
