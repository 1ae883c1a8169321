import { z } from 'zod';
import {
  FAILED_PARTS,
  failedPart,
  MAX_TITLE_LENGTH,
  type WorkflowStep,
} from '../../domain/tickets/ticket.ts';
import { ticketSearch } from '../../models/tickets/ticket-search.ts';
import { OPEN } from '../../models/tickets/ticket.ts';
import { NOT_STORED, STORABLE } from '../rest/field-values.ts';
import { MAX_LONG_TEXT, email, status, text, workflowStep } from '../rest/fields.ts';
import { resource } from '../rest/declare-resource.ts';
import { FAILURE_FIELDS } from './failure-fields.ts';

const MAX_SEARCHED = 1_000;
const MAX_WORDS = 20;

export const ticket = resource({
  name: 'ticket',
  summary: 'A bug fix or feature on its way through the engine.',
  views: ['fullticket', 'opentickets', 'ticketstatus', 'updateticketstatus'],
  model: 'Ticket',
  fields: {
    owner: email({ help: 'E-mail address of the person who submitted it.' }),
    title: text({ maxLength: MAX_TITLE_LENGTH, help: 'What it is, in a line.' }),
    description: text({ maxLength: MAX_LONG_TEXT, default: '', help: 'The objective.' }),
    bug_id: text({ default: '', help: 'The bug that it fixes.' }),
    current_workflow_step: workflowStep({
      help: 'A value of the step table; a new ticket is at 100, Queued.',
    }),
    status: status({ help: 'A new ticket is at 100.' }),
    ...FAILURE_FIELDS,
  },
  derived: {
    failed_part: {
      schema: z.enum(FAILED_PARTS).nullable(),
      help: 'What failed: merge where no source was made of a merge proposal, build at 200 and 300, test at 400, else the subticket whose failure it is.',
      of: ({ failedAtStep, failedSubticketId, failedInMerge }) =>
        failedPart(
          failedAtStep as WorkflowStep | null,
          failedSubticketId as number | null,
          failedInMerge as boolean,
        ),
    },
    failed_subticket: {
      schema: z.string().nullable(),
      help: 'The subticket whose failure it is; null where the ticket failed by itself.',
      of: ({ failedSubticketId: id }) =>
        id === null ? null : `/api/v1/subticket/${id as number}/`,
    },
  },
  filters: ['owner', 'title', 'bug_id', 'current_workflow_step', 'status', 'failed_at_step'],
  orders: ['owner', 'title', 'bug_id', 'current_workflow_step', 'status'],
  defaultFilter: {
    word: 'open',
    help: 'Open is what has neither failed nor is complete.',
    conditions: [OPEN],
    disabledBy: ['id', 'current_workflow_step', 'status', 'failed_at_step'],
  },
  parameters: {
    q: {
      schema: z
        .string()
        .max(MAX_SEARCHED, `Enter at most ${MAX_SEARCHED} characters.`)
        .regex(STORABLE, NOT_STORED)
        .refine((text) => wordsOf(text).length <= MAX_WORDS, `Enter at most ${MAX_WORDS} words.`),
      help: 'Words that are all found, in any case, in title, description, owner, bug_id or the name of a source package of a subticket. A number finds the ticket of that id, too. A list of open tickets finds open ones. Words without three letters or digits in a row are looked for in the 20,000 newest tickets alone.',
      conditions: (text) => ticketSearch(wordsOf(text)),
    },
  },
  writeScope: 'ticket:write',
  takesReason: true,
});

function wordsOf(text: string): string[] {
  return [...new Set(text.split(/\s+/).filter((word) => word !== ''))];
}
