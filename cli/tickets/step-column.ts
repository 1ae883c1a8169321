import { stepToShow } from '../../domain/tickets/ticket.ts';
import { toneOf } from '../output/colours.ts';
import { stepText } from '../output/step-text.ts';
import type { Column } from '../output/table.ts';

type Shown = Parameters<typeof stepToShow>[0];

/** A step as people read it; of what has failed by its status alone, that it has. */
export function positionText(shown: Shown): string {
  const step = shown.current_workflow_step;
  return stepToShow(shown) === step ? stepText(step) : `${stepText(step)}, failed`;
}

/** The step of tickets or subtickets. */
export const STEP_COLUMN: Column<Shown> = {
  head: 'STEP',
  cell: positionText,
  tone: (shown) => toneOf(stepToShow(shown)),
};
