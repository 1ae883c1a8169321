import { allows, type Actor } from '../access/access.ts';
import { AirlineError } from '../errors.ts';
import { ppaReference, type Ppa } from '../packages/ppa.ts';
import type { Decision } from './landing.ts';
import { freezeAt, freezesFor, type FreezeWindow, type LandingPolicy } from './landing-policy.ts';
import { policyAgainstBuilds, policyNaming, type PlacedPolicy } from './placed-policy.ts';

/** @throws AirlineError `not_a_lander`; `target_frozen` */
export function assertMayLand(policy: LandingPolicy, name: string, atMs: number): void {
  assertIsLander(policy, name);
  assertNotFrozen(policy, name, atMs);
}

/** @throws AirlineError `not_a_lander` */
export function assertIsLander(policy: LandingPolicy, name: string): void {
  const { landers } = policy;
  if (landers.length > 0 && !landers.includes(name))
    throw new AirlineError(
      'not_a_lander',
      `The policy ${policy.name} lets ${namesOf(landers)} land, and not ${name}.`,
    );
}

/** @param name of the person who lands @throws AirlineError `target_frozen` */
function assertNotFrozen(policy: LandingPolicy, name: string, atMs: number): void {
  const freeze = freezeAt(freezesFor(policy, name), atMs);
  if (freeze)
    throw new AirlineError(
      'target_frozen',
      `The policy ${policy.name} has a freeze until ${freeze.until}: ${freeze.why}.`,
    );
}

/**
 * The freezes that hold for a landing: those of its attempt's policy, which its workflow keeps, though they may have
 * been lifted since, and those of the policy of today, which may have been added.
 */
export function freezesOf(
  { policy, requestedBy }: Permission,
  policyOfToday: LandingPolicy,
): FreezeWindow[] {
  return [policyOfToday, ...(policy ? [policy] : [])].flatMap((each) =>
    freezesFor(each, requestedBy),
  );
}

/** Asserts that a landing may be published now, once it is approved. @throws AirlineError `target_frozen` */
export function assertNotHeld(
  landing: Permission,
  policyOfToday: LandingPolicy,
  atMs: number,
): void {
  assertNotFrozen(policyOfToday, landing.requestedBy, atMs);
  const lifted = freezeAt(freezesOf(landing, policyOfToday), atMs);
  if (lifted)
    throw new AirlineError(
      'target_frozen',
      `The landing was requested when its policy had a freeze until ${lifted.until}: ${lifted.why}. Cancel it and retry it: a retry takes the policy of today.`,
    );
}

/**
 * Asserts that a PPA may be built in: no policy names it as a target, where packages come by landings alone. What is
 * built in a PPA is published there at once.
 *
 * @throws AirlineError `target_not_allowed`
 */
export function assertMayBuildIn(
  policies: readonly PlacedPolicy[],
  ppa: Ppa,
  series: string,
): void {
  const archive = ppaReference(ppa);
  const policy = policyAgainstBuilds(policies, { archive, series, pocket: 'Release' });
  if (policy)
    throw new AirlineError(
      'target_not_allowed',
      `${archive} is a target of the policy ${policy.name}: packages get there by landings alone.`,
    );
}

/** Asserts that a PPA may be added to the pool. @throws AirlineError `conflict` */
export function assertMayPool(policies: readonly PlacedPolicy[], ppa: Ppa): void {
  const reason = reasonNotToPool(policies, ppa);
  if (reason !== undefined) throw new AirlineError('conflict', reason);
}

/**
 * Why a PPA may not be in the pool, for landings in any series: a policy names it in full as a target. A pattern may
 * well cover the pool.
 */
export function reasonNotToPool(policies: readonly PlacedPolicy[], ppa: Ppa): string | undefined {
  const archive = ppaReference(ppa);
  const policy = policyNaming(policies, archive);
  return (
    policy &&
    `${archive} is a target of the policy ${policy.name}: the pool takes no PPA that is landed in.`
  );
}

/** A landing's policy, and who requested its attempt. */
type Permission = { policy: LandingPolicy | null; requestedBy: string };

/** @throws AirlineError `not_an_approver`, where somebody may not decide of a landing */
export function assertMayDecide(
  landing: Permission,
  decision: Pick<Decision, 'by' | 'decision'>,
): void {
  const reason = reasonNotToDecide(landing, decision);
  if (reason !== undefined) throw new AirlineError('not_an_approver', reason);
}

/** Whether somebody's word on a test counts for a landing: that of somebody who may approve it. */
export function mayOverride(landing: Permission, by: string): boolean {
  return reasonNotToDecide(landing, { by, decision: 'approve' }) === undefined;
}

/**
 * Whether somebody may resume a landing that need not be allowed to land it: who has paused it, who may decide of it,
 * and an operator.
 */
export function mayResumeAnyway(
  landing: Permission & { pausedBy: string | null },
  caller: Pick<Actor, 'name' | 'scopes'>,
): boolean {
  const { name } = caller;
  if (name === landing.pausedBy || allows(caller, 'admin')) return true;
  const decision = { by: name, decision: 'reject' } as const;
  return allows(caller, 'landing:approve') && reasonNotToDecide(landing, decision) === undefined;
}

function reasonNotToDecide(
  { policy, requestedBy }: Permission,
  { by, decision }: Pick<Decision, 'by' | 'decision'>,
): string | undefined {
  if (!policy) return undefined;
  const { approvers, fourEyes, name } = policy;
  if (approvers.length > 0 && !approvers.includes(by))
    return `The policy ${name} lets ${namesOf(approvers)} decide, and not ${by}.`;
  return fourEyes && decision === 'approve' && by === requestedBy
    ? `${by} requested this attempt of the landing, and the policy ${name} has somebody else approve it.`
    : undefined;
}

function namesOf(names: readonly string[]): string {
  return names.join(', ');
}
