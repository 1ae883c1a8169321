import { mergeText } from '../../domain/builds/merge-text.ts';
import { isToBeMerged } from '../../domain/tickets/project.ts';
import { buildThatMade } from '../../domain/tickets/ticket-sources.ts';
import { buildAddress } from '../addresses.ts';
import { ExternalLink } from '../components/external-link.tsx';
import { Command } from '../components/notes.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import type { Build, FullTicket } from '../server/api-types.ts';
import { buildLabel } from '../states.ts';

type Subticket = FullTicket['subtickets'][number];
type MergeProposal = NonNullable<Subticket['merge_proposal']>;

/**
 * The merge proposal that a subticket stands for: what is merged into what, how far it is, its latest build, the
 * commits that its source is made of, and why it failed.
 */
export function Proposal({
  subticket,
  builds,
}: {
  subticket: Subticket;
  builds: readonly Build[];
}) {
  const { id, resource_uri: uri, merge_proposal: proposal, failure_reason: reason } = subticket;
  if (!proposal) return null;
  const build = builds
    .filter((one) => one.subticket === uri)
    .toSorted((one, other) => other.id - one.id)[0];
  const made = buildThatMade(subticket, builds)?.merge;
  const mayBeBuilt = proposal.source_branch !== '' && subticket.replaced_by === null;
  return (
    <div class="proposal">
      <p class="muted breakable">
        <ExternalLink to={proposal.hosting_weblink}>{wordsOf(proposal)}</ExternalLink>,{' '}
        {proposal.status.replaceAll('_', ' ')}
      </p>
      {isToBeMerged(proposal.status, subticket) && (
        <p>
          It is published. Airline pushes nothing: merge{' '}
          {mergeText(made ?? proposal, { source: made?.commits?.source })} now, and have the
          proposal marked as merged.
        </p>
      )}
      {build && (
        <p>
          <a data-row={subticket.source_package_upload === null} href={buildAddress(build.id)}>
            Build {build.id}
          </a>{' '}
          <StateBadge label={buildLabel(build)} />
        </p>
      )}
      {made?.commits && (
        <p class="muted breakable">Its source is made of {mergeText(made, made.commits)}.</p>
      )}
      {!build && mayBeBuilt && (
        <Command>{`airline subticket build ${id} --ppa ppa:you/landing --series noble`}</Command>
      )}
      {reason !== null && reason !== '' && <p class="breakable">{reason}</p>}
    </div>
  );
}

function wordsOf(proposal: MergeProposal): string {
  if (proposal.source_branch === '') return `merge proposal ${proposal.id}`;
  return `merge ${mergeText(proposal)}`;
}
