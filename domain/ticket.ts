/** Workflow steps of tickets and subtickets (ticket service, "States and transitions"). */
export const WORKFLOW_STEPS = {
  100: 'Queued',
  200: 'Package Building',
  300: 'Image Building',
  400: 'Image Testing',
  500: 'Package Publishing',
  999: 'Failed',
  1000: 'Complete',
} as const;

export type WorkflowStep = keyof typeof WORKFLOW_STEPS;

/** A workflow step as the API writes it, such as `'200'`. */
export type StepValue = `${WorkflowStep}`;

/** All steps in their order, as the API writes them. */
export const STEP_VALUES = Object.keys(WORKFLOW_STEPS) as StepValue[];

/** The steps of a ticket that never fails, in their order. */
export const STEPS_TO_COMPLETE = STEP_VALUES.filter((step) => step !== '999');

/** The name of a step that the API wrote, such as `Package Building`. */
export function stepName(step: StepValue): string {
  return WORKFLOW_STEPS[step];
}

/** Whether a text is a workflow step as the API writes it. */
export function isStepValue(text: string): text is StepValue {
  return Object.hasOwn(WORKFLOW_STEPS, text);
}

export const QUEUED: WorkflowStep = 100;
const FAILED: WorkflowStep = 999;
export const COMPLETE: WorkflowStep = 1000;

/** Whether a number is a value of the step table. */
export function isWorkflowStep(value: number): value is WorkflowStep {
  return Object.hasOwn(WORKFLOW_STEPS, value);
}

/** Where a ticket or subticket stands. The status is any number, as callers supply it. */
export type Position = { currentWorkflowStep: WorkflowStep; status: number };

/** Whether a ticket or subticket has failed, by its step or by its status. */
export function hasFailed({ currentWorkflowStep, status }: Position): boolean {
  return currentWorkflowStep === FAILED || status === FAILED;
}

/**
 * Where a ticket goes when its subtickets stand as given: a subticket's failure fails it; else its step and status
 * are the step of its slowest subticket. It never moves back, and leaves neither Failed nor Complete by itself.
 */
export function rollUp(ticket: Position, subtickets: readonly Position[]): Position {
  if (ticket.currentWorkflowStep === COMPLETE || subtickets.length === 0) return ticket;
  if (subtickets.some(hasFailed)) return { currentWorkflowStep: FAILED, status: FAILED };
  if (hasFailed(ticket)) return ticket;
  const steps = subtickets.map(({ currentWorkflowStep }) => currentWorkflowStep);
  const least = steps.reduce((one, other) => (other < one ? other : one));
  return least > ticket.currentWorkflowStep
    ? { currentWorkflowStep: least, status: least }
    : ticket;
}

export const TICKET_ARTIFACT_TYPES = ['RESULTS', 'LOGS', 'IMAGE'] as const;
export const SUBTICKET_ARTIFACT_TYPES = ['SPU', 'RESULTS', 'LOGS'] as const;
