import type { ImagePlace } from './image.ts';
import type { LandingAttemptName, TestedImage } from '../landings/landing.ts';
import type { LandingPolicy } from '../landings/landing-policy.ts';
import type { Ppa } from '../packages/ppa.ts';
import type { PackageVersion } from '../packages/source-file.ts';
import type { TestRunState } from './test-run.ts';

/** The type of the failure by which a landing knows that its packages cannot be installed. */
export const UNINSTALLABLE = 'uninstallable';

/** The type of the failure of what needs a row that the database does not have: it was restored by itself. */
export const ROW_UNKNOWN = 'RowUnknown';

/** The time for one try, in milliseconds: then Temporal ends it, and what it has done is lost. */
export const TESTER_TRY_MS = {
  /** A look for one that is there, the wait for one that another landing has begun, and one of its own. */
  baseImage: 6 * 3_600_000,
  image: 2 * 3_600_000,
  /** autopkgtest ends a test by itself long before. */
  run: 12 * 3_600_000,
};

/** What the workflow of a landing asks of the testers of a place: activities on their task queue. */
export type TesterActivities = {
  /**
   * The latest base image that is young enough, or a new one. A target that has published nothing for the series yet,
   * or cannot be read, is left out.
   */
  makeBaseImage(input: ImagePlace & { maxAgeMs: number }): Promise<{ imageId: number }>;
  /** The base image with the packages of a landing, as its PPA has published them. */
  makeLandingImage(
    input: LandingAttemptName & { baseImageId: number; ppa: Ppa; packages: PackageVersion[] },
  ): Promise<{ imageId: number }>;
  /** Adds the runs of a landing. Safe to repeat. @returns `left`: how many there would be beyond maxTestRuns */
  planTests(
    input: TestedImage &
      LandingAttemptName & {
        packages: PackageVersion[];
        tests: LandingPolicy['tests'];
        maxTestRuns: number;
      },
  ): Promise<{ runIds: number[]; left: number }>;
  /**
   * Adds, for each run of a changed source, the run that it is compared with: that of the archive's own version in the
   * base image. Where the archive has no such source, its state is `unavailable`. Safe to repeat.
   */
  planBaselines(input: { baseImageId: number; runIds: number[] }): Promise<{ runIds: number[] }>;
  /** Makes a run and keeps its results in its row. One that has ended is not made again. */
  runTest(input: { runId: number }): Promise<{ state: TestRunState; exitCode: number | null }>;
};
