import { buildWorkflowId } from '../../domain/build-source.ts';
import { integer, reference, shown } from '../fields.ts';
import { resource } from '../resource.ts';
import { ticket } from './ticket.ts';

/**
 * A build request, as it was made, and where it stands. It is made by POST /api/v1/build_source only.
 *
 * @param workflowUrl the page of a workflow in Temporal's UI, where there is one
 */
export const buildResource = (workflowUrl: (workflowId: string) => string | null) =>
  resource({
    name: 'build',
    model: (database) => database.Build,
    fields: {
      ticket: { ...reference(ticket, 'ticketId'), writable: 'never' },
      ticket_id: shown({ filterValue: integer }),
      source_packages: shown(),
      series: shown(),
      ppa: shown(),
      archive: shown(),
      progress_trigger: shown(),
      cancel_url: shown(),
      state: shown(),
      builds: shown({ attribute: 'architectureBuilds' }),
      logs: shown(),
      failure: shown(),
      request_id: shown(),
      dispatched_at: shown(),
      cancel_requested_at: shown(),
      cancel_requested_by: shown(),
      finished_at: shown(),
    },
    filters: ['ticket', 'ticket_id', 'series', 'ppa', 'archive', 'progress_trigger', 'state'],
    orders: ['ticket', 'series', 'ppa', 'state'],
    derive: ({ id, ticketId, sourcePackages }) => {
      const workflowId = buildWorkflowId({
        buildId: id as number,
        ticketId: ticketId as number,
        sourcePackages: sourcePackages as string[],
      });
      return {
        events: `/api/v1/build/${String(id)}/events/`,
        workflow_id: workflowId,
        workflow_url: workflowUrl(workflowId),
      };
    },
  });
