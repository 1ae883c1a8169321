/**
 * Of the events that wait for the broker, or for webhooks, no more are counted: it has to be told in an outage, too, in
 * which millions wait.
 */
export const MAX_COUNTED_EVENTS = 100_000;
