/** Least share of raw starts' throughput. */
export const MIN_ACCEPT_RATIO = 0.7;
/** Most memory of the one worker that carries all builds in flight. */
export const MAX_WORKER_BYTES = 2 ** 30;
/** Most history events of a build that takes one minute. */
export const MAX_EVENTS_OF_A_MINUTE = 60;

/** Something that the measurement must show. */
export type Goal = { what: string; value: number; limit: number; isMet: boolean };

/** A goal that is met by this much or more. */
export function atLeast(what: string, value: number, limit: number): Goal {
  return { what, value, limit, isMet: value >= limit };
}

/** A goal that is met by this much or less. */
export function atMost(what: string, value: number, limit: number): Goal {
  return { what, value, limit, isMet: value <= limit };
}
