import { AirlineError } from '../../domain/errors.ts';
import type { Merge } from '../../domain/builds/build-request.ts';
import { sourceUrlProblem, type SourceUrlRule } from '../../domain/access/source-url.ts';
import { assertBranchIsFree } from '../../models/tickets/branch-lock.ts';
import type { MergeProposal } from '../../models/tickets/merge-proposal.ts';
import type { InTransaction } from '../../models/sql/mutation-context.ts';
import type { Subticket } from '../../models/tickets/subticket.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import type { ApiContext } from '../http/context.ts';
import type { Operation } from '../http/operation.ts';
import { mergeProposal } from '../resources/merge-proposal.ts';
import { subticket } from '../resources/subticket.ts';
import { notFound, pathId } from '../rest/read-resource.ts';
import { bodyOf, idOf } from '../rest/resource-routes.ts';
import { writeAndWake } from '../rest/write-and-wake.ts';
import { assertNotBeingLanded } from '../requests/assert-not-being-landed.ts';
import { assertNotComplete } from '../requests/assert-not-complete.ts';
import { assertWebhookIsTold } from '../requests/named-webhook.ts';
import {
  acceptBuild,
  acceptedAnswer,
  answerAccepted,
  assertTargetAllowed,
} from './accept-build.ts';
import { assertStillProposed } from './assert-still-proposed.ts';
import { buildTargetSchema, readBuildTarget } from './build-request.ts';

/** POST /api/v1/subticket/<id>/build_proposal/: a build whose source is made of the subticket's merge proposal. */
export const buildProposalOperation: Operation = {
  method: 'post',
  path: '/api/v1/subticket/{id}/build_proposal/',
  summary: "Make the source package of a subticket's merge proposal and build it in a PPA",
  scope: 'build:write',
  body: buildTargetSchema,
  answers: { 202: acceptedAnswer },
  errors: [
    'not_found',
    'invalid_field',
    'unknown_reference',
    'host_not_allowed',
    'credentials_in_url',
    'target_not_allowed',
    'conflict',
    'branch_busy',
    'ticket_complete',
  ],
  handle: buildProposal,
};

async function buildProposal(ctx: ApiContext, deps: HandlerDependencies): Promise<void> {
  const body = bodyOf(ctx);
  const target = readBuildTarget(body, deps.sourceUrls);
  const id = pathId(subticket, idOf(ctx));
  const { sequelize, MergeProposal: Proposals } = deps.database;
  const request = async (context: InTransaction) => {
    const { part, proposal } = await readPart(deps, id, context);
    await assertNotBeingLanded(deps.database, part.ticketId, context.transaction);
    // The branch after the PPA, as a retry does it: in another order, two could wait for each other.
    await assertTargetAllowed(ctx, deps, target, context.transaction);
    await assertBranchIsFree(sequelize, part.id, context.transaction);
    // Locked with its branch: until then it could be changed, and reviewed.
    await proposal.reload({ transaction: context.transaction });
    assertStillProposed(part, proposal);
    const merge = mergeOf(proposal, deps.sourceUrls);
    if (proposal.status === 'work_in_progress')
      await Proposals.moveTo(proposal.id, 'needs_review', context);
    const { ticketId } = part;
    await assertWebhookIsTold(deps.database, { ...target, ticketId }, context.transaction);
    const made = { ...target, ticketId, subticketId: part.id, sourcePackages: [], merge };
    return acceptBuild(ctx, deps, made, context.transaction);
  };
  answerAccepted(ctx, deps, await writeAndWake(ctx, deps, request));
}

/**
 * The subticket that is to be built, and its proposal. Its ticket is locked, the proposal is not.
 *
 * @throws AirlineError `not_found`, `ticket_complete`, `conflict` where there is nothing to build
 */
async function readPart(
  { database: { Subticket: Subtickets, Ticket, MergeProposal: Proposals } }: HandlerDependencies,
  id: number,
  { transaction }: InTransaction,
): Promise<{ part: Subticket; proposal: MergeProposal }> {
  const found = await Subtickets.findByPk(id, { transaction });
  if (!found) return notFound(subticket, String(id));
  const ticket = await Ticket.lock(found.ticketId, transaction);
  const part = await found.reload({ transaction });
  const proposal =
    part.mergeProposalId && (await Proposals.findByPk(part.mergeProposalId, { transaction }));
  if (!proposal)
    throw new AirlineError(
      'conflict',
      `Subticket ${id} stands for an upload: request its build by build_source.`,
    );
  if (ticket) assertNotComplete(ticket);
  assertStillProposed(part, proposal);
  return { part, proposal };
}

/**
 * What a build of the proposal merges.
 *
 * @throws AirlineError `conflict` where it names too little, `host_not_allowed`, `credentials_in_url`
 */
function mergeOf(proposal: MergeProposal, rule: SourceUrlRule): Merge {
  const uri = mergeProposal.uriOf(proposal.id);
  const merge = {
    merge_proposal: uri,
    source_repository: proposal.sourceRepository,
    source_branch: proposal.sourceBranch,
    target_repository: proposal.targetRepository,
    target_branch: proposal.targetBranch,
    packaging_branch: proposal.packagingBranch,
  };
  const { packaging_branch: _, ...needed } = merge;
  const absent = Object.entries(needed).filter(([, value]) => value === '');
  if (absent.length > 0)
    throw new AirlineError(
      'conflict',
      `${uri} cannot be built without ${absent.map(([name]) => name).join(', ')}.`,
    );
  for (const name of ['source_repository', 'target_repository'] as const) {
    const problem = sourceUrlProblem(merge[name], rule);
    if (problem) throw new AirlineError(problem.code, `${uri}: ${name}: ${problem.why}.`);
  }
  return merge;
}
