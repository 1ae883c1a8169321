/** The history of one run of a workflow. */
export type WorkflowHistory = {
  runId: string;
  /** The run that this one goes on from, and the one that goes on from this one (continue-as-new, or a reset). */
  continuedFrom: string | undefined;
  continuedAs: string | undefined;
  /** Its events as proto JSON, first to last, as they are read from Temporal. */
  pages: AsyncIterable<readonly unknown[]>;
};
