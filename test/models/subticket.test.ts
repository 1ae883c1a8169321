import { SourcePackage } from '../../models/source-package.ts';
import { SourcePackageUpload } from '../../models/source-package-upload.ts';
import { selectRow } from '../../models/select-rows.ts';
import { Subticket } from '../../models/subticket.ts';
import { Ticket, type TicketRow } from '../../models/ticket.ts';
import { Build } from '../../models/build.ts';
import { newTicket, WORK } from './new-build.ts';
import { useDatabase } from './use-database.ts';

useDatabase();

const newUpload = async () => {
  const name = `package-${process.hrtime.bigint()}`;
  const { id } = await SourcePackage.add({ name }, WORK);
  return SourcePackageUpload.add({ sourcePackageId: id, version: '1' }, WORK);
};
const open = async (ticket: TicketRow) =>
  Subticket.add(
    { ticketId: ticket.id, sourcePackageUploadId: (await newUpload()).id, assignee: '' },
    WORK,
  );

describe('subtickets that move at once', () => {
  it('leave their ticket at the least step of all, with no deadlock', async () => {
    const ticket = await newTicket();
    const subtickets = [];
    for (let index = 0; index < 30; index++) subtickets.push(await open(ticket));
    const steps = [200, 300, 400] as const;
    await Promise.all(
      subtickets.flatMap(({ id }, index) => {
        const step = steps[index % 3] ?? 200;
        return [
          Subticket.revise(id, { currentWorkflowStep: step, status: step }, WORK),
          Subticket.revise(id, { assignee: 'somebody@example.org' }, WORK),
        ];
      }),
    );
    expect(await selectRow(Ticket, ticket.id)).toMatchObject({
      currentWorkflowStep: 200,
      status: 200,
    });
  });

  it('fail their ticket when one fails, whatever the others do meanwhile', async () => {
    const ticket = await newTicket();
    const subtickets = [];
    for (let index = 0; index < 10; index++) subtickets.push(await open(ticket));
    await Promise.all(
      subtickets.map(({ id }, index) =>
        Subticket.revise(id, { currentWorkflowStep: index === 4 ? 999 : 500, status: 500 }, WORK),
      ),
    );
    expect(await selectRow(Ticket, ticket.id)).toMatchObject({
      currentWorkflowStep: 999,
      status: 999,
    });
  });
});

describe('a subticket opened while a build is requested', () => {
  it('comes before the request or is refused: the build sees every subticket that will ever be', async () => {
    for (let round = 0; round < 10; round++) {
      const ticket = await newTicket();
      const upload = await newUpload();
      const opening = { ticketId: ticket.id, sourcePackageUploadId: upload.id, assignee: '' };
      const requested = Build.accept({
        ticketId: ticket.id,
        sourcePackages: [],
        series: 's',
        ppa: 'a/b',
        archive: 'ubuntu',
        progressTrigger: 'q',
        cancelUrl: null,
        requestId: 'r',
      });
      const [opened, build] = await Promise.allSettled([Subticket.add(opening, WORK), requested]);
      expect(build.status).toBe('fulfilled');
      if (opened.status === 'rejected')
        expect(opened.reason).toMatchObject({ name: 'AirlineError', code: 'conflict' });
      await expect(Subticket.add(opening, WORK)).rejects.toMatchObject({ code: 'conflict' });
    }
  });
});
