import { assertBranchIsFree } from '../../../models/tickets/branch-lock.ts';
import { waitsForLock } from '../../support/lock-waits.ts';
import { addBuild, addTicket, TESTS } from '../../support/rows.ts';
import { until } from '../../support/until.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

it('a branch that is being built is busy, though its name changes while somebody asks', async () => {
  const { sequelize, Person, Branch, MergeProposal, Subticket } = database.now;
  const owner = await Person.createOne({ name: 'Ada', email: 'ada@example.org' }, TESTS);
  const branch = await Branch.createOne(
    { uniqueName: 'fix', ownerId: owner.id, type: 'regular', projectId: null },
    TESTS,
  );
  const proposal = await MergeProposal.createOne(
    { branchId: branch.id, submitterId: owner.id, status: 'approved' },
    TESTS,
  );
  const { id: ticketId } = await addTicket(database.now);
  const { id: subticketId } = await Subticket.createOne(
    { ticketId, sourcePackageUploadId: null, mergeProposalId: proposal.id, assignee: '' },
    TESTS,
  );
  await addBuild(database.now, { ticketId, subticketId, sourcePackages: [] });

  const renaming = await sequelize.transaction();
  await Branch.update(
    { uniqueName: 'renamed' },
    { where: { id: branch.id }, transaction: renaming },
  );
  const asked = sequelize.transaction((transaction) =>
    assertBranchIsFree(sequelize, subticketId, transaction),
  );
  const answer = expect(asked).rejects.toMatchObject({
    code: 'branch_busy',
    message: expect.stringContaining('Branch renamed is being built'),
  });
  await until('it waits for the branch', () => waitsForLock(sequelize));
  await renaming.commit();
  await answer;
});
