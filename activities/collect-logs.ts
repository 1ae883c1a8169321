import type { BuildRecord } from '../domain/build-state.ts';
import type { ActivityDependencies } from './index.ts';

/** A log in the data store. */
export type CollectedLog = {
  package: string;
  architecture: string;
  kind: 'build' | 'upload';
  key: string;
  url: string;
};

export function collectLogs(_deps: Pick<ActivityDependencies, 'store'>) {
  return async (_input: {
    buildId: number;
    records: BuildRecord[];
  }): Promise<{ logs: CollectedLog[]; missing: string[] }> => {
    throw new Error('not written yet');
  };
}
