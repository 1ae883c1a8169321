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

export const QUEUED: WorkflowStep = 100;
const FAILED: WorkflowStep = 999;
const COMPLETE: WorkflowStep = 1000;

/** Steps at which a ticket is open. */
export const OPEN_STEPS: readonly WorkflowStep[] = [100, 200, 300, 400, 500];

/** Whether a number is a value of the step table. */
export function isWorkflowStep(value: number): value is WorkflowStep {
  return Object.hasOwn(WORKFLOW_STEPS, value);
}

type Position = { step: WorkflowStep; status: WorkflowStep };

/**
 * Where a ticket goes when its subtickets stand as given: a subticket's failure fails it; else it follows
 * its slowest subticket; it never moves back, and never leaves Complete.
 */
export function rollUp(ticket: Position, subtickets: readonly Position[]): Position {
  if (ticket.step === COMPLETE || subtickets.length === 0) return ticket;
  if (subtickets.some(({ step, status }) => step === FAILED || status === FAILED))
    return { step: FAILED, status: FAILED };
  if (ticket.step === FAILED) return ticket;
  const slowest = subtickets.reduce((least, subticket) =>
    subticket.step < least.step ? subticket : least,
  );
  return slowest.step > ticket.step ? { step: slowest.step, status: slowest.status } : ticket;
}

export const TICKET_ARTIFACT_TYPES = ['RESULTS', 'LOGS', 'IMAGE'] as const;
export const SUBTICKET_ARTIFACT_TYPES = ['SPU', 'RESULTS', 'LOGS'] as const;
