import { z } from 'zod';

/** A time as an ISO 8601 text that says its zone. */
export const zonedTime = z.iso.datetime({
  offset: true,
  error: 'Enter a time with its zone, such as 2026-04-16T00:00:00Z.',
});
