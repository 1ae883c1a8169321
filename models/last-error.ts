/** The step of a build whose workflow itself fails, as where its worker's code does not fit its history. */
export const WORKFLOW_STEP = 'workflow';

/** The step of a build whose workflow cannot be started. */
export const START_STEP = 'start';

/** What a build cannot get past just now. */
export type LastError = {
  /** The activity that fails; `START_STEP` or `WORKFLOW_STEP` where it is none. */
  readonly step: string;
  /** What its last try said. */
  readonly message: string;
  /** Its tries so far. */
  readonly tries: number;
  /** RFC 3339; when the first of them failed. */
  readonly since: string;
};
