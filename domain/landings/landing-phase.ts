import { COMPLETE, FAILED, QUEUED, type WorkflowStep } from '../tickets/ticket.ts';

/** What a landing is doing, or waits for, in the order in which they come. */
export const LANDING_PHASES = [
  'queued',
  'leasing',
  'building',
  'imaging',
  'testing',
  'approving',
  'publishing',
  'complete',
  'failed',
  'cancelled',
] as const;

export type LandingPhase = (typeof LANDING_PHASES)[number];

const STEP: Record<LandingPhase, WorkflowStep> = {
  queued: QUEUED,
  leasing: QUEUED,
  building: 200,
  imaging: 300,
  testing: 400,
  approving: 400,
  publishing: 500,
  complete: COMPLETE,
  failed: FAILED,
  cancelled: FAILED,
};

/** The workflow step of a ticket whose landing is in a phase (ticket service, "States and transitions"). */
export function stepOfPhase(phase: LandingPhase): WorkflowStep {
  return STEP[phase];
}

/** Whether a landing is tested, or approved for what its tests say. */
export function isBeingTested(phase: LandingPhase): boolean {
  return phase === 'imaging' || phase === 'testing' || phase === 'approving';
}

/** Whether a landing has ended. */
export function isOver(phase: LandingPhase): boolean {
  return phase === 'complete' || phase === 'failed' || phase === 'cancelled';
}
