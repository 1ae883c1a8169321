import { z } from 'zod';
import { BUILD_ORDERS } from '../../domain/builds/build-order.ts';
import { buildWorkflowId } from '../../domain/builds/build-workflow.ts';
import { FAILURE_CLASSES } from '../../domain/builds/failure.ts';
import { acceptedPpa, ANY_DISTRIBUTION, INVALID_PPA, readPpa } from '../../domain/packages/ppa.ts';
import { inPpa, latestOfTicket, ofFailureClass } from '../../models/builds/build-conditions.ts';
import type { Row } from '../../models/sql/query.ts';
import { NOT_STORED, STORABLE } from '../rest/field-values.ts';
import { optionalReference, reference, readOnly } from '../rest/fields.ts';
import {
  architectureBuildSchema,
  builtPackageSchema,
  buildPhaseSchema,
  buildStateSchema,
  failureSchema,
  sequencedPackageSchema,
  lastErrorSchema,
  uploadSchema,
  waitingSchema,
} from './progress-schemas.ts';
import { readOnlyResource } from '../rest/declare-resource.ts';
import { landing } from './landing.ts';
import { subticket } from './subticket.ts';
import { ATTEMPT_FIELDS, CANCELLATION_FIELDS } from './attempt-fields.ts';
import { ticket } from './ticket.ts';

const text = (description: string) => z.string().meta({ description });

const CLASS_NAMES = Object.keys(FAILURE_CLASSES);
const CLASSES = new RegExp(`^(?:${CLASS_NAMES.join('|')})(?:,(?:${CLASS_NAMES.join('|')}))*$`);

const mergedCommitsSchema = z
  .object({
    source: text('That of the branch with the proposed changes.'),
    target: text('That of the branch that they were merged into.'),
    packaging: z.string().nullable().meta({
      description: 'That of the packaging branch; null where there is none.',
    }),
    upstream: z.string().nullable().meta({
      description: 'That of the upstream tag; null where the source has no upstream tarball.',
    }),
  })
  .meta({ title: 'merged_commits' });

const mergeSchema = z
  .object({
    merge_proposal: text('The merge proposal.'),
    source_repository: text('The git repository with the proposed changes.'),
    source_branch: text('The branch with the proposed changes.'),
    target_repository: text('The git repository that they are merged into.'),
    target_branch: text('The branch that they are merged into.'),
    packaging_branch: text('The branch with debian/, where it is one of its own; else empty.'),
    commits: mergedCommitsSchema
      .exactOptional()
      .meta({ description: 'The commits that its source was made of, once it is made.' }),
  })
  .meta({ title: 'merge' });

