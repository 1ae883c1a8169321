import { DEFAULT_LANDING_POLICY, type LandingPolicy } from './landing-policy.ts';
import type { LandingTarget } from './landing.ts';

/** A policy and the targets that it holds for: in each part, `*` stands for any text. */
export type PlacedPolicy = { policy: LandingPolicy; targets: LandingTarget[] };

/** The first policy that holds for a target, else the default. @param target with its archive's reference */
export function policyOf(policies: readonly PlacedPolicy[], target: LandingTarget): LandingPolicy {
  const placed = policies.find(({ targets }) =>
    targets.some(
      ({ archive, series, pocket }) =>
        fits(archive, target.archive) && fits(series, target.series) && fits(pocket, target.pocket),
    ),
  );
  return placed?.policy ?? DEFAULT_LANDING_POLICY;
}

function fits(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}
