/** What a build cannot get past just now. */
export type LastError = {
  /** The activity that fails. */
  readonly step: string;
  /** What its last try said. */
  readonly message: string;
  /** Its tries so far. */
  readonly tries: number;
  /** RFC 3339; when the first of them failed. */
  readonly since: string;
};