/** A build request as it was made, and its state. Only POST /api/v1/build_source makes one. */
export const build = readOnlyResource({
  name: 'build',
  summary: 'A build request and its state.',
  model: 'Build',
  fields: {
    ticket: reference(ticket, 'ticketId', {
      writable: 'never',
      help: 'The ticket that it builds.',
    }),
    ticket_id: readOnly({ kind: 'integer', schema: z.int(), help: 'The id of the ticket.' }),
    source_packages: readOnly({
      kind: 'json',
      schema: z.array(z.string()),
      help: 'URLs of the source files.',
    }),
    packages: readOnly({
      kind: 'json',
      attribute: 'packageNames',
      schema: z.array(z.string()),
      help: 'The names of its source packages.',
    }),
    series: readOnly({ help: 'The series that it is built for.' }),
    ppa: readOnly({ help: 'The PPA, as the caller wrote it.' }),
    archive: readOnly({ help: "The distribution's archive that the PPA builds against." }),
    progress_trigger: readOnly({
      schema: z.string().nullable(),
      help: "The caller's progress queue; null where the request names none.",
    }),
    webhook_id: readOnly({
      kind: 'integer',
      schema: z.int().nullable(),
      help: 'The webhook that the request names.',
    }),
    cancel_url: readOnly({ schema: z.string().nullable(), help: "The caller's cancel URL." }),
    subticket: optionalReference(subticket, 'subticketId', {
      writable: 'never',
      help: 'The subticket whose merge proposal it builds; null where the request names its sources.',
    }),
    landing: optionalReference(landing, 'landingId', {
      writable: 'never',
      help: 'The landing that it is a build of, whoever has retried it since; null where no landing requested it.',
    }),
    merge: readOnly({
      kind: 'json',
      schema: mergeSchema.nullable(),
      help: 'What its source is made of: the merge proposal as it was when the build was requested.',
    }),
    order: readOnly({
      schema: z.enum(BUILD_ORDERS).nullable(),
      help: 'In which order its packages are built; null: all at once.',
    }),
    sequence: readOnly({
      kind: 'json',
      schema: z.array(sequencedPackageSchema),
      help: 'Its packages in that order, and where each of them is; empty before its sources are checked.',
    }),
    state: readOnly({ schema: buildStateSchema, help: 'Where it stands, in coarse words.' }),
    phase: readOnly({ schema: buildPhaseSchema, help: 'What it is doing, or waits for.' }),
    phase_since: readOnly({
      kind: 'datetime',
      schema: z.iso.datetime(),
      help: 'When it came into the phase.',
    }),
    waiting: readOnly({
      kind: 'json',
      schema: waitingSchema.nullable(),
      help: 'What it waits for; null while it works.',
    }),
    upload: readOnly({
      kind: 'json',
      schema: uploadSchema.nullable(),
      help: 'How far the upload is; null where none is under way.',
    }),
    builds: readOnly({
      kind: 'json',
      attribute: 'architectureBuilds',
      schema: z.array(architectureBuildSchema),
      help: 'What the PPA builds: one entry for each package and architecture.',
    }),
    logs: readOnly({ kind: 'json', schema: z.array(z.string()), help: 'URLs of the build logs.' }),
    failure: readOnly({ kind: 'json', schema: failureSchema.nullable(), help: 'Why it failed.' }),
    built_packages: readOnly({
      kind: 'json',
      schema: z.array(builtPackageSchema),
      help: 'The binary packages that it has made, once it has ended; those of the architectures that were built, where others failed. Empty where the PPA did not show them yet.',
    }),
    apt: readOnly({
      schema: z.string().nullable(),
      help: "The line for apt's sources.list, once something is built and the build has ended; null where it is not known.",
    }),
    ...ATTEMPT_FIELDS,
    requested_by: readOnly({
      schema: z.string().nullable(),
      help: 'Who requested the attempt.',
    }),
    retry_architectures: readOnly({
      kind: 'json',
      schema: z.array(z.string()).nullable(),
      help: 'The architectures that the attempt builds again; null where it builds all that failed.',
    }),
    trouble: readOnly({
      kind: 'json',
      attribute: 'lastError',
      schema: lastErrorSchema.nullable(),
      help: 'The step that fails now and is tried again.',
    }),
    request_id: readOnly({ schema: z.string().nullable(), help: 'The request that was accepted.' }),
    ...CANCELLATION_FIELDS,
  },
  filters: [
    'ticket',
    'ticket_id',
    'subticket',
    'series',
    'ppa',
    'archive',
    'progress_trigger',
    'state',
    'phase',
    'requested_at',
    'dispatched_at',
    'finished_at',
  ],
  orders: ['ticket', 'series', 'ppa', 'state', 'requested_at', 'finished_at'],
  parameters: {
    package: {
      schema: z.string().max(255, 'Enter at most 255 characters.').regex(STORABLE, NOT_STORED),
      help: 'The name of one of its source packages.',
      conditions: (value) => [{ attribute: 'packageNames', lookup: 'has', value }],
    },
    in_ppa: {
      schema: z
        .string()
        .max(300, 'The PPA is too long.')
        .refine((text) => readPpa(text) !== undefined, INVALID_PPA),
      help: 'The PPA, in any of its forms, however the requests wrote it; of any distribution where it names none.',
      conditions: (ppa) => [inPpa(acceptedPpa({ ppa, archive: ANY_DISTRIBUTION }))],
    },
    failure_class: {
      schema: z.string().regex(CLASSES, `Enter classes of ${CLASS_NAMES.join(', ')}.`),
      help: 'The class of the failure of its latest attempt, or several with commas between them.',
      conditions: (value) => [ofFailureClass(value.split(','))],
    },
    latest_of: {
      schema: z.string().regex(/^ticket$/, 'Enter ticket.'),
      help: 'ticket: only the latest build of each ticket.',
      conditions: () => [latestOfTicket],
    },
  },
  derived: {
    events: {
      schema: z.string(),
      help: 'Where its events are.',
      of: ({ id }) => `/api/v1/build/${String(id)}/events/`,
    },
    attempts: {
      schema: z.string(),
      help: 'The address of its attempts.',
      of: ({ id }) => `/api/v1/build/${String(id)}/attempts/`,
    },
    workflow_id: {
      schema: z.string(),
      help: 'The id of its workflow in Temporal.',
      of: (row) => workflowIdOf(row),
    },
    workflow_url: {
      schema: z.string().nullable(),
      help: "The page of its workflow in Temporal's UI.",
      of: (row, { workflowUrl }) => workflowUrl(workflowIdOf(row)),
    },
  },
});

/** The id of the workflow of a build's attempt, by default of its latest. */
export function workflowIdOf(
  { id, ticketId, sourcePackages, merge, attempt: latest }: Row,
  attempt = latest as number,
): string {
  return buildWorkflowId({
    buildId: id as number,
    ticketId: ticketId as number,
    sourcePackages: sourcePackages as string[],
    merge,
    attempt,
  });
}
