import type { BuildState } from '../../domain/builds/build-request.ts';
import type { FailureClass } from '../../domain/builds/failure.ts';
import type { LandingFailureClass } from '../../domain/landings/landing-failure.ts';

/**
 * A way that a build, a landing, the check of an upload or the cleaning of a PPA can go. Its history is `<name>.json`,
 * or `<name>-1.json` and so on for each run.
 */
type HistoryPath = {
  name: string;
  /** How the workflow ends in its last run; a build that Temporal ended has no result. */
  ends:
    | 'completed'
    | FailureClass
    | 'cancelled in Temporal'
    | 'terminated'
    | 'answered'
    | `landing ${'complete' | LandingFailureClass}`
    | 'PPA free'
    | 'PPA quarantined'
    | 'nothing to watch';
  /** The state in which the build was when its cancellation came. */
  cancelledIn?: BuildState;
  /** Of a build or a landing that continues as new: at least two. */
  runs?: 'several';
  /** An event or a failure without which the history does not show what it is for. */
  shows?: string;
};

/** Every path that has a history in this folder. `npm run histories:record` records all of them. */
export const PATHS: readonly HistoryPath[] = [
  { name: 'completed', ends: 'completed' },
  { name: 'completed-when-published', ends: 'completed' },
  { name: 'completed-after-dependency-wait', ends: 'completed', shows: 'grace-begins-at-rest' },
  { name: 'completed-after-outage', ends: 'completed', shows: 'outages-cost-no-time' },
  { name: 'completed-after-watched-outage', ends: 'completed', shows: 'polls-heed-outages' },
  { name: 'continued-as-new', ends: 'completed', runs: 'several' },
  { name: 'merged', ends: 'completed', shows: 'mergeProposal' },
  { name: 'in-order', ends: 'completed', shows: 'prerequisite_wait' },
  { name: 'in-order-retried', ends: 'completed', shows: 'retryBuilds' },
  { name: 'in-order-continued-as-new', ends: 'completed', runs: 'several' },

  { name: 'failed-invalid-source', ends: 'invalid_source' },
  { name: 'failed-upload-failed', ends: 'upload_failed' },
  { name: 'failed-upload-broken-off', ends: 'upload_failed', shows: 'watchBuilds' },
  {
    name: 'failed-upload-silent',
    ends: 'upload_failed',
    shows: 'EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT',
  },
  { name: 'failed-upload-rejected', ends: 'upload_rejected' },
  { name: 'failed-dependency-wait', ends: 'dependency_wait' },
  { name: 'failed-build-failed', ends: 'build_failed' },
  { name: 'failed-and-cancelled', ends: 'build_failed', shows: 'Cancelled build' },
  { name: 'failed-prerequisite', ends: 'build_failed', shows: 'not built: broken-app' },
  { name: 'failed-chroot-problem', ends: 'chroot_problem' },
  { name: 'failed-publish-failed', ends: 'publish_failed' },
  { name: 'failed-superseded', ends: 'superseded' },
  { name: 'failed-cancelled-by-others', ends: 'cancelled' },
  { name: 'failed-timed-out', ends: 'timed_out' },

  { name: 'cancelled-queued', ends: 'cancelled', cancelledIn: 'queued' },
  { name: 'cancelled-checking', ends: 'cancelled', cancelledIn: 'checking' },
  { name: 'cancelled-uploading', ends: 'cancelled', cancelledIn: 'uploading' },
  { name: 'cancelled-accepting', ends: 'cancelled', cancelledIn: 'accepting' },
  { name: 'cancelled-building', ends: 'cancelled', cancelledIn: 'building' },
  {
    name: 'cancelled-in-order',
    ends: 'cancelled',
    cancelledIn: 'building',
    shows: 'prerequisite_wait',
  },
  { name: 'cancelled-collecting', ends: 'cancelled', cancelledIn: 'collecting' },
  { name: 'cancelled-retrying', ends: 'cancelled', shows: 'retry-stops-from-the-start' },
  { name: 'cancelled-after-reset', ends: 'cancelled', shows: '"sent":{"packages"' },
  { name: 'cancelled-by-url', ends: 'cancelled', shows: 'the cancel URL' },
  { name: 'cancelled-by-url-at-once', ends: 'cancelled', shows: 'caller_gone' },
  {
    name: 'cancelled-continuing-as-new',
    ends: 'cancelled',
    shows: 'WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND',
  },
  {
    name: 'stop-continued-as-new',
    ends: 'cancelled',
    cancelledIn: 'accepting',
    runs: 'several',
    shows: 'stop-continues-as-new',
  },
  {
    name: 'cancelled-uploading-without-worker',
    ends: 'cancelled',
    cancelledIn: 'uploading',
    shows: 'stop-cancelled-failure',
  },
  {
    name: 'cancelled-in-temporal',
    ends: 'cancelled in Temporal',
    shows: 'EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED',
  },
  { name: 'terminated', ends: 'terminated' },

  { name: 'retried-in-ppa', ends: 'completed', shows: 'retryBuilds' },
  { name: 'retried-in-ppa-on-one', ends: 'build_failed', shows: 'retryArchitectures' },
  { name: 'retried-anew', ends: 'completed', shows: 'uploadSource' },
  { name: 'requested-anew', ends: 'completed', shows: 'retry-what-was-there' },
  { name: 'retried-beside-held', ends: 'completed', shows: 'retry-what-is-held' },

  { name: 'check-upload', ends: 'answered', shows: 'checkUpload' },

  { name: 'landed', ends: 'landing complete', shows: 'heeds-outages' },
  { name: 'landed-after-another', ends: 'landing complete', shows: 'landing_id' },
  { name: 'landed-from-pool', ends: 'landing complete', shows: 'leasePpa' },
  { name: 'landing-paused-in-line', ends: 'landing complete', shows: '"pausedBy":"' },
  { name: 'landed-by-retry', ends: 'landing complete' },
  { name: 'landing-woken', ends: 'landing complete', runs: 'several' },
  {
    name: 'landing-build-failed',
    ends: 'landing build_failed',
    shows: 'CHILD_WORKFLOW_EXECUTION_COMPLETED',
  },
  { name: 'landing-circle', ends: 'landing dependency_cycle' },
  { name: 'landing-rejected', ends: 'landing not_approved' },
  { name: 'landing-copy-refused', ends: 'landing copy_refused', shows: 'checkCopies' },
  { name: 'landing-copy-not-seen', ends: 'landing copy_not_seen', shows: 'watches-all-copies' },
  { name: 'landing-copy-held', ends: 'landing complete', shows: '"held":"Unapproved"' },
  {
    name: 'landing-approval-expired',
    ends: 'landing approval_timed_out',
    shows: 'landings-of-2026-11',
  },
  { name: 'landing-pause-expired', ends: 'landing pause_timed_out' },
  { name: 'landing-queue-expired', ends: 'landing queue_timed_out' },
  { name: 'landing-no-ppa-free', ends: 'landing no_ppa_free' },
  { name: 'landing-architecture-missing', ends: 'landing architecture_missing' },
  { name: 'landing-service-unavailable', ends: 'landing service_unavailable' },
  { name: 'landing-cancelled-queued', ends: 'landing cancelled', shows: '"landing_id":' },
  { name: 'landing-cancelled-leasing', ends: 'landing cancelled', shows: 'leasePpa' },
  {
    name: 'landing-cancelled-ordering',
    ends: 'landing cancelled',
    shows: 'ACTIVITY_TASK_CANCEL_REQUESTED',
  },
  { name: 'landing-cancelled-building', ends: 'landing cancelled', shows: 'SIGNAL_EXTERNAL' },
  {
    name: 'landing-cancelled-in-temporal',
    ends: 'cancelled in Temporal',
    shows: 'landings-of-2026-11',
  },
  { name: 'landing-cancelled-approving', ends: 'landing cancelled' },
  { name: 'landed-tested', ends: 'landing complete', shows: 'landings-of-2026-11' },
  { name: 'landed-untested', ends: 'landing complete', shows: 'landings-of-2026-11' },
  { name: 'landing-regression', ends: 'landing test_regression', shows: '"isOlder":true' },
  { name: 'landing-flaky', ends: 'landing complete', shows: '"flaky":1' },
  { name: 'landing-test-bed', ends: 'landing complete', shows: 'runTest' },
  { name: 'landing-target-moved', ends: 'landing complete', shows: '"moved":[{' },
  { name: 'landing-target-moved-approved', ends: 'landing complete', shows: '"moved":[{' },
  { name: 'landing-target-moved-too-often', ends: 'landing target_moved' },
  {
    name: 'landing-target-passed',
    ends: 'landing copy_refused',
    shows: '"passed":["outdated-lib"]',
  },
  { name: 'landed-on-new-bases', ends: 'landing complete', shows: '"behind":[{' },
  { name: 'landed-after-index', ends: 'landing complete', shows: 'awaits-index-in-imaging' },
  { name: 'landing-paused-for-index', ends: 'landing complete', shows: '"behind":[{' },
  { name: 'landing-continued-for-index', ends: 'landing complete', runs: 'several' },
  { name: 'landing-continued-testing', ends: 'landing complete', runs: 'several' },
  { name: 'landing-woken-tested', ends: 'landing complete', runs: 'several' },
  { name: 'landing-no-tester', ends: 'landing no_tester', shows: 'findTester' },
  { name: 'landed-by-busy-tester', ends: 'landing complete', shows: 'findTester' },
  { name: 'landing-uninstallable', ends: 'landing uninstallable', shows: '"isOlder":false' },
  { name: 'landing-tests-timed-out', ends: 'landing tests_timed_out' },
  { name: 'landing-rejected-late', ends: 'landing not_approved', shows: 'landings-of-2026-11' },
  { name: 'landing-cancelled-testing', ends: 'landing cancelled', shows: 'ACTIVITY_TASK_CANCELED' },
  { name: 'landing-cancelled-imaging', ends: 'landing cancelled', shows: 'landings-of-2026-11' },
  { name: 'landing-paused', ends: 'landing complete', shows: 'landings-of-2026-11' },

  { name: 'ppa-cleaned', ends: 'PPA free', shows: 'emptyPpa' },
  { name: 'ppa-quarantined', ends: 'PPA quarantined', shows: 'emptyPpa' },
  { name: 'ppa-watched', ends: 'nothing to watch', shows: 'watchPpa' },
  { name: 'ppa-watched-on', ends: 'nothing to watch', runs: 'several' },
];

