import type { Transaction } from 'sequelize';
import { AirlineError } from '../../domain/errors.ts';
import type { LandingPackage } from '../../domain/landings/landing.ts';
import {
  areFilesOf,
  shownPackage,
  type PackageVersion,
} from '../../domain/packages/source-file.ts';
import { COMPLETE } from '../../domain/tickets/ticket.ts';
import type { Database } from '../../models/database.ts';
import type { Subticket } from '../../models/tickets/subticket.ts';
import { assertCarriable } from '../requests/assert-carriable.ts';

/**
 * What is landed of a ticket: the source packages of its current subtickets that are not Complete, with the files that
 * their SPU artifacts name. Of a merge proposal that was built more than once, these are the files of the build that
 * made the source that its subticket stands for: the artifacts are those of all.
 *
 * @throws AirlineError `not_landable`, which names the subticket; `build_too_large`
 */
export async function landedPackages(
  database: Database,
  ticketId: number,
  transaction: Transaction,
): Promise<LandingPackage[]> {
  const { Subticket } = database;
  const current = await Subticket.findAll({
    where: { ticketId, replacedById: null },
    order: ['id'],
    transaction,
  });
  const subtickets = current.filter((one) => one.currentWorkflowStep !== COMPLETE);
  if (subtickets.length === 0)
    throw new AirlineError('not_landable', `Ticket ${ticketId} has no subticket to land.`);
  await assertNoneIsBuilt(database, subtickets, transaction);
  await assertNoneIsRejected(database, subtickets, transaction);
  const packages: LandingPackage[] = [];
  for (const subticket of subtickets) {
    const { id: subticketId } = subticket;
    const subject = await subjectOf(database, subticket, transaction);
    if (!subject)
      throw new AirlineError(
        'not_landable',
        `Subticket ${subticketId} has no source package yet: build its merge proposal first.`,
      );
    const { source, version } = subject;
    const files =
      (await madeOf(database, subticketId, subject, transaction)) ??
      (await artifactsOf(database, subticketId, transaction));
    if (!areFilesOf(subject, files))
      throw new AirlineError(
        'not_landable',
        `Subticket ${subticketId} names no .changes of ${shownPackage(subject)} among its SPU artifacts.`,
      );
    const other = packages.find((one) => one.source === source);
    if (other)
      throw new AirlineError(
        'not_landable',
        `Subtickets ${other.subticketId} and ${subticketId} both stand for ${source}: delete the one that is not to be landed, or set it to 1000 (Complete).`,
      );
    packages.push({ subticketId, source, version, files });
  }
  assertCarriable(packages.flatMap(({ files }) => files));
  return packages;
}

/** The source package that a subticket stands for; null where that of its merge proposal is not made yet. */
async function subjectOf(
  { SourcePackageUpload, SourcePackage }: Database,
  { sourcePackageUploadId }: Subticket,
  transaction: Transaction,
): Promise<PackageVersion | null> {
  const upload = await SourcePackageUpload.findByPk(sourcePackageUploadId ?? 0, { transaction });
  const sourcePackage =
    upload && (await SourcePackage.findByPk(upload.sourcePackageId, { transaction }));
  return upload && sourcePackage && { source: sourcePackage.name, version: upload.version };
}

/**
 * The files of the source that a subticket stands for, of the build of its merge proposal that made it: that need not
 * be the latest, for an older one may have been retried. Undefined where none has.
 */
async function madeOf(
  { Build }: Pick<Database, 'Build'>,
  subticketId: number,
  wanted: PackageVersion,
  transaction: Transaction,
): Promise<string[] | undefined> {
  const builds = await Build.findAll({
    where: { subticketId },
    order: ['id'],
    transaction,
  });
  return builds.findLast(({ sourcePackages }) => areFilesOf(wanted, sourcePackages))
    ?.sourcePackages;
}

async function artifactsOf(
  { SubticketArtifact }: Database,
  subticketId: number,
  transaction: Transaction,
): Promise<string[]> {
  const artifacts = await SubticketArtifact.findAll({
    where: { subticketId, type: 'SPU' },
    order: ['id'],
    transaction,
  });
  return [...new Set(artifacts.map(({ reference }) => reference))];
}

/**
 * Asserts that what a landing lands still stands for its ticket: that none of its subtickets was deleted or replaced,
 * that no merge proposal of one failed to merge or was built into another source since, and that none was rejected of
 * what is not Complete.
 *
 * @throws AirlineError `not_landable`
 */
export async function assertStillStand(
  database: Database,
  packages: readonly LandingPackage[],
  transaction: Transaction,
): Promise<void> {
  const id = packages.map(({ subticketId }) => subticketId);
  const rows = await database.Subticket.findAll({ where: { id }, order: ['id'], transaction });
  await assertNoneIsBuilt(database, rows, transaction);
  // What is Complete is out, whatever was decided of it since.
  const open = rows.filter((one) => one.currentWorkflowStep !== COMPLETE);
  await assertNoneIsRejected(database, open, transaction);
  for (const landed of packages) {
    const { subticketId } = landed;
    const subticket = rows.find(({ id }) => id === subticketId);
    if (!subticket) throw anew(subticketId, 'was deleted');
    if (subticket.replacedById !== null)
      throw anew(subticketId, `was replaced by subticket ${subticket.replacedById}`);
    const subject = await subjectOf(database, subticket, transaction);
    if (!subject) throw anew(subticketId, 'has no source package any more');
    if (subject.source !== landed.source || subject.version !== landed.version)
      throw anew(subticketId, `is of ${shownPackage(subject)} now, not of ${shownPackage(landed)}`);
    // Other commits may be of the same version.
    const made = await madeOf(database, subticketId, subject, transaction);
    if (made?.some((file) => !landed.files.includes(file)))
      throw anew(subticketId, 'was built again');
  }
}

/** @throws AirlineError `not_landable` where the merge proposal of one is being built, which may make another source */
async function assertNoneIsBuilt(
  { Build }: Pick<Database, 'Build'>,
  subtickets: readonly Subticket[],
  transaction: Transaction,
): Promise<void> {
  const subticketId = subtickets.map(({ id }) => id);
  const build = await Build.findOne({ where: { subticketId, finishedAt: null }, transaction });
  if (build)
    throw new AirlineError(
      'not_landable',
      `Build ${build.id} of the merge proposal of subticket ${build.subticketId} is under way: land when it has ended.`,
    );
}

/** @throws AirlineError `not_landable` where somebody decided against the merge proposal of one */
async function assertNoneIsRejected(
  { MergeProposal }: Pick<Database, 'MergeProposal'>,
  subtickets: readonly Subticket[],
  transaction: Transaction,
): Promise<void> {
  const id = subtickets.flatMap(({ mergeProposalId }) => mergeProposalId ?? []);
  const rejected = await MergeProposal.findOne({ where: { id, status: 'rejected' }, transaction });
  if (rejected)
    throw new AirlineError(
      'not_landable',
      `Merge proposal ${rejected.id} of subticket ${subticketOf(rejected.id)} is rejected.`,
    );

  function subticketOf(proposalId: number): number | undefined {
    return subtickets.find(({ mergeProposalId }) => mergeProposalId === proposalId)?.id;
  }
}

function anew(subticketId: number, why: string): AirlineError {
  return new AirlineError('not_landable', `Subticket ${subticketId} ${why}: land the ticket anew.`);
}
