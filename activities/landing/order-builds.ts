import { orderByDependencies } from '../../domain/builds/build-order.ts';
import type { LandingPackage } from '../../domain/landings/landing.ts';
import type { SourceControl } from '../../domain/packages/source-package.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { readControl } from './read-control.ts';

type Dependencies = Pick<ActivityDependencies, 'sources' | 'store'>;

/**
 * The order in which packages are built, by what their `.dsc` files say that they need: the names of each level, which
 * are built side by side, after the level before.
 *
 * @throws AirlineError `dependency_cycle`, and as readControl
 */
export function orderBuilds(deps: Dependencies) {
  return async ({ packages }: { packages: readonly LandingPackage[] }): Promise<string[][]> => {
    const controls: SourceControl[] = [];
    for (const each of packages) controls.push(await readControl(deps, each));
    const levels: string[][] = [];
    for (const [index, { level }] of orderByDependencies(controls).entries())
      (levels[level] ??= []).push(packages[index]?.source ?? '');
    return levels;
  };
}
