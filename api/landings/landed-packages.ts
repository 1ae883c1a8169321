import { Op, type Transaction } from 'sequelize';
import { AirlineError } from '../../domain/errors.ts';
import type { LandingPackage } from '../../domain/landing.ts';
import { areFilesOf, namedSources, type PackageVersion } from '../../domain/source-file.ts';
import { COMPLETE } from '../../domain/ticket.ts';
import type { Database } from '../../models/database.ts';
import { assertCarriable } from '../builds/assert-carriable.ts';

/**
 * What is landed of a ticket: the source packages of its current subtickets that are not Complete, with the files that
 * their SPU artifacts name. Of a merge proposal that was built more than once, these are the files of the build that made
 * the source that its subticket stands for: the artifacts are those of all.
 *
 * @throws AirlineError `not_landable`, which names the subticket; `build_too_large`
 */
export async function landedPackages(
  database: Database,
  ticketId: number,
  transaction: Transaction,
): Promise<LandingPackage[]> {
  const { Subticket, SourcePackageUpload, SourcePackage } = database;
  const current = await Subticket.findAll({
    where: { ticketId, replacedById: null },
    order: ['id'],
    transaction,
  });
  const subtickets = current.filter((one) => one.currentWorkflowStep !== COMPLETE);
  if (subtickets.length === 0)
    throw new AirlineError('not_landable', `Ticket ${ticketId} has no subticket to land.`);
  const packages: LandingPackage[] = [];
  for (const { id: subticketId, sourcePackageUploadId } of subtickets) {
    const upload = await SourcePackageUpload.findByPk(sourcePackageUploadId ?? 0, { transaction });
    const sourcePackage =
      upload && (await SourcePackage.findByPk(upload.sourcePackageId, { transaction }));
    if (!upload || !sourcePackage)
      throw new AirlineError(
        'not_landable',
        `Subticket ${subticketId} has no source package yet: build its merge proposal first.`,
      );
    const { name: source } = sourcePackage;
    const { version } = upload;
    const files =
      (await madeOf(database, subticketId, { source, version }, transaction)) ??
      (await artifactsOf(database, subticketId, transaction));
    if (!namedSources(files).some((named) => named.source === source))
      throw new AirlineError(
        'not_landable',
        `Subticket ${subticketId} names no .changes of ${source} among its SPU artifacts.`,
      );
    if (packages.some((one) => one.source === source))
      throw new AirlineError('not_landable', `Two subtickets stand for ${source}.`);
    packages.push({ subticketId, source, version, files });
  }
  assertCarriable(packages.flatMap(({ files }) => files));
  return packages;
}

/**
 * The files of the source that a subticket stands for, of the build of its merge proposal that made it: that need not be
 * the latest, for an older one may have been retried. Undefined where none has.
 */
async function madeOf(
  { Build }: Pick<Database, 'Build'>,
  subticketId: number,
  wanted: PackageVersion,
  transaction: Transaction,
): Promise<string[] | undefined> {
  const builds = await Build.findAll({
    where: { subticketId },
    order: [['id', 'DESC']],
    transaction,
  });
  return builds.find(({ sourcePackages }) => areFilesOf(sourcePackages, wanted))?.sourcePackages;
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
 * Asserts that what a landing lands still stands for its ticket: that no subticket was added in the place of one of its own.
 *
 * @throws AirlineError `not_landable`
 */
export async function assertNoneReplaced(
  { Subticket }: Pick<Database, 'Subticket'>,
  packages: readonly LandingPackage[],
  transaction: Transaction,
): Promise<void> {
  const id = packages.map(({ subticketId }) => subticketId);
  const where = { id, replacedById: { [Op.not]: null } };
  const replaced = await Subticket.findOne({ where, order: ['id'], transaction });
  if (replaced)
    throw new AirlineError(
      'not_landable',
      `Subticket ${replaced.id} was replaced by subticket ${replaced.replacedById}: land the ticket anew.`,
    );
}
