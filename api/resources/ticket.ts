import { OPEN_STEPS } from '../../domain/ticket.ts';
import { email, text, workflowStep } from '../fields.ts';
import { resource } from '../resource.ts';

export const ticket = resource({
  name: 'ticket',
  model: (database) => database.Ticket,
  fields: {
    owner: email(),
    title: text(),
    description: text({ otherwise: '' }),
    bug_id: text({ otherwise: '' }),
    current_workflow_step: workflowStep(),
    status: workflowStep(),
  },
  filters: ['owner', 'title', 'bug_id', 'current_workflow_step', 'status'],
  orders: ['owner', 'title', 'current_workflow_step', 'status'],
  listsOnly: { currentWorkflowStep: OPEN_STEPS },
  create: (database, values) => database.Ticket.submit(values),
  change: (database, id, values) => database.Ticket.revise(id, values),
});
