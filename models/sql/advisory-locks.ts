/**
 * The numbers of the advisory locks, all in one place so that no two are the same. Processes of an older version use
 * them too while a new one is deployed: whoever changes a number lets the two do at once what only one may do.
 *
 * Each but `migration` is the first of two keys, and the second says whose lock it is: an id, or the hash of a name.
 * Locks of one key, of 64 bits, are others than those of two: `migration`, and the keys of requests
 * (`IdempotencyKey.claim`).
 */
export const ADVISORY_LOCKS = {
  /** One publisher at a time sends the events of a build. */
  buildEvents: 4242,
  /** One landing at a time takes its place in the line of a target. */
  landingClaim: 4243,
  /** Work that only one process may do at a time, by its name. */
  heldWork: 4244,
  /** One publisher at a time sends the events of a landing. */
  landingEvents: 4245,
  /** Those who send to a queue share it; who finds out what a lost queue held has it alone. */
  progressQueue: 4246,
  /** Those who build in a PPA share it; who adds the PPA to the pool has it alone. */
  poolPpa: 4247,
  /** One process at a time migrates the database. */
  migration: 7_233_2014,
} as const;
