import { email, reference, workflowStep } from '../fields.ts';
import { resource } from '../resource.ts';
import { sourcePackageUpload } from './source-package-upload.ts';
import { ticket } from './ticket.ts';

export const subticket = resource({
  name: 'subticket',
  model: (database) => database.Subticket,
  fields: {
    source_package_upload: reference(sourcePackageUpload, 'sourcePackageUploadId', 'on creation'),
    ticket: reference(ticket, 'ticketId', 'on creation'),
    assignee: email({ otherwise: '' }),
    current_workflow_step: workflowStep(),
    status: workflowStep(),
  },
  filters: ['source_package_upload', 'ticket', 'assignee', 'current_workflow_step', 'status'],
  orders: ['assignee', 'current_workflow_step', 'status'],
  create: (database, values) => database.Subticket.open(values),
  change: (database, id, values) => database.Subticket.revise(id, values),
});
