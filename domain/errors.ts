import type { FailureClass } from './builds/failure.ts';
import { printable } from './text/printable.ts';

type ErrorDefinition = {
  readonly httpStatus: number;
  /** The same call may succeed later. */
  readonly retryable: boolean;
  /** What the caller can do about it. */
  readonly hint: string;
  /** Set where the error ends a build: the class its FAILED message carries. */
  readonly failureClass?: FailureClass;
};

/**
 * Every error that Airline answers with, by its code. Codes are part of the interface: they are
 * never renamed and never used for something else. `docs/errors.md` lists them.
 */
export const ERRORS = {
  malformed_json: {
    httpStatus: 400,
    retryable: false,
    hint: 'Send the JSON object or array that the operation takes, with Content-Type: application/json.',
  },
  not_utf8: {
    httpStatus: 400,
    retryable: false,
    hint: 'Encode the body as UTF-8: JSON has no other encoding.',
  },
  invalid_field: {
    httpStatus: 400,
    retryable: false,
    hint: 'Correct the named fields and send the request again.',
  },
  unknown_fields: {
    httpStatus: 400,
    retryable: false,
    hint: 'Leave out the fields that the answer names, or send the request without Prefer: handling=strict.',
  },
  unknown_reference: {
    httpStatus: 400,
    retryable: false,
    hint: 'Create the resource that the URI names first, or correct the URI.',
  },
  host_not_allowed: {
    httpStatus: 400,
    retryable: false,
    hint: 'Give an http or https URL on a host of AIRLINE_SOURCE_HOSTS (for a webhook: AIRLINE_WEBHOOK_HOSTS), or ask the operator to add the host.',
    failureClass: 'invalid_source',
  },
  credentials_in_url: {
    httpStatus: 400,
    retryable: false,
    hint: 'Give URLs without user name and password; Airline cannot fetch files that need them.',
    failureClass: 'invalid_source',
  },
  answer_too_large: {
    httpStatus: 400,
    retryable: false,
    hint: 'Ask for fewer ids, or read the list page by page. Change fewer objects at once, or with Prefer: return=minimal.',
  },
  unauthenticated: {
    httpStatus: 401,
    retryable: false,
    hint: 'Send Authorization: Bearer <token>, or ApiKey <name>:<token>. Whoever has a token with the scope admin makes one: airline token create.',
  },
  forbidden: {
    httpStatus: 403,
    retryable: false,
    hint: 'Use a token with the scope that the answer names.',
  },
  target_not_allowed: {
    httpStatus: 403,
    retryable: false,
    hint: 'Name what the token allows (`airline whoami`), or have the operator change AIRLINE_PPAS, AIRLINE_QUEUE_PREFIX or the token. What is to get into the target of a policy is built in another PPA, and landed.',
  },
  cross_site_refused: {
    httpStatus: 403,
    retryable: false,
    hint: "Call from Airline's own pages or from outside a browser; the operator can add an origin to AIRLINE_CORS_ORIGINS.",
  },
  not_found: {
    httpStatus: 404,
    retryable: false,
    hint: 'Check the id; list the resource to see which exist.',
  },
  method_not_allowed: {
    httpStatus: 405,
    retryable: false,
    hint: 'Use one of the methods that the Allow header names.',
  },
  conflict: {
    httpStatus: 409,
    retryable: false,
    hint: 'Read the resource as it is now, then decide.',
  },
  referenced: {
    httpStatus: 409,
    retryable: false,
    hint: 'Delete what refers to it first, or leave it.',
  },
  ticket_under_way: {
    httpStatus: 409,
    retryable: false,
    hint: 'A build or landing of the ticket was requested, so its parts stay as they are; submit a new ticket, or, when no landing is under way, add a subticket in place of one that failed.',
  },
  not_landable: {
    httpStatus: 409,
    retryable: false,
    hint: 'Do what the answer says: name the files of each source package as SPU artifacts of one subticket; name a PPA outside the pool that is not the target, or none where the pool has one; wait for the build of a merge proposal; or land the ticket anew.',
  },
  not_a_lander: {
    httpStatus: 403,
    retryable: false,
    hint: "Ask somebody whom the target's policy names as a lander, or ask the operator to add your token's name to its landers.",
  },
  not_an_approver: {
    httpStatus: 403,
    retryable: false,
    hint: "Ask somebody whom the landing's policy names as an approver. With four_eyes, whoever requested the landing may not approve it; after a retry, that is whoever retried it last.",
  },
  target_frozen: {
    httpStatus: 409,
    retryable: true,
    hint: 'Try again when the freeze that the answer names is over, or ask the operator to exempt you.',
  },
  ticket_complete: {
    httpStatus: 409,
    retryable: false,
    hint: 'Submit a new ticket for what is to be built.',
  },
  phase_forbids_replacement: {
    httpStatus: 409,
    retryable: false,
    hint: 'Submit a new ticket with all its parts; with AIRLINE_PHASE=1 another subticket may take the place of a failed one.',
  },
  phase_forbids_proposals: {
    httpStatus: 409,
    retryable: false,
    hint: 'Submit the source package itself; with AIRLINE_PHASE=1 a subticket may stand for a merge proposal.',
  },
  branch_busy: {
    httpStatus: 409,
    retryable: true,
    hint: 'A branch produces one source package at a time: request it again when the build that the answer names has ended.',
  },
  request_in_flight: {
    httpStatus: 409,
    retryable: true,
    hint: 'The first request with this Idempotency-Key is still running; repeat it after the seconds in Retry-After.',
  },
  secret_not_repeated: {
    httpStatus: 409,
    retryable: false,
    hint: 'If the secret was lost, delete or revoke what the answer names, and send the request with another Idempotency-Key.',
  },
  precondition_failed: {
    httpStatus: 412,
    retryable: false,
    hint: 'If it has changed since, read it again, then decide and send its new ETag. Where the answer names a proxy, its operator has to stop it from changing answers.',
  },
  too_large: {
    httpStatus: 413,
    retryable: false,
    hint: 'Send less in one request; the limits are in docs/configuration.md.',
  },
  build_too_large: {
    httpStatus: 413,
    retryable: false,
    hint: 'Ask for fewer source packages in one request, or give shorter URLs.',
  },
  unsupported_media_type: {
    httpStatus: 415,
    retryable: false,
    hint: 'Send JSON with Content-Type: application/json; leave Content-Encoding out, or make it gzip, deflate or br. Send a file without Content-Encoding.',
  },
  range_not_satisfiable: {
    httpStatus: 416,
    retryable: false,
    hint: 'Ask for bytes that the file has; Content-Range says how many these are. Where a download is continued, all of it may be there.',
  },
  host_header_refused: {
    httpStatus: 421,
    retryable: false,
    hint: 'Without authentication Airline answers only to loopback names; use 127.0.0.1 or localhost, or set AIRLINE_AUTH=token.',
  },
  idempotency_key_reused: {
    httpStatus: 422,
    retryable: false,
    hint: 'Use a new Idempotency-Key for every new request; repeat a request unchanged.',
  },
  rate_limited: {
    httpStatus: 429,
    retryable: true,
    hint: 'Try again after the seconds in Retry-After.',
  },
  took_too_long: {
    httpStatus: 422,
    retryable: false,
    hint: 'Ask for less: a longer word in a search, an exact filter, the cursor in place of a large offset.',
  },
  database_unavailable: {
    httpStatus: 503,
    retryable: true,
    hint: 'The database does not answer in time, or others hold what is to be changed; try again after the seconds in Retry-After.',
  },
  transaction_pooling: {
    httpStatus: 503,
    retryable: true,
    hint: 'Set pool_mode = session in PgBouncer for this database and its user, or let AIRLINE_DATABASE_URL name PostgreSQL itself.',
  },
  store_unavailable: {
    httpStatus: 503,
    retryable: true,
    hint: 'The data store does not answer or is full; try again after the seconds in Retry-After.',
  },
  temporal_unavailable: {
    httpStatus: 503,
    retryable: true,
    hint: 'Temporal does not answer; try again after the seconds in Retry-After.',
  },
  history_too_large: {
    httpStatus: 502,
    retryable: false,
    hint: "Read it with Temporal's own command: temporal workflow show --output json --workflow-id <id>.",
  },
  check_unavailable: {
    httpStatus: 503,
    retryable: true,
    hint: 'No worker got an answer from the PPA in time. Try again, or request the build: Airline asks again before it uploads.',
  },
  overloaded: {
    httpStatus: 503,
    retryable: true,
    hint: 'Try again after the seconds in Retry-After.',
  },
  internal: {
    httpStatus: 500,
    retryable: true,
    hint: 'The log has the cause under the request id.',
    failureClass: 'internal',
  },
  source_not_fetched: {
    httpStatus: 422,
    retryable: false,
    hint: 'Make every URL in source_packages answer 200 without a redirect, then request a new build.',
    failureClass: 'invalid_source',
  },
  address_not_allowed: {
    httpStatus: 422,
    retryable: false,
    hint: 'Make the host name resolve to a public address, or have the operator add its network to AIRLINE_SOURCE_PRIVATE.',
    failureClass: 'invalid_source',
  },
  source_too_large: {
    httpStatus: 422,
    retryable: false,
    hint: 'Make the file smaller, or have the operator raise AIRLINE_SOURCE_MAX_BYTES; where the message says memory, AIRLINE_MERGE_MEMORY_BYTES. How many files a tree may have cannot be raised.',
    failureClass: 'invalid_source',
  },
  malformed_control_file: {
    httpStatus: 422,
    retryable: false,
    hint: 'Rebuild the source package with dpkg-buildpackage -S and store the new files.',
    failureClass: 'invalid_source',
  },
  dependency_cycle: {
    httpStatus: 422,
    retryable: false,
    hint: 'Break the cycle with a build profile or an upload of its own, or leave out order: the PPA then builds what it can.',
    failureClass: 'dependency_cycle',
  },
  missing_file: {
    httpStatus: 422,
    retryable: false,
    hint: 'Store every file that the .changes lists and name them all in source_packages.',
    failureClass: 'invalid_source',
  },
  ambiguous_file: {
    httpStatus: 422,
    retryable: false,
    hint: 'Name each file once; two files of one name cannot go into one upload.',
    failureClass: 'invalid_source',
  },
  checksum_mismatch: {
    httpStatus: 422,
    retryable: false,
    hint: 'Store the files again: one differs from what the .changes or .dsc says about it.',
    failureClass: 'invalid_source',
  },
  not_signed: {
    httpStatus: 422,
    retryable: false,
    hint: 'Sign the upload with debsign, or have the operator set AIRLINE_SIGNING_KEY.',
    failureClass: 'invalid_source',
  },
  not_a_source_upload: {
    httpStatus: 422,
    retryable: false,
    hint: 'A PPA takes sources only: build the .changes with dpkg-buildpackage -S.',
    failureClass: 'invalid_source',
  },
  source_format_refused: {
    httpStatus: 422,
    retryable: false,
    hint: 'Make the source package in a format and a compression that the message names: debian/source/format and debian/source/options set them.',
    failureClass: 'invalid_source',
  },
  merge_conflict: {
    httpStatus: 422,
    retryable: false,
    hint: 'Merge the target branch into the proposed one, resolve the conflicts, push it and request a new build.',
    failureClass: 'merge_failed',
  },
  merge_not_possible: {
    httpStatus: 422,
    retryable: false,
    hint: 'Check the repositories and branches of the merge proposal: each has to exist, be readable without a password, and share history with the other within AIRLINE_GIT_DEPTH commits. What was made of it before stays, and can be landed.',
    failureClass: 'merge_failed',
  },
  nothing_to_merge: {
    httpStatus: 422,
    retryable: false,
    hint: 'Push a change that the target branch does not have to the proposed branch, and request a new build. A source package that was made of the proposal before stays, and can be landed.',
    failureClass: 'merge_failed',
  },
  proposal_withdrawn: {
    httpStatus: 422,
    retryable: false,
    hint: 'Push the change to the proposed branch again, on top of the target branch, and request a new build, or reject the merge proposal. The source package that was made of it before can no longer be landed.',
    failureClass: 'merge_failed',
  },
  source_not_made: {
    httpStatus: 422,
    retryable: false,
    hint: 'Make dpkg-source -b succeed in the merged branch, without a new or changed submodule or file of Git LFS, and with a Section in debian/control; the upstream tarball is made from the tag `upstream/<version>`, `v<version>` or `<version>` in the target repository.',
    failureClass: 'invalid_source',
  },
  version_conflict: {
    httpStatus: 422,
    retryable: false,
    hint: 'The PPA has this version, or has had it, and takes no version twice: give the package a new version.',
    failureClass: 'invalid_source',
  },
  version_not_higher: {
    httpStatus: 422,
    retryable: false,
    hint: 'A PPA takes only versions that are higher than those it has: give the package a higher version.',
    failureClass: 'invalid_source',
  },
  file_conflict: {
    httpStatus: 422,
    retryable: false,
    hint: 'A PPA takes no other contents under a file name than it has, or the archive of its distribution. Use that file, or give yours another name with a new upstream version.',
    failureClass: 'invalid_source',
  },
  source_gone: {
    httpStatus: 422,
    retryable: false,
    hint: 'Ask the people who work on the PPA who deleted or replaced it. A PPA takes no version twice: build a higher one.',
    failureClass: 'superseded',
  },
  ppa_not_found: {
    httpStatus: 422,
    retryable: false,
    hint: 'Create the PPA, correct its name in the request, or let the account of AIRLINE_LAUNCHPAD_CREDENTIALS see it; then request a new build.',
    failureClass: 'upload_rejected',
  },
  series_not_open: {
    httpStatus: 422,
    retryable: false,
    hint: 'Request a build for a series that the distribution has and still supports.',
    failureClass: 'upload_rejected',
  },
  key_not_registered: {
    httpStatus: 422,
    retryable: false,
    hint: 'Register the key with an account that may upload to the PPA, or sign with the key of such an account; then request a new build.',
    failureClass: 'upload_rejected',
  },
  upload_not_allowed: {
    httpStatus: 422,
    retryable: false,
    hint: 'Have the owner of the PPA let the account upload, or sign with the key of one who may; where the PPA is disabled, have its owner enable it. Then request a new build.',
    failureClass: 'upload_rejected',
  },
  retry_not_allowed: {
    httpStatus: 422,
    retryable: false,
    hint: 'Let the account of AIRLINE_LAUNCHPAD_CREDENTIALS upload to the PPA (without an account, Airline can only read there), or retry what failed on its page in the PPA; then retry the build.',
    failureClass: 'build_failed',
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof ERRORS;

/** An error of the catalogue, with what was wrong this time. */
export class AirlineError extends Error {
  override readonly name = 'AirlineError';
  readonly code: ErrorCode;
  /** For `invalid_field`: what is wrong with each field, by its name. */
  readonly fields: Readonly<Record<string, readonly string[]>> | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: ErrorOptions & { fields?: Readonly<Record<string, readonly string[]>> } = {},
  ) {
    // Parts of it come from callers, control files and servers.
    super(printable(message), options);
    this.code = code;
    this.fields = options.fields;
  }

  get definition(): ErrorDefinition {
    return ERRORS[this.code];
  }
}

/** Whether a string, such as the type of a failure that crossed a process, is a code of the catalogue. */
export function isErrorCode(code: string | null | undefined): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code);
}
