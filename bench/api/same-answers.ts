import { deepStrictEqual } from 'node:assert';
import { CONNECTIONS, OPERATIONS, type LoadRequest, type Operation } from './operations.ts';
import type { TicketIds } from './seed.ts';

const DEADLINE_MS = 10_000;
const WRITTEN = ['patch', 'post'];

/**
 * Checks that all servers give the same bytes to the first requests of every operation. Where something is written,
 * times may differ, and a new ticket's id. Reads come first: servers with tables of their own write at other times.
 *
 * @throws AssertionError that shows where they differ
 */
export async function assertSameAnswers(
  [first, ...others]: readonly { name: string; url: string }[],
  ids: TicketIds,
): Promise<void> {
  if (!first) return;
  for (const operation of OPERATIONS)
    for (const request of operation.requests(ids, 0, CONNECTIONS).slice(0, 5)) {
      const expected = await ask(first.url, request, operation);
      for (const other of others) {
        const given = await ask(other.url, request, operation);
        deepStrictEqual({ [other.name]: given }, { [other.name]: expected });
      }
    }
}

/** An answer's status, media type and body, without what differs between two servers that write. */
export function comparable(answer: string, operation: Pick<Operation, 'name'>): string {
  if (!WRITTEN.includes(operation.name)) return answer;
  const timeless = answer.replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"<moment>"');
  return operation.name === 'post'
    ? timeless.replace(/"id":\d+/, '"id":<id>').replace(/\/\d+\/"/, '/<id>/"')
    : timeless;
}

async function ask(url: string, request: LoadRequest, operation: Operation): Promise<string> {
  const { method, path, headers, body } = request;
  const response = await fetch(url + path, {
    method,
    headers: headers ?? {},
    body: body ?? null,
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  const text = await response.text();
  return comparable(
    `${response.status} ${response.headers.get('content-type')}\n${text}`,
    operation,
  );
}
