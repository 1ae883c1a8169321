/** The tables of events that are messages on their owners' queues, with a lock that keeps their publishers apart. */
export const EVENT_TABLES = {
  build: { events: 'progress_event', key: 'build_id', lock: 4242 },
  landing: { events: 'landing_event', key: 'landing_id', lock: 4243 },
} as const;

/** Whose events there are. */
export type EventOwner = keyof typeof EVENT_TABLES;
