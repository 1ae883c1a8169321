import type { CheckedPackage } from '../domain/build-source.ts';
import type { Ppa } from '../domain/ppa.ts';
import type { ActivityDependencies } from './index.ts';

export function uploadSource(_deps: Pick<ActivityDependencies, 'sources'>) {
  return async (_input: {
    ppa: Ppa;
    series: string;
    package: CheckedPackage;
  }): Promise<{ alreadyThere: boolean; sentBytes: number }> => {
    throw new Error('not written yet');
  };
}
