import type { InstalledPackage } from './image.ts';

/** What a tester makes images of, and tests: all series of a distribution, such as `debian` on `amd64`. */
export type TesterPlace = { distribution: string; architecture: string };

const TEST_QUEUE_PREFIX = 'airline-test-';

/** How the words begin for what a landing waits for whose images no tester takes. */
export const A_TESTER = 'a tester';

/** The task queue of the testers of a place, such as `airline-test-debian-amd64`. */
export function testTaskQueue({ distribution, architecture }: TesterPlace): string {
  return `${TEST_QUEUE_PREFIX}${distribution}-${architecture}`;
}

/** Whether a task queue is one of testers. */
export function isTestTaskQueue(queue: string): boolean {
  return queue.startsWith(TEST_QUEUE_PREFIX);
}

/** The statuses that autopkgtest's `summary` gives a test (autopkgtest(1), "Output format"). */
export const TEST_STATUSES = ['PASS', 'FAIL', 'FLAKY', 'SKIP'] as const;
export type TestStatus = (typeof TEST_STATUSES)[number];

/** One named test of a run. */
export type TestResult = {
  name: string;
  status: TestStatus;
  /** What autopkgtest says beside the status; `superficial` is of a pass that proves little. */
  detail: string;
};

/**
 * How a run stands. `finished`: its results can be judged. `bed_failed`: the test bed's fault; it says nothing of the
 * package. `unavailable`: the test's source cannot be had.
 */
export const TEST_RUN_STATES = [
  'queued',
  'running',
  'finished',
  'bed_failed',
  'unavailable',
  'cancelled',
] as const;
export type TestRunState = (typeof TEST_RUN_STATES)[number];

/** The states of a run that has not ended. */
export const OPEN_RUN_STATES = ['queued', 'running'] as const satisfies readonly TestRunState[];
type OpenRunState = (typeof OPEN_RUN_STATES)[number];

/** Whether a run in this state is still to end. */
export function isOpenRun(state: TestRunState): state is OpenRunState {
  return (OPEN_RUN_STATES as readonly TestRunState[]).includes(state);
}

/** Why a source package is tested. */
export const TEST_RUN_REASONS = ['changed', 'depends', 'triggered', 'suite'] as const;
export type TestRunReason = (typeof TEST_RUN_REASONS)[number];

/** How a run ended. */
export type TestRunEnd = {
  state: Exclude<TestRunState, OpenRunState>;
  /** Of autopkgtest; null where it was not run to its end. */
  exitCode: number | null;
  results: TestResult[];
  /** Which of the landing's binary packages were in the test bed, with the versions that were installed. */
  exercised: InstalledPackage[];
  /** What the test bed's fault is. */
  fault: string | null;
};
