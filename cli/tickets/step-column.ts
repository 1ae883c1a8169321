import { stepToShow, type StepValue } from '../../domain/tickets/ticket.ts';
import { toneOf } from '../output/colours.ts';
import { stepText } from '../output/step-text.ts';
import type { Column } from '../output/table.ts';

/** The step of tickets or subtickets; of those that have failed by their status alone, that they have. */
export const STEP_COLUMN: Column<{
  readonly current_workflow_step: StepValue;
  readonly status: string;
}> = {
  head: 'STEP',
  cell: (one) => {
    const step = one.current_workflow_step;
    return stepToShow(one) === step ? stepText(step) : `${stepText(step)}, failed`;
  },
  tone: (one) => toneOf(stepToShow(one)),
};
