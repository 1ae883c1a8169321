import { z } from 'zod';
import { POCKETS } from '../../domain/packages/archive.ts';
import {
  LANDING_FAILURE_CLASSES,
  type LandingFailureClass,
} from '../../domain/landings/landing-failure.ts';
import {
  LANDING_PHASES,
  stepOfPhase,
  type LandingPhase,
} from '../../domain/landings/landing-phase.ts';
import { TESTS_VERDICTS, TEST_VERDICTS } from '../../domain/testing/test-verdict.ts';
import { DECISIONS, landingWorkflowId, PART_STATES } from '../../domain/landings/landing.ts';
import type { LandingPolicy } from '../../domain/landings/landing-policy.ts';
import { STEP_VALUES } from '../../domain/tickets/ticket.ts';
import type { Row } from '../../models/sql/query.ts';
import { readOnlyResource } from '../rest/declare-resource.ts';
import { moment, readOnly, reference } from '../rest/fields.ts';
import { ATTEMPT_FIELDS, CANCELLATION_FIELDS } from './attempt-fields.ts';
import { estimateSchema } from './landing-estimate.ts';
import { landingPolicySchema, shownPolicy } from './landing-policy.ts';
import { lastErrorSchema } from './progress-schemas.ts';
import { ticket } from './ticket.ts';

const text = (description: string) => z.string().meta({ description });
const phaseSchema = z.enum(LANDING_PHASES).meta({
  description: 'What it is doing, or waits for.',
});

const partsSchema = z.array(
  z
    .object({
      subticket_id: z.int().meta({ description: 'The id of its subticket.' }),
      source: text('The name of the source package.'),
      version: text('Its version.'),
      state: z.enum(PART_STATES).meta({ description: 'How it stands.' }),
      build_id: z.int().nullable().meta({ description: 'The id of its build; null before.' }),
      level: z
        .int()
        .meta({
          description:
            'Which packages are built side by side: 0 first, the next when those are published. There once it is known.',
        })
        .optional(),
      unpublishable: z
        .literal(true)
        .meta({
          description:
            'There, and true, where the target cannot publish it any more: somebody rejected it there, or it was not sent. The landing fails once the others are out, or their time is over.',
        })
        .optional(),
    })
    .meta({ title: 'landing_part' }),
);

const aheadSchema = z.array(
  z
    .object({
      landing_id: z.int().meta({ description: 'The id of a landing that comes first.' }),
      ticket_id: z.int().meta({ description: 'The id of its ticket.' }),
    })
    .meta({ title: 'landing_ahead' }),
);

const landingFailureSchema = z
  .object({
    class: z
      .enum(Object.keys(LANDING_FAILURE_CLASSES) as LandingFailureClass[])
      .meta({ description: 'Why it failed, in one word.' }),
    retryable: z.boolean().meta({ description: 'Whether the same landing can get further.' }),
    message: text('What happened, in one sentence.'),
    hint: text('What to do about it.'),
    phase: phaseSchema,
    package: text('The source package that it is about; of several, the first.').optional(),
    packages: z.array(z.string()).optional().meta({
      description: 'All source packages that it is about, where they are several.',
    }),
    build_id: z.int().optional().meta({ description: 'The id of the build that failed.' }),
  })
  .meta({ title: 'landing_failure' });

const decisionSchema = z
  .object({
    decision: z.enum(DECISIONS).meta({ description: 'approve or reject.' }),
    by: text('Who decided.'),
    comment: text('Why.'),
  })
  .meta({ title: 'landing_decision' });

const count = (description: string) => z.int().meta({ description });

const testsSchema = z
  .object({
    planned: count('Sources that are tested, on each architecture.'),
    finished: count('Those that are judged.'),
    left: count('Those that the policy left out: then a person has to approve.'),
    verdict: z.enum(TESTS_VERDICTS).meta({ description: 'What all tests together say.' }),
    verdicts: z
      .partialRecord(z.enum(TEST_VERDICTS), z.int())
      .meta({ description: 'How many named tests have each verdict.' }),
    renewed: z.literal(true).optional().meta({
      description:
        'There where all is tested on new base images, as those of before may be older than what was built.',
    }),
  })
  .meta({ title: 'landing_tests' });

const TARGET_MOVED =
  'What the target got since the packages were tested, such as hello 2.10-4, while they are tested and approved again.';

export const landingEventSchema = z
  .object({
    seq: z
      .int()
      .meta({ description: 'Its number: from 1, without a gap, but after a restore it jumps.' }),
    landing_id: z.int().meta({ description: 'The id of the landing.' }),
    ticket_id: z.int().meta({ description: 'The id of its ticket.' }),
    attempt: z.int().meta({ description: '1, and one more with each retry.' }),
    phase: phaseSchema,
    step: z.int().meta({ description: 'The step of the ticket in this phase.' }),
    timestamp: z.iso.datetime().meta({ description: 'When it was recorded.' }),
    parts: partsSchema.meta({ description: 'Its source packages.' }),
    ahead: aheadSchema.optional().meta({ description: 'The landings that it waits for.' }),
    waits_for: text('What it waits for, in words.').optional(),
    target_moved: z.array(z.string()).optional().meta({ description: TARGET_MOVED }),
    estimate: estimateSchema
      .optional()
      .meta({ description: 'When it is expected to begin and to be complete; only in line.' }),
    paused_by: text('Who has paused it.').optional(),
    resumed_by: text('Who has resumed it since the event before.').optional(),
    tests: testsSchema.optional().meta({ description: 'How its tests stand.' }),
    decision: decisionSchema.optional().meta({ description: 'What a person has decided.' }),
    exit: z.literal(true).optional().meta({ description: 'There on the last one of an attempt.' }),
    failure: landingFailureSchema.optional().meta({ description: 'Why it failed.' }),
  })
  .meta({ title: 'landing_event' });

