import { OPEN } from '../../models/ticket.ts';
import { email, text, workflowStep } from '../fields.ts';
import { resource } from '../resource.ts';

export const ticket = resource({
  name: 'ticket',
  summary:
    'A bug fix or feature on its way through the engine. Lists give open tickets unless they ask for others.',
  model: (database) => database.Ticket,
  fields: {
    owner: email({ help: 'E-mail address of who submitted it.' }),
    title: text({ help: 'What it is, in a line.' }),
    description: text({ otherwise: '', help: 'The objective.' }),
    bug_id: text({ otherwise: '', help: 'The bug that it fixes.' }),
    current_workflow_step: workflowStep({
      help: 'A value of the step table; a new ticket is at 100, Queued.',
    }),
    status: workflowStep({ help: 'A value of the step table.' }),
  },
  filters: ['owner', 'title', 'bug_id', 'current_workflow_step', 'status'],
  orders: ['owner', 'title', 'bug_id', 'current_workflow_step', 'status'],
  listsOnly: { conditions: [OPEN], liftedBy: ['current_workflow_step'] },
  writeScope: 'ticket:write',
  takesReason: true,
});
