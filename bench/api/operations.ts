import type { TicketIds } from './seed.ts';

export const CONNECTIONS = 20;

/** A request as autocannon takes it. */
export type LoadRequest = {
  method: 'GET' | 'PATCH' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
};

export type OperationName = 'list' | 'detail' | 'patch' | 'post';

/** One of the four things that are measured. */
export type Operation = {
  name: OperationName;
  title: string;
  /** Least throughput, as a share of the peer's. */
  floor: number;
  status: number;
  /** What one of several connections sends, over and over. No two connections change the same ticket. */
  requests: (ids: TicketIds, connection: number, connections: number) => LoadRequest[];
};

const JSON_HEADERS = { 'content-type': 'application/json' };
const STEPS = [200, 300];
const DISTINCT_POSTS = 50;

export const OPERATIONS: readonly Operation[] = [
  {
    name: 'list',
    title: 'list of 20 with count',
    floor: 0.75,
    status: 200,
    requests: () => [{ method: 'GET', path: '/api/v1/ticket/?limit=20' }],
  },
  {
    name: 'detail',
    title: 'detail',
    floor: 0.5,
    status: 200,
    requests: (ids, connection, connections) =>
      shareOf(ids.all, connection, connections).map((id) => ({
        method: 'GET',
        path: `/api/v1/ticket/${id}/`,
      })),
  },
  {
    name: 'patch',
    title: 'PATCH of step and status, with history',
    floor: 0.38,
    status: 202,
    // Each ticket goes to one step and at once to the other, so that each request is a change, in every round.
    requests: (ids, connection, connections) =>
      shareOf(ids.open, connection, connections).flatMap((id) =>
        STEPS.map((step) => ({
          method: 'PATCH',
          path: `/api/v1/updateticketstatus/${id}/`,
          headers: JSON_HEADERS,
          body: JSON.stringify({ current_workflow_step: step, status: step }),
        })),
      ),
  },
  {
    name: 'post',
    title: 'POST',
    floor: 0.32,
    status: 201,
    requests: (_ids, connection) =>
      Array.from({ length: DISTINCT_POSTS }, (_, at) => ({
        method: 'POST',
        path: '/api/v1/ticket/',
        headers: JSON_HEADERS,
        body: JSON.stringify({
          owner: `developer${connection}@example.com`,
          title: `Landing ${at}: fix the crash of package-${at} on start-up`,
          description:
            'The service stops when its configuration names a directory that is gone. It should say so and go on with the default.',
          bug_id: String(1_000_000 + at),
        }),
      })),
  },
];

function shareOf(ids: readonly number[], connection: number, connections: number): number[] {
  return ids.filter((_, at) => at % connections === connection);
}
