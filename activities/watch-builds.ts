import type { BuildRecord } from '../domain/build-state.ts';
import type { Ppa } from '../domain/ppa.ts';
import type { ActivityDependencies } from './index.ts';

export function watchBuilds(_deps: Pick<ActivityDependencies, 'sources'>) {
  return async (_input: {
    buildId: number;
    ppa: Ppa;
    packages: { source: string; version: string }[];
    previous: BuildRecord[];
    reportKey: string;
    reportDue: boolean;
    cancelUrl: string | null;
  }): Promise<{
    records: BuildRecord[];
    accepted: boolean;
    cancelRequested: boolean;
    reported: boolean;
  }> => {
    throw new Error('not written yet');
  };
}
