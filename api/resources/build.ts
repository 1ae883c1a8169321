import { z } from 'zod';
import { buildWorkflowId } from '../../domain/build-workflow.ts';
import type { Row } from '../../models/statement.ts';
import { STORABLE } from '../rest/field-values.ts';
import { reference, shown } from '../rest/fields.ts';
import { architectureBuildSchema, failureSchema, troubleSchema } from './progress-schemas.ts';
import { readOnlyResource } from '../rest/resource.ts';
import { ticket } from './ticket.ts';

const moment = (help: string) =>
  shown({ kind: 'datetime', shows: z.iso.datetime().nullable(), help });

/**
 * A build request, as it was made, and where it stands. It is made by POST /api/v1/build_source only.
 *
 * @param workflowUrl the page of a workflow in Temporal's UI, where there is one
 */
export const buildResource = (workflowUrl: (workflowId: string) => string | null) =>
  readOnlyResource({
    name: 'build',
    summary: 'A build request and where it stands.',
    model: (database) => database.Build,
    fields: {
      ticket: reference(ticket, 'ticketId', {
        writable: 'never',
        help: 'The ticket that it builds.',
      }),
      ticket_id: shown({ kind: 'integer', shows: z.int(), help: 'The id of the ticket.' }),
      source_packages: shown({
        kind: 'json',
        shows: z.array(z.string()),
        help: 'URLs of the source files.',
      }),
      packages: shown({
        kind: 'json',
        attribute: 'packageNames',
        shows: z.array(z.string()),
        help: 'The names of its source packages.',
      }),
      series: shown({ help: 'The series that it is built for.' }),
      ppa: shown({ help: 'The PPA, as the caller wrote it.' }),
      archive: shown({ help: "The distribution's archive that the PPA builds against." }),
      progress_trigger: shown({ help: "The caller's progress queue." }),
      cancel_url: shown({ shows: z.string().nullable(), help: "The caller's cancel URL." }),
      state: shown({ help: 'Where it stands.' }),
      builds: shown({
        kind: 'json',
        attribute: 'architectureBuilds',
        shows: z.array(architectureBuildSchema),
        help: 'What the PPA builds: one entry for each package and architecture.',
      }),
      logs: shown({ kind: 'json', shows: z.array(z.string()), help: 'URLs of the build logs.' }),
      failure: shown({ kind: 'json', shows: failureSchema.nullable(), help: 'Why it failed.' }),
      attempt: shown({
        kind: 'integer',
        shows: z.int(),
        help: 'The attempt that the row tells of; each retry is one more.',
      }),
      requested_at: shown({
        kind: 'datetime',
        shows: z.iso.datetime(),
        help: 'When the attempt was asked for.',
      }),
      requested_by: shown({
        shows: z.string().nullable(),
        help: 'Who asked for the attempt.',
      }),
      trouble: shown({
        kind: 'json',
        shows: troubleSchema.nullable(),
        help: 'What it cannot get past just now, and tries again.',
      }),
      request_id: shown({ shows: z.string().nullable(), help: 'The request that was accepted.' }),
      dispatched_at: moment('When its workflow was started.'),
      cancel_requested_at: moment('When its cancellation was asked for.'),
      cancel_requested_by: shown({
        shows: z.string().nullable(),
        help: 'Who asked for its cancellation.',
      }),
      finished_at: moment('When it ended.'),
    },
    filters: [
      'ticket',
      'ticket_id',
      'series',
      'ppa',
      'archive',
      'progress_trigger',
      'state',
      'dispatched_at',
      'finished_at',
    ],
    orders: ['ticket', 'series', 'ppa', 'state', 'finished_at'],
    parameters: {
      package: {
        schema: z
          .string()
          .max(255, 'Enter at most 255 characters.')
          .regex(STORABLE, 'The text has characters that cannot be stored.'),
        help: 'The name of one of its source packages.',
        conditions: (value) => [{ attribute: 'packageNames', lookup: 'has', value }],
      },
    },
    derived: {
      events: {
        shows: z.string(),
        help: 'Where its events are.',
        of: ({ id }) => `/api/v1/build/${String(id)}/events/`,
      },
      attempts: {
        shows: z.string(),
        help: 'Where its attempts are.',
        of: ({ id }) => `/api/v1/build/${String(id)}/attempts/`,
      },
      workflow_id: {
        shows: z.string(),
        help: 'The id of its workflow in Temporal.',
        of: (row) => workflowIdOf(row),
      },
      workflow_url: {
        shows: z.string().nullable(),
        help: "The page of its workflow in Temporal's UI.",
        of: (row) => workflowUrl(workflowIdOf(row)),
      },
    },
  });

/** The id of the workflow of a build's attempt, by default of its latest. */
export function workflowIdOf(
  { id, ticketId, sourcePackages, attempt: latest }: Row,
  attempt = latest as number,
): string {
  return buildWorkflowId({
    buildId: id as number,
    ticketId: ticketId as number,
    sourcePackages: sourcePackages as string[],
    attempt,
  });
}
