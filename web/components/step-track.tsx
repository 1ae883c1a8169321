import { GOOD_STEPS, type Step } from '../steps.ts';

/** How far along its steps a ticket is, as a row of short bars. The word beside it says the same. */
export function StepTrack({ step }: { step: Step }) {
  const at = step === '999' ? -1 : GOOD_STEPS.indexOf(step);
  return (
    <span
      class={`track ${step === '999' ? 'track-failed' : step === '1000' ? 'track-done' : ''}`}
      aria-hidden="true"
    >
      {GOOD_STEPS.slice(0, -1).map((one, index) => (
        <span key={one} class={index < at ? 'past' : index === at ? 'here' : undefined} />
      ))}
    </span>
  );
}
