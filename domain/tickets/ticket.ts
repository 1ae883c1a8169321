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

/** As many characters as the title of a ticket has at most: lists show it in a line. */
export const MAX_TITLE_LENGTH = 255;

/** As many characters as the reason for a change has at most; the history keeps it. */
export const MAX_REASON_LENGTH = 1_000;

/** Whether a text is a workflow step as the API writes it. */
export function isStepValue(text: string): text is StepValue {
  return Object.hasOwn(WORKFLOW_STEPS, text);
}

/** The steps that have a meaning of their own, as the API writes them. */
export const STEP = {
  queued: '100',
  packageBuilding: '200',
  failed: '999',
  complete: '1000',
} as const satisfies Record<string, StepValue>;

export const QUEUED: WorkflowStep = 100;
export const FAILED: WorkflowStep = 999;
export const COMPLETE: WorkflowStep = 1000;

/** Whether a number is a value of the step table. */
export function isWorkflowStep(value: number): value is WorkflowStep {
  return Object.hasOwn(WORKFLOW_STEPS, value);
}

/** The step of a ticket or subticket. The status is any number, as callers supply it. */
export type Position = { currentWorkflowStep: WorkflowStep; status: number };

/** Whether a ticket or subticket has failed, by its step or by its status. */
export function hasFailed({ currentWorkflowStep, status }: Position): boolean {
  return currentWorkflowStep === FAILED || status === FAILED;
}

/** Whether a ticket or subticket has failed, by its step or by its status, as the API shows them. */
export function isShownAsFailed(shown: {
  readonly current_workflow_step: string;
  readonly status: string;
}): boolean {
  return shown.current_workflow_step === STEP.failed || shown.status === STEP.failed;
}

/** The step at which a ticket or subticket is shown: Failed where its status alone says so, else its own. */
export function stepToShow(shown: {
  readonly current_workflow_step: StepValue;
  readonly status: string;
}): StepValue {
  return isShownAsFailed(shown) ? STEP.failed : shown.current_workflow_step;
}

/** The filter of the API's lists for what `stepToShow` has at a step. */
export function stepFilter(step: string): Readonly<Record<string, string>> {
  return step === STEP.failed
    ? { failed_at_step__isnull: 'false' }
    : { current_workflow_step: step, failed_at_step__isnull: 'true' };
}

/**
 * Where a ticket goes when its current subtickets, those that were not replaced, are as given: a failure of one fails
 * it; when all are Complete it is; else its step and status are the step of the slowest. While it is open it never
 * moves back. It leaves Complete only by a change of its own.
 *
 * @param ticket.failedSubticketId the subticket that failed it. When none has failed any more the ticket is open
 * again; a ticket that failed by itself is not.
 */
export function rollUp(
  ticket: Position & { readonly failedSubticketId: number | null },
  current: readonly Position[],
): Position {
  const { currentWorkflowStep, status, failedSubticketId } = ticket;
  if (currentWorkflowStep === COMPLETE || current.length === 0)
    return { currentWorkflowStep, status };
  if (current.some(hasFailed)) return { currentWorkflowStep: FAILED, status: FAILED };
  const steps = current.map((subticket) => subticket.currentWorkflowStep);
  const least = steps.reduce((one, other) => (other < one ? other : one));
  const follows =
    least === COMPLETE ||
    (hasFailed(ticket) ? failedSubticketId !== null : least > currentWorkflowStep);
  return follows ? { currentWorkflowStep: least, status: least } : { currentWorkflowStep, status };
}

/**
 * What failed: the merge of a proposal, the building or the testing, by the step that it was at, else the subticket.
 */
export const FAILED_PARTS = ['subticket', 'merge', 'build', 'test'] as const;

/** What failed of a ticket that failed at a step; null where it failed at none of these, by itself. */
export function failedPart(
  step: WorkflowStep | null,
  failedSubticketId: number | null,
  failedInMerge = false,
): (typeof FAILED_PARTS)[number] | null {
  if (failedInMerge) return 'merge';
  if (step === 200 || step === 300) return 'build';
  if (step === 400) return 'test';
  return failedSubticketId === null ? null : 'subticket';
}

export const TICKET_ARTIFACT_TYPES = ['RESULTS', 'LOGS', 'IMAGE'] as const;
/** Of an IMAGE: frozen for development, or built; empty where nobody has said. */
export const ARTIFACT_IMAGE_KINDS = ['', 'frozen', 'built'] as const;
export const REFERENCE_KINDS = ['bug', 'blueprint', 'design', 'other'] as const;
/** What readers call the kinds of references. */
export const REFERENCE_NAMES: Readonly<Record<(typeof REFERENCE_KINDS)[number], string>> = {
  bug: 'Bug',
  blueprint: 'Blueprint',
  design: 'Design',
  other: 'See also',
};
export const SUBTICKET_ARTIFACT_TYPES = ['SPU', 'RESULTS', 'LOGS'] as const;
