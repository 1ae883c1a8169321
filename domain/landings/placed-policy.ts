import { DEFAULT_LANDING_POLICY, type LandingPolicy } from './landing-policy.ts';
import type { LandingTarget } from './landing.ts';

/** A policy and the targets that it holds for: in each part, `*` stands for any text. */
export type PlacedPolicy = {
  policy: LandingPolicy;
  targets: LandingTarget[];
  /** The PPAs that it names may be built in, too, and not only landed in. */
  takesBuilds: boolean;
};

/** The first policy that holds for a target, else the default. @param target with its archive's reference */
export function policyOf(policies: readonly PlacedPolicy[], target: LandingTarget): LandingPolicy {
  return placedAt(policies, target)?.policy ?? DEFAULT_LANDING_POLICY;
}

/**
 * The policy that lets nobody build in a target, past what a landing there has to fulfil: the one that holds there,
 * where it names the archive, be it by a pattern. `*` alone names none: PPAs to build in are among all archives.
 *
 * @param target with its archive's reference
 */
export function policyAgainstBuilds(
  policies: readonly PlacedPolicy[],
  target: LandingTarget,
): LandingPolicy | undefined {
  const placed = placedAt(policies, target);
  if (!placed || placed.takesBuilds) return undefined;
  const names = placed.targets.some((each) => !/^\*+$/.test(each.archive) && fitsAll(each, target));
  return names ? placed.policy : undefined;
}

/** The policy that names a PPA in full, by its reference, as a target; none that lets it be built in, too. */
export function policyNaming(
  policies: readonly PlacedPolicy[],
  ppa: string,
): LandingPolicy | undefined {
  const names = ({ archive }: LandingTarget) => archive === ppa;
  return policies.find(({ targets, takesBuilds }) => !takesBuilds && targets.some(names))?.policy;
}

function placedAt(
  policies: readonly PlacedPolicy[],
  target: LandingTarget,
): PlacedPolicy | undefined {
  return policies.find(({ targets }) => targets.some((each) => fitsAll(each, target)));
}

function fitsAll({ archive, series, pocket }: LandingTarget, target: LandingTarget): boolean {
  return (
    fits(archive, target.archive) && fits(series, target.series) && fits(pocket, target.pocket)
  );
}

function fits(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}
