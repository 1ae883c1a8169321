import type { MergedCommits } from '../../domain/builds/build-request.ts';
import { AirlineError, type ErrorCode } from '../../domain/errors.ts';
import { buildThatMade } from '../../domain/tickets/ticket-sources.ts';
import { COMPLETE, FAILED, hasFailed, QUEUED } from '../../domain/tickets/ticket.ts';
import { plainNames, type Build } from '../builds/build.ts';
import type { Database } from '../database.ts';
import type { InTransaction } from '../sql/mutation-context.ts';
import type { Subticket } from './subticket.ts';
import { lastMoverOf } from './status-change.ts';
import { atomically } from '../sql/transactions.ts';

/** What a merge changes in the database. */
type Models = Pick<
  Database,
  | 'sequelize'
  | 'Build'
  | 'MergeProposal'
  | 'SourcePackage'
  | 'SourcePackageUpload'
  | 'Subticket'
  | 'SubticketArtifact'
  | 'Ticket'
>;

/**
 * Asks whether the try that writes still counts. It is asked once the build is held: a try that counts from then on
 * writes after it.
 *
 * @throws Error where it does not: nothing is written then
 */
type Confirm = () => Promise<void>;

const AIRLINE = { actor: 'airline' };
const ALWAYS: Confirm = async () => undefined;
/** They say nothing against what was made before. */
const KEEPS_UPLOAD: readonly ErrorCode[] = ['nothing_to_merge', 'merge_not_possible'];

/**
 * Keeps the source package that was made of the merge proposal of a build: the build has its sources and the commits
 * that they are made of, its subticket the upload with its files as artifacts. A subticket that a merge had failed is
 * Queued again; one that somebody else has failed stays so. What is kept already stays. A build that has ended changes
 * nothing any more.
 *
 * @throws what `confirm` throws
 */
export async function keepMergedSource(
  models: Models,
  {
    buildId,
    source,
    version,
    files,
    commits,
  }: {
    buildId: number;
    source: string;
    version: string;
    files: readonly { name: string; url: string }[];
    commits: MergedCommits;
  },
  confirm = ALWAYS,
): Promise<void> {
  const { SourcePackage, SourcePackageUpload, Subticket: Subtickets } = models;
  await withSubticket(models, buildId, confirm, async (subticket, context, build) => {
    const { id: sourcePackageId } = await SourcePackage.findOrCreateOne({ name: source }, context);
    const upload =
      subticket.sourcePackageUploadId === null
        ? null
        : await SourcePackageUpload.findByPk(subticket.sourcePackageUploadId, context);
    if (upload?.sourcePackageId !== sourcePackageId || upload.version !== version) {
      const { id } = await SourcePackageUpload.createOne({ sourcePackageId, version }, context);
      const isFailedMerge =
        upload === null &&
        hasFailed(subticket) &&
        (await isMovedByMerge(models, subticket, context));
      await Subtickets.updateOne(
        subticket.id,
        {
          sourcePackageUploadId: id,
          ...(isFailedMerge ? { currentWorkflowStep: QUEUED, status: QUEUED } : {}),
        },
        { ...context, reason: isFailedMerge ? 'the merge proposal merges now' : undefined },
      );
    }
    await addArtifacts(models, subticket.id, files, context);
    await build.update(
      {
        sourcePackages: files.map(({ url }) => url),
        packageNames: plainNames([source]),
        merge: build.merge && { ...build.merge, commits },
      },
      { transaction: context.transaction },
    );
  });
}

/**
 * Whether the upload of a build's subticket was made of what nobody proposes any more; not where it has none. One of
 * which nothing says what it was made of counts as well.
 *
 * @param isStillProposed asks it of the proposed commit that the upload was made of
 */
