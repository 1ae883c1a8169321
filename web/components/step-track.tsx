import { STEP, STEPS_TO_COMPLETE, type StepValue } from '../../domain/tickets/ticket.ts';

/** How far along its steps a ticket is, as a row of short bars. The word beside it says the same. */
export function StepTrack({ step }: { step: StepValue }) {
  const at = step === STEP.failed ? -1 : STEPS_TO_COMPLETE.indexOf(step);
  return (
    <span
      class={`track ${step === STEP.failed ? 'track-failed' : step === STEP.complete ? 'track-done' : ''}`}
      aria-hidden="true"
    >
      {STEPS_TO_COMPLETE.slice(0, -1).map((one, index) => (
        <span key={one} class={index < at ? 'past' : index === at ? 'here' : undefined} />
      ))}
    </span>
  );
}
