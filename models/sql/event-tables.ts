import { ADVISORY_LOCKS } from './advisory-locks.ts';

/**
 * The tables of events that are messages on their owners' queues, with a lock that keeps their publishers apart, and
 * the trace that an owner is part of, as SQL.
 */
export const EVENT_TABLES = {
  build: {
    events: 'progress_event',
    key: 'build_id',
    lock: ADVISORY_LOCKS.buildEvents,
    traceparent: 'traceparent',
  },
  landing: {
    events: 'landing_event',
    key: 'landing_id',
    lock: ADVISORY_LOCKS.landingEvents,
    traceparent: 'NULL::text',
  },
} as const;

/** Whose events there are. */
export type EventOwner = keyof typeof EVENT_TABLES;
