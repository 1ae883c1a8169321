/** What says when Launchpad's web service may be called: one account has one budget, whoever calls. */
export type CallBudget = {
  /**
   * Waits for the turn of one call.
   *
   * @throws PpaUnavailableError where it would have to wait for too long, or the web service has not answered lately
   */
  take(): Promise<void>;
  /** Keeps that the web service has answered, whatever it said. */
  answered(): Promise<void>;
  /**
   * Keeps that it has not, or that it cannot now.
   *
   * @param pauseMs the pause that it asks all calls for
   */
  failed(pauseMs?: number): Promise<void>;
};

/** No budget: each call at once. */
export const UNBOUNDED: CallBudget = {
  take: () => Promise.resolve(),
  answered: () => Promise.resolve(),
  failed: () => Promise.resolve(),
};
