import type { Trouble } from '../../api/openapi/contract.generated.ts';
import { failingStepText } from '../../domain/builds/step-words.ts';
import { durationText } from '../../domain/text/quantity-text.ts';

/** `The upload fails, 7 tries in 3 min 20 s: …`: what a build or landing cannot get past just now. */
export function troubleText(trouble: Trouble, now: Date): string {
  const forMs = now.getTime() - Date.parse(trouble.since);
  return `${failingStepText(trouble)} in ${durationText(forMs)}: ${trouble.message}`;
}
