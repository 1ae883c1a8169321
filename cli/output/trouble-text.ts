import type { Trouble } from '../../api/openapi/contract.generated.ts';
import { relativeTime } from './time-format.ts';

/** `uploadSource fails since 3 min ago, 7 tries: …`: what a build or landing cannot get past just now. */
export function troubleText({ step, since, tries, message }: Trouble, now: Date): string {
  return `${step} fails since ${relativeTime(since, now)}, ${tries} tries: ${message}`;
}
