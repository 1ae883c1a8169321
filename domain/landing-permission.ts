import { AirlineError } from './errors.ts';
import type { Decision } from './landing.ts';
import { freezeAt, freezesFor, type LandingPolicy } from './landing-policy.ts';

/** @throws AirlineError `not_a_lander`; `target_frozen` */
export function assertMayLand(policy: LandingPolicy, name: string, atMs: number): void {
  const { landers } = policy;
  if (landers.length > 0 && !landers.includes(name))
    throw new AirlineError(
      'not_a_lander',
      `The policy ${policy.name} lets ${namesOf(landers)} land, and not ${name}.`,
    );
  assertNotFrozen(policy, name, atMs);
}

/** @param name of who lands @throws AirlineError `target_frozen` */
export function assertNotFrozen(policy: LandingPolicy, name: string, atMs: number): void {
  const freeze = freezeAt(freezesFor(policy, name), atMs);
  if (freeze)
    throw new AirlineError(
      'target_frozen',
      `The policy ${policy.name} has a freeze until ${freeze.until}: ${freeze.why}.`,
    );
}

/**
 * Whether somebody may decide of a landing.
 *
 * @param landing.requestedBy who requested its attempt
 * @throws AirlineError `not_an_approver`
 */
export function assertMayDecide(
  { policy, requestedBy }: { policy: LandingPolicy | null; requestedBy: string },
  { by, decision }: Pick<Decision, 'by' | 'decision'>,
): void {
  if (!policy) return;
  const { approvers } = policy;
  if (approvers.length > 0 && !approvers.includes(by))
    throw new AirlineError(
      'not_an_approver',
      `The policy ${policy.name} lets ${namesOf(approvers)} decide, and not ${by}.`,
    );
  if (policy.fourEyes && decision === 'approve' && by === requestedBy)
    throw new AirlineError(
      'not_an_approver',
      `${by} requested the landing, and the policy ${policy.name} has somebody else approve it.`,
    );
}

function namesOf(names: readonly string[]): string {
  return names.join(', ');
}
