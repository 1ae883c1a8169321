import type { OverdueWork } from '../../domain/service/overdue-work.ts';

/** What a status says of overdue work where there is none. */
export const NOTHING_OVERDUE: OverdueWork = {
  build_step_failing_ms: null,
  tester_wait_ms: null,
  event_wait_ms: null,
  ppa_unwatched_ms: null,
  webhook_behind_ms: null,
  stuck_landings: 0,
  stuck_cleanings: 0,
};
