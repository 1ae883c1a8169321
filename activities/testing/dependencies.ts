import type { ActivityDependencies } from '../dependencies.ts';
import type { Database } from '../../models/database.ts';
import type { TestArchive } from './archive/test-archive.ts';
import type { TestMachine } from './test-machine.ts';

/** What the activities of a tester need. */
export type TestingDependencies = Pick<
  ActivityDependencies,
  'ppaClient' | 'sources' | 'store' | 'logger'
> & {
  database: Pick<Database, 'sequelize' | 'Build' | 'Image' | 'Landing' | 'TestRun' | 'Ticket'>;
  machine: TestMachine;
  /** Where the tests come from. */
  archive: TestArchive;
  /** Hosts besides the PPA's own that its files may be redirected to. */
  logs: Pick<ActivityDependencies['logs'], 'hosts' | 'idleTimeoutMs'>;
  limits: {
    /** Time for one image. */
    imageMs: number;
    /** Time for the tests of one source, the test bed included. */
    testMs: number;
    /** What is kept of a log. */
    logMaxBytes: number;
  };
};
