import { addBuild, addSubticket, addTicket, addUpload, TESTS } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

describe('subtickets that move at once', () => {
  it('leave their ticket at the least step of all, with no deadlock', async () => {
    const ticket = await addTicket(database.now);
    const subtickets = [];
    for (let index = 0; index < 30; index++)
      subtickets.push(await addSubticket(database.now, ticket));
    const steps = [200, 300, 400] as const;
    await Promise.all(
      subtickets.flatMap(({ id }, index) => {
        const step = steps[index % 3] ?? 200;
        return [
          database.now.Subticket.updateOne(id, { currentWorkflowStep: step, status: step }, TESTS),
          database.now.Subticket.updateOne(id, { assignee: 'somebody@example.org' }, TESTS),
        ];
      }),
    );
    expect(await database.now.Ticket.findByPk(ticket.id)).toMatchObject({
      currentWorkflowStep: 200,
      status: 200,
    });
  });

  it('fail their ticket when one fails, whatever the others do meanwhile', async () => {
    const ticket = await addTicket(database.now);
    const subtickets = [];
    for (let index = 0; index < 10; index++)
      subtickets.push(await addSubticket(database.now, ticket));
    await Promise.all(
      subtickets.map(({ id }, index) =>
        database.now.Subticket.updateOne(
          id,
          { currentWorkflowStep: index === 4 ? 999 : 500, status: 500 },
          TESTS,
        ),
      ),
    );
    expect(await database.now.Ticket.findByPk(ticket.id)).toMatchObject({
      currentWorkflowStep: 999,
      status: 999,
    });
  });
});

describe('a subticket opened while a build is requested', () => {
  it('comes before the request or is refused: the build sees every subticket that will ever be', async () => {
    for (let round = 0; round < 10; round++) {
      const ticket = await addTicket(database.now);
      const upload = await addUpload(database.now);
      const opening = { ticketId: ticket.id, sourcePackageUploadId: upload.id, assignee: '' };
      const requested = addBuild(database.now, { ticketId: ticket.id });
      const [opened, build] = await Promise.allSettled([
        database.now.Subticket.createOne(opening, TESTS),
        requested,
      ]);
      expect(build.status).toBe('fulfilled');
      if (opened.status === 'rejected')
        expect(opened.reason).toMatchObject({ name: 'AirlineError', code: 'conflict' });
      await expect(database.now.Subticket.createOne(opening, TESTS)).rejects.toMatchObject({
        code: 'conflict',
      });
    }
  });
});

it('that is added reads none of the others, unless one has failed that it may take the place of', async () => {
  const { Subticket } = database.now;
  const ticket = await addTicket(database.now);
  const first = await addSubticket(database.now, ticket);
  for (let more = 0; more < 3; more++) await addSubticket(database.now, ticket);
  const reads = jest.spyOn(Subticket, 'findAll');
  await addSubticket(database.now, ticket);
  const found: unknown[] = await Promise.all(reads.mock.results.map(({ value }) => value));
  reads.mockRestore();
  expect(found.flat().filter(Boolean)).toEqual([]);

  await Subticket.updateOne(first.id, { status: 999 }, TESTS);
  const replacement = await addSubticket(database.now, ticket);
  expect(await first.reload()).toMatchObject({ replacedById: replacement.id });
});