export async function isUploadWithdrawn(
  { Build: Builds, Subticket: Subtickets, SourcePackageUpload }: Models,
  buildId: number,
  isStillProposed: (commit: string) => Promise<boolean>,
): Promise<boolean> {
  const build = await Builds.findByPk(buildId);
  const subticket = await Subtickets.findByPk(build?.subticketId ?? 0);
  const upload = await SourcePackageUpload.findByPk(subticket?.sourcePackageUploadId ?? 0, {
    include: 'sourcePackage',
  });
  if (!subticket || !upload) return false;
  const { name } = upload.get('sourcePackage') as { name: string };
  const uri = String(subticket.id);
  const builds = await Builds.findAll({
    where: { subticketId: subticket.id },
    attributes: ['id', 'sourcePackages', 'merge'],
  });
  const made = buildThatMade(
    {
      resource_uri: uri,
      source_package_upload: { version: upload.version, sourcepackage: { name } },
    },
    builds.map(({ id, sourcePackages, merge }) => ({
      id,
      subticket: uri,
      source_packages: sourcePackages,
      commit: merge?.commits?.source,
    })),
  );
  return made?.commit === undefined || !(await isStillProposed(made.commit));
}

/**
 * Keeps that no source package can be made: the subticket has failed and has none any more, since what was made before
 * is not what is proposed now, and its merge proposal needs review again. What was decided meanwhile stays: a Complete
 * subticket, and a proposal that is rejected or merged. A build that has ended changes nothing any more.
 *
 * @param error why: where it says nothing against what was made before, all stays as it is
 * @throws what `confirm` throws
 */
export async function keepFailedMerge(
  models: Models,
  buildId: number,
  { code, message: reason }: AirlineError,
  confirm = ALWAYS,
): Promise<void> {
  const { MergeProposal, Subticket: Subtickets } = models;
  await withSubticket(models, buildId, confirm, async (subticket, context) => {
    if (subticket.currentWorkflowStep === COMPLETE || subticket.mergeProposalId === null) return;
    if (KEEPS_UPLOAD.includes(code) && subticket.sourcePackageUploadId !== null) return;
    await Subtickets.updateOne(
      subticket.id,
      {
        sourcePackageUploadId: null,
        ...(hasFailed(subticket) ? {} : { currentWorkflowStep: FAILED, status: FAILED }),
      },
      { ...context, reason },
    );
    await MergeProposal.moveTo(subticket.mergeProposalId, 'needs_review', context);
  });
}

/** Nothing else moves subtickets under this name. */
async function isMovedByMerge(
  { sequelize }: Models,
  { id }: Subticket,
  { transaction }: InTransaction,
): Promise<boolean> {
  return (await lastMoverOf(sequelize, id, transaction)) === AIRLINE.actor;
}

async function withSubticket(
  { sequelize, Build: Builds, Subticket: Subtickets, Ticket }: Models,
  buildId: number,
  confirm: Confirm,
  change: (subticket: Subticket, context: InTransaction, build: Build) => Promise<void>,
): Promise<void> {
  await atomically(sequelize, AIRLINE, async (context) => {
    const { transaction } = context;
    // The build before its ticket, as a retry locks them: in another order, two could wait for each other.
    const build = await Builds.findByPk(buildId, { transaction, lock: transaction.LOCK.UPDATE });
    if (!build?.subticketId) throw new AirlineError('internal', `Build ${buildId} merges nothing`);
    // A landing may have read what the subticket stands for since.
    if (build.finishedAt) return;
    await confirm();
    await Ticket.lock(build.ticketId, transaction);
    const subticket = await Subtickets.findByPk(build.subticketId, {
      transaction,
      rejectOnEmpty: true,
    });
    await change(subticket, context, build);
  });
}

async function addArtifacts(
  { SubticketArtifact }: Models,
  subticketId: number,
  files: readonly { name: string; url: string }[],
  context: InTransaction,
): Promise<void> {
  const { transaction } = context;
  const known = await SubticketArtifact.findAll({ where: { subticketId }, transaction });
  for (const { name, url: reference } of files)
    if (!known.some((artifact) => artifact.reference === reference))
      await SubticketArtifact.createOne({ subticketId, name, reference, type: 'SPU' }, context);
}
