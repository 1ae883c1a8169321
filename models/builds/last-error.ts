import { printable } from '../../domain/text/printable.ts';

const MAX_ERROR_LENGTH = 500;

/** An error as it is kept and shown. */
export function errorText(message: string): string {
  return printable(message.slice(0, MAX_ERROR_LENGTH));
}

/** What a build or landing cannot get past just now. */
export type LastError = {
  /** The activity that fails; `START_STEP`, `WORKFLOW_STEP` or `PAUSED_STEP` where it is none. */
  readonly step: string;
  /** What its last try said. */
  readonly message: string;
  /** Its tries so far. */
  readonly tries: number;
  /** RFC 3339; when the first of them failed. */
  readonly since: string;
};

/**
 * The last error once a step has failed, perhaps again: a step that has failed on keeps the time of its first failure.
 *
 * @param before the last error until now
 */
export function lastErrorAfter(
  before: LastError | null | undefined,
  { step, message, tries }: Omit<LastError, 'since'>,
): LastError {
  const since = before?.step === step ? before.since : new Date().toISOString();
  return { step, message: errorText(message), tries, since };
}
