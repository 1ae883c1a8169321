/**
 * What the runs of a named test, with the landing's packages and without them, say about the landing. The worst first:
 * where a test or a source has several, the first of these counts.
 */
export const TEST_VERDICTS = [
  /**
   * It fails with the landing's packages, twice, and passes without them; or it is a changed source's own, and new,
   * skipped or flaky there.
   */
  'regression',
  /** The test bed failed each time, or the source of the tests cannot be had. */
  'cannot_tell',
  'waiting',
  /** It passes, and none of the landing's packages was installed. */
  'not_exercised',
  'overridden',
  /** It fails without the landing's packages, too. */
  'always_failed',
  /** It failed and then passed in the same image. */
  'flaky',
  /** The test bed lacks what it needs. */
  'skipped',
  /** Nothing was tested: no tests, skipped, superficial, or failed and flaky by its source's own word. */
  'neutral',
  /** It passes with the landing's packages and fails without them. */
  'improvement',
  'pass',
] as const;
export type TestVerdict = (typeof TEST_VERDICTS)[number];

/** Whether a verdict stops a landing, or asks for a person: an override settles it. */
export function isOverridable(verdict: TestVerdict): boolean {
  return verdict === 'regression' || verdict === 'cannot_tell' || verdict === 'not_exercised';
}

/** What all tests together say. */
export const TESTS_VERDICTS = [
  'passes',
  'waits',
  'needs_approval',
  'blocked',
  'cannot_tell',
] as const;
export type TestsVerdict = (typeof TESTS_VERDICTS)[number];
