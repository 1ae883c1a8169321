import { unbuiltOn } from '../../domain/landings/gate-input.ts';
import type { LandingPart } from '../../domain/landings/landing.ts';
import { readGateBuilds } from '../../models/landings/gate-input.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** An architecture on which packages are not built. */
export type LackingArchitecture = {
  architecture: string;
  sources: string[];
  /** Absent where it is known: what older code found out. */
  isKnown?: boolean;
};

/**
 * Looks for packages of a landing that are built, and not on all architectures that its policy names.
 *
 * @returns the first architecture that lacks some, with their names
 */
export function checkArchitectures({
  database: { Build },
}: {
  database: Pick<ActivityDependencies['database'], 'Build'>;
}) {
  return async ({
    parts,
    architectures,
  }: {
    parts: readonly LandingPart[];
    architectures: readonly string[];
  }): Promise<{ lacking: LackingArchitecture | null }> => {
    const builds = await readGateBuilds(Build, parts);
    for (const architecture of architectures) {
      const { sources, isKnown } = unbuiltOn(architecture, builds);
      if (sources.length > 0) return { lacking: { architecture, sources, isKnown } };
    }
    return { lacking: null };
  };
}
