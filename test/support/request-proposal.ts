import { randomUUID } from 'node:crypto';
import type { Airline } from './airline.ts';

/** Submits a ticket for a merge proposal of a branch into `main`, and requests its build. */
export async function requestProposalBuild(
  { rest }: Airline,
  { url, branch }: { url: string; branch: string },
) {
  const person = { name: 'Ada', email: 'ada@example.org' };
  const ticket = await rest.post<{ id: number; subtickets: { id: number }[] }>(
    '/api/v1/ticket/bundle/',
    {
      owner: 'ada@example.org',
      title: `Land ${branch}`,
      subtickets: [
        {
          merge_proposal: {
            branch: { unique_name: branch, owner: person, type: 'regular' },
            submitter: person,
            status: 'approved',
            source_repository: url,
            source_branch: branch,
            target_repository: url,
            target_branch: 'main',
          },
        },
      ],
    },
  );
  const build = await rest.post<Awaited<ReturnType<Airline['requestBuild']>>>(
    `/api/v1/subticket/${ticket.subtickets[0]?.id}/build_proposal/`,
    {
      series: 'bookworm',
      ppa: 'ppa:airline/test',
      archive: 'debian',
      progress_trigger: `test-${randomUUID()}`,
    },
  );
  return { ticketId: ticket.id, build };
}
