import { z } from 'zod';
import { email, optionalReference, reference, status, workflowStep } from '../rest/fields.ts';
import { resource } from '../rest/declare-resource.ts';
import { FAILURE_FIELDS } from './failure-fields.ts';
import { mergeProposal } from './merge-proposal.ts';
import { sourcePackageUpload } from './source-package-upload.ts';
import { ticket } from './ticket.ts';

export const subticket = resource({
  name: 'subticket',
  summary: 'One source package upload, or one merge proposal, of a ticket.',
  views: ['updatesubticketstatus'],
  model: 'Subticket',
  fields: {
    source_package_upload: optionalReference(sourcePackageUpload, 'sourcePackageUploadId', {
      writable: 'on creation',
      help: 'The upload that it is about; it never changes. A new subticket has either this or `merge_proposal`. Null for a merge proposal whose source is not made, or cannot be made any more.',
    }),
    merge_proposal: optionalReference(mergeProposal, 'mergeProposalId', {
      writable: 'on creation',
      help: 'The merge proposal that it is about; it never changes. A new subticket has either this or `source_package_upload`. Null for an upload.',
    }),
    ticket: reference(ticket, 'ticketId', {
      writable: 'on creation',
      help: 'The ticket that it belongs to; it never changes.',
    }),
    assignee: email({ default: '', help: 'E-mail address of the person who works on it.' }),
    current_workflow_step: workflowStep({
      help: 'A value of the step table; a new subticket is at 100, Queued.',
    }),
    status: status({ help: 'A new subticket is at 100.' }),
    ...FAILURE_FIELDS,
  },
  filters: [
    'source_package_upload',
    'merge_proposal',
    'ticket',
    'assignee',
    'current_workflow_step',
    'status',
    'failed_at_step',
  ],
  orders: ['assignee', 'current_workflow_step', 'status'],
  writeScope: 'ticket:write',
  takesReason: true,
  errors: {
    creation: ['phase_forbids_replacement', 'phase_forbids_proposals', 'ticket_under_way'],
    deletion: ['ticket_under_way'],
  },
  derived: {
    replaced_by: {
      schema: z.string().nullable(),
      help: 'The subticket that was added in its place after it had failed.',
      of: (row) => {
        const replacedById = row['replacedById'] as number | null;
        return replacedById === null ? null : `/api/v1/subticket/${replacedById}/`;
      },
    },
  },
});
