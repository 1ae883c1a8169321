import { printable } from '../../domain/text/printable.ts';

const MAX_ERROR_LENGTH = 500;

/** An error as it is kept and shown. */
export function errorText(message: string): string {
  return printable(message.slice(0, MAX_ERROR_LENGTH));
}

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
