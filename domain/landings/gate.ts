import type { LandingEstimate } from './landing-estimate.ts';
import type { TestsVerdict, TestVerdict } from '../testing/test-verdict.ts';

export const CRITERION_STATES = ['not_met', 'waiting', 'overridden', 'met', 'not_needed'] as const;

/** One thing that a landing has to fulfil, and how it stands. */
export type Criterion = {
  /** One word or two, such as `builds`, `builds arm64`, `tests`, `approval`, `freeze`, `target`. */
  name: string;
  state: (typeof CRITERION_STATES)[number];
  /** One sentence. */
  why: string;
  /** Who overrode or approved it. */
  by?: string;
  /** Where to read more. */
  link?: string;
};

/** The verdict of one named test. */
export type TestExcuse = {
  source: string;
  architecture: string;
  test: string;
  verdict: TestVerdict;
  /** One sentence. */
  why: string;
  run_id: number | null;
  baseline_run_id: number | null;
  log_url: string | null;
};

/** Whether a landing may be published, and why not (`GET /api/v1/ticket/<id>/gate/`). */
export type Gate = {
  landing_id: number;
  verdict: TestsVerdict;
  /** What stops it first, then what it waits for, then what is met. */
  criteria: Criterion[];
  /** When it is expected to begin and to be complete; null where it waits for no other landing. */
  estimate: LandingEstimate | null;
  /** How many tests have each verdict. */
  tests: Partial<Record<TestVerdict, number>>;
  /** Those that do not pass; at most 100. */
  excuses: TestExcuse[];
};
