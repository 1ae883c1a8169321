import { z } from 'zod';
import { moment, readOnly } from '../rest/fields.ts';

/** What is told of the latest attempt of all that runs as a workflow and can be retried. */
export const ATTEMPT_FIELDS = {
  attempt: readOnly({
    kind: 'integer',
    schema: z.int(),
    help: 'The latest attempt, which the row describes; each retry is one more.',
  }),
  requested_at: readOnly({
    kind: 'datetime',
    schema: z.iso.datetime(),
    help: 'When the attempt was requested.',
  }),
} as const;

export const CANCELLATION_FIELDS = {
  dispatched_at: moment('When its workflow was started.'),
  cancel_requested_at: moment('When its cancellation was requested.'),
  cancel_requested_by: readOnly({
    schema: z.string().nullable(),
    help: 'Who requested its cancellation.',
  }),
  finished_at: moment('When it ended.'),
} as const;
