import type { Fullticket, Landing } from '../../api/openapi/contract.generated.ts';
import { mergeText } from '../../domain/builds/merge-text.ts';
import { isToBeMerged } from '../../domain/tickets/project.ts';
import { buildThatMade } from '../../domain/tickets/ticket-sources.ts';
import type { ApiClient } from '../server/api-client.ts';

/**
 * The merge proposals that a landing has published, though it may have failed afterwards, and that nobody has merged
 * yet, in words (`mergeText`), with the commit that is published. None of one that has not ended.
 *
 * @throws CommandError where its ticket cannot be read
 */
export async function proposalsToMerge(
  api: ApiClient,
  { finished_at: finishedAt, ticket_id: ticketId, parts }: Landing,
): Promise<string[]> {
  if (finishedAt === null) return [];
  const { subtickets, builds } = await api.get<Fullticket>(`/api/v1/fullticket/${ticketId}/`);
  return subtickets.flatMap((subticket) => {
    const { id, merge_proposal: proposal } = subticket;
    const isLanded = parts.some((part) => part.subticket_id === id);
    if (!isLanded || !proposal || !isToBeMerged(proposal.status, subticket)) return [];
    const made = buildThatMade(subticket, builds)?.merge;
    return [mergeText(made ?? proposal, { source: made?.commits?.source })];
  });
}