/** A ticket on its way into a target. Only POST /api/v1/ticket/<id>/land/ makes one. */
export const landing = readOnlyResource({
  name: 'landing',
  summary: 'A ticket on its way into a target: built, approved, published.',
  model: 'Landing',
  fields: {
    ticket: reference(ticket, 'ticketId', {
      writable: 'never',
      help: 'The ticket that is landed.',
    }),
    ticket_id: readOnly({ kind: 'integer', schema: z.int(), help: 'The id of the ticket.' }),
    ppa: readOnly({
      schema: z.string().nullable(),
      help: 'The PPA that it builds in; null before it has one of the pool.',
    }),
    uses_pool: readOnly({
      kind: 'boolean',
      schema: z.boolean(),
      help: 'Whether it takes a PPA of the pool.',
    }),
    archive: readOnly({ help: 'The distribution of that PPA.' }),
    series: readOnly({ help: 'The series that it is built for.' }),
    target: readOnly({
      help: 'Where it is published to: ~owner/distribution/name of a PPA, or the name of a distribution.',
    }),
    target_series: readOnly({ help: 'The series that it is published in.' }),
    pocket: readOnly({
      schema: z.enum(POCKETS),
      help: 'The pocket that it is published in.',
    }),
    progress_trigger: readOnly({
      schema: z.string().nullable(),
      help: 'The queue that the messages of its builds go to; null where the request names a webhook alone, or where it names none and the default is not allowed.',
    }),
    webhook_id: readOnly({
      kind: 'integer',
      schema: z.int().nullable(),
      help: 'The webhook that the request names: it is told of the events.',
    }),
    phase: readOnly({ schema: phaseSchema, help: 'What it is doing, or waits for.' }),
    phase_since: readOnly({
      kind: 'datetime',
      schema: z.iso.datetime(),
      help: 'When it came into the phase.',
    }),
    parts: readOnly({ kind: 'json', schema: partsSchema, help: 'Its source packages.' }),
    ahead: readOnly({
      kind: 'json',
      schema: aheadSchema,
      help: 'The landings that it waits for: those of the same source packages, or those that hold the PPAs of the pool.',
    }),
    waits_for: readOnly({
      schema: z.string().nullable(),
      help: 'What it waits for besides, in words.',
    }),
    target_moved: readOnly({
      kind: 'json',
      schema: z.array(z.string()).nullable(),
      help: `${TARGET_MOVED} Else null.`,
    }),
    estimate: readOnly({
      kind: 'json',
      schema: estimateSchema.nullable(),
      help: 'When it is expected to begin and to be complete; null where it waits for no other landing.',
    }),
    failure: readOnly({
      kind: 'json',
      schema: landingFailureSchema.nullable(),
      help: 'Why it failed.',
    }),
    trouble: readOnly({
      kind: 'json',
      attribute: 'lastError',
      schema: lastErrorSchema.nullable(),
      help: 'That its workflow fails now, and is tried again.',
    }),
    decision: readOnly({
      kind: 'json',
      schema: decisionSchema.nullable(),
      help: 'What a person has decided.',
    }),
    tests: readOnly({
      kind: 'json',
      schema: testsSchema.nullable(),
      help: 'How the tests of the latest attempt stand; null before they are planned.',
    }),
    paused_at: moment('Since when it is paused.'),
    paused_by: readOnly({
      schema: z.string().nullable(),
      help: 'Who has paused it; null where nobody has, and once it has ended.',
    }),
    ...ATTEMPT_FIELDS,
    requested_by: readOnly({ help: 'Who requested the attempt.' }),
    ...CANCELLATION_FIELDS,
  },
  filters: ['ticket', 'ticket_id', 'target', 'phase', 'finished_at'],
  orders: ['ticket', 'phase', 'requested_at', 'finished_at'],
  derived: {
    policy: {
      kind: 'json',
      schema: landingPolicySchema.nullable(),
      help: 'What it has to fulfil, as it was when the attempt was requested; null for landings from before there were policies.',
      of: ({ policy }) => (policy ? shownPolicy(policy as LandingPolicy) : null),
    },
    step: {
      schema: z.enum(STEP_VALUES),
      help: 'The step of the ticket in this phase.',
      of: ({ phase }) => String(stepOfPhase(phase as LandingPhase)),
    },
    events: {
      schema: z.string(),
      help: 'Where its events are.',
      of: ({ id }) => `/api/v1/landing/${String(id)}/events/`,
    },
    workflow_id: {
      schema: z.string(),
      help: 'The id of its workflow in Temporal.',
      of: workflowIdOf,
    },
    workflow_url: {
      schema: z.string().nullable(),
      help: "The page of its workflow in Temporal's UI.",
      of: (row, { workflowUrl }) => workflowUrl(workflowIdOf(row)),
    },
  },
});

function workflowIdOf({ id, ticketId, attempt }: Row): string {
  return landingWorkflowId({
    id: id as number,
    ticketId: ticketId as number,
    attempt: attempt as number,
  });
}
