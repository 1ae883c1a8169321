import type { WORKFLOW_STEPS, WorkflowStep } from '../domain/ticket.ts';

const STEP_WORDS: { [Step in WorkflowStep]: (typeof WORKFLOW_STEPS)[Step] } = {
  100: 'Queued',
  200: 'Package Building',
  300: 'Image Building',
  400: 'Image Testing',
  500: 'Package Publishing',
  999: 'Failed',
  1000: 'Complete',
};
export const STEPS = ['100', '200', '300', '400', '500', '999', '1000'] as const;
export type Step = (typeof STEPS)[number];
/** The steps of a ticket that all goes well with. */
export const GOOD_STEPS = ['100', '200', '300', '400', '500', '1000'] as const;

/** The name of a workflow step. */
export const stepWord = (step: Step): string => STEP_WORDS[Number(step) as WorkflowStep];
