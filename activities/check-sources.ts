import type { CheckedPackage } from '../domain/build-source.ts';
import type { ActivityDependencies } from './index.ts';

export function checkSources(_deps: Pick<ActivityDependencies, 'sources'>) {
  return async (_input: {
    sourcePackages: string[];
    buildId: number;
  }): Promise<CheckedPackage[]> => {
    throw new Error('not written yet');
  };
}