/** Why a failure class has no path. */
export const WITHOUT_PATH: Partial<Record<FailureClass, string>> = {
  dependency_cycle: 'the workflow ends as for invalid_source, in the same step',
  merge_failed: 'the workflow ends as for invalid_source, one step earlier',
  internal:
    'the workflow gives it only where a build had ended before its workflow began, or an activity names it; the API gives it to what Temporal ended, which terminated.json shows',
};

/** Why a failure class of landings has no path. */
export const LANDINGS_WITHOUT_PATH: Partial<Record<LandingFailureClass, string>> = {
  image_failed:
    'the landing ends as for uninstallable, in the same step, after a quarter of an hour',
  test_bed_failed: 'the landing ends as for no_tester, in a later step of the testers',
  frozen:
    'a freeze that is on already is refused: its policy would have to be made as it is recorded',
  invalid_source: 'the landing ends as for dependency_cycle, in the same step',
  internal:
    'the landing ends as for service_unavailable, where an activity fails of something else',
};

/** Where a landing can be as it continues as new. */
export type PlaceOfLanding =
  'in line' | 'leasing' | 'imaging' | 'testing' | 'approving' | 'approving what is tested';

const AFTER_THOUSANDS =
  'it continues as new there only where Temporal suggests it, after thousands of events';

/** Why no landing is recorded that goes on in a place; undefined where one is. */
export const NOT_CONTINUED_IN: Record<PlaceOfLanding, string | undefined> = {
  'in line': AFTER_THOUSANDS,
  leasing: AFTER_THOUSANDS,
  imaging: undefined,
  testing: undefined,
  approving: undefined,
  'approving what is tested': undefined,
};

/** Why nothing can be cancelled in a state. */
export const NOT_CANCELLED_IN: Partial<Record<BuildState, string>> = {
  completed: 'it has ended',
  failed: 'it has ended',
};

const OF_OLDER_LANDINGS =
  'of landings of before landings-of-2026-11: present code does not write it, and no landing that came here was kept';

/** Why a mark that a workflow asks for is in no history. */
export const WITHOUT_HISTORY: Readonly<Record<string, string>> = {
  'build-under-way': OF_OLDER_LANDINGS,
  'runs-wait-for-each-other': OF_OLDER_LANDINGS,
  'work-waits-for-no-answer': OF_OLDER_LANDINGS,
  'time-begins-without-worker': 'it takes half an hour without a worker',
};
