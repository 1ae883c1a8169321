import { OPERATIONS, type OperationName } from '../../../bench/api/operations.ts';
import { comparable } from '../../../bench/api/same-answers.ts';

const ids = { open: [5, 3, 1, 8, 9, 2, 7], all: [5, 3, 1, 8, 9, 2, 7, 4, 6] };
const requestsOf = (name: OperationName, connection: number) =>
  OPERATIONS.find((operation) => operation.name === name)?.requests(ids, connection, 3) ?? [];

describe('the requests of the load', () => {
  it('move each open ticket there and back, and no ticket from two connections', () => {
    const sent = [0, 1, 2].map((connection) => requestsOf('patch', connection));

    expect(sent[0]?.map(({ path, body }) => [path, body])).toEqual(
      [5, 8, 7].flatMap((id) =>
        [200, 300].map((step) => [
          `/api/v1/updateticketstatus/${id}/`,
          `{"current_workflow_step":${step},"status":${step}}`,
        ]),
      ),
    );
    const tickets = sent.flatMap((requests) => [...new Set(requests.map(({ path }) => path))]);
    expect(tickets).toHaveLength(ids.open.length);
    expect(new Set(tickets).size).toBe(ids.open.length);
  });

  it('read every ticket that is known, each by one connection', () => {
    const paths = [0, 1, 2].flatMap((connection) =>
      requestsOf('detail', connection).map(({ path }) => path),
    );

    expect(paths.toSorted()).toEqual(ids.all.map((id) => `/api/v1/ticket/${id}/`).toSorted());
  });
});

describe('answers that are compared', () => {
  const answer = (id: number, moment: string) =>
    `201 application/json\n{"id":${id},"bug_id":"7","created_at":"${moment}","resource_uri":"/api/v1/ticket/${id}/"}`;

  it('are the same bytes where something is read', () => {
    const read = answer(7, '2026-01-01T00:00:00.000Z');

    expect(comparable(read, { name: 'detail' })).toBe(read);
  });

  it('may differ in moments where something is changed, and in the id where it is new', () => {
    const one = answer(7, '2026-01-01T00:00:00.000Z');
    const later = answer(7, '2026-01-01T00:00:01.500Z');
    const next = answer(8, '2026-01-01T00:00:01.500Z');

    expect(comparable(one, { name: 'patch' })).toBe(comparable(later, { name: 'patch' }));
    expect(comparable(one, { name: 'patch' })).not.toBe(comparable(next, { name: 'patch' }));
    expect(comparable(one, { name: 'post' })).toBe(comparable(next, { name: 'post' }));
    expect(comparable(one, { name: 'post' })).not.toBe(
      comparable(next.replace('"7"', '"8"'), { name: 'post' }),
    );
  });
});
