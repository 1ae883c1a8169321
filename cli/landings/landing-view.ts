import { againText } from '../../domain/landings/tested-again.ts';
import { shownPackage } from '../../domain/packages/source-file.ts';
import { durationText } from '../../domain/text/quantity-text.ts';
import type { Landing } from '../../api/openapi/contract.generated.ts';
import type { CommandContext } from '../command-context.ts';
import { toneOf } from '../output/colours.ts';
import { fieldList } from '../output/field-list.ts';
import type { Output } from '../output/output.ts';
import type { Column } from '../output/table.ts';
import { relativeTime } from '../output/time-format.ts';
import { troubleText } from '../output/trouble-text.ts';
import {
  approvalCall,
  decisionText,
  estimateText,
  landingFailureBanner,
  resumeCall,
  waitText,
} from './landing-texts.ts';

/** Where a landing stands, in words. */
function landingState(landing: Landing): string {
  if (landing.finished_at !== null) return landing.phase;
  if (landing.cancel_requested_at !== null) return 'cancelling';
  return landing.paused_by === null ? landing.phase : 'paused';
}

/** The columns of a list of landings. */
export function landingColumns({ now }: Output): Column<Landing>[] {
  return [
    { head: 'ID', cell: ({ id }) => id },
    { head: 'TICKET', cell: ({ ticket_id: id }) => id },
    { head: 'PHASE', cell: landingState, tone: ({ phase }) => toneOf(phase) },
    {
      head: 'SOURCE PACKAGES',
      cell: ({ parts }) => parts.map(shownPackage).join(', '),
      isFlexible: true,
    },
    { head: 'TARGET', cell: ({ target }) => target, isFlexible: true },
    { head: 'SERIES', cell: ({ target_series: series }) => series },
    { head: 'REQUESTED', cell: ({ requested_at: at }) => relativeTime(at, now()) },
    { head: 'POCKET', cell: ({ pocket }) => pocket, isWide: true },
    { head: 'PPA', cell: ({ ppa }) => ppa, isWide: true },
    { head: 'ATTEMPT', cell: ({ attempt }) => attempt, isWide: true },
    { head: 'BY', cell: ({ requested_by: by }) => by, isWide: true },
    { head: 'FINISHED', cell: ({ finished_at: at }) => at, isWide: true },
    {
      head: 'WHY',
      cell: ({ failure, trouble }) => failure?.message ?? trouble?.message,
      isWide: true,
    },
  ];
}

/**
 * All that a person wants to know of one landing.
 *
 * @param toMerge the merge proposals that somebody has to merge now, in words
 */
export function describeLanding(
  context: CommandContext,
  landing: Landing,
  toMerge: readonly string[],
): string {
  const { out, api } = context;
  const { id, ticket_id: ticketId, phase, failure, decision, paused_at: pausedAt } = landing;
  const now = out.now();
  const at = (time: string) => `${relativeTime(time, now)} (${time})`;
  const state = landingState(landing);
  const isPaused = state === 'paused';
  const parts = [
    fieldList(out, `Landing ${id}`, [
      [
        'Phase',
        landing.finished_at === null && landing.cancel_requested_at === null
          ? `${phase} for ${durationText(now.getTime() - Date.parse(landing.phase_since))}`
          : state,
        toneOf(phase),
      ],
      [
        'Paused',
        isPaused && pausedAt !== null
          ? `${at(pausedAt)} by ${landing.paused_by ?? 'somebody'}: ${resumeCall(id)}`
          : undefined,
      ],
      ['Waits for', waitsFor(landing)],
      ['Tested again', againText(landing)],
      ['Expected', isPaused ? undefined : estimateText(landing.estimate, now)],
      ['Ticket', String(ticketId)],
      ['Target', `${landing.target} ${landing.target_series} ${landing.pocket}`],
      [
        'Builds in',
        `${landing.ppa ?? 'a PPA of the pool'}, for ${landing.archive} ${landing.series}`,
      ],
      ['Attempt', landing.attempt > 1 ? String(landing.attempt) : undefined],
      ['Requested', `${at(landing.requested_at)} by ${landing.requested_by}`],
      ['Decision', decision && decisionText(decision)],
      [
        'Cancelled',
        landing.cancel_requested_at &&
          `${at(landing.cancel_requested_at)} by ${landing.cancel_requested_by ?? '-'}`,
      ],
      ['Last error', landing.trouble && troubleText(landing.trouble, now)],
      ['Finished', landing.finished_at && at(landing.finished_at)],
      ['Merge now', toMerge.length > 0 ? toMerge.join(', ') : undefined],
      ['Queue', landing.progress_trigger],
      ['Workflow', landing.workflow_url ?? landing.workflow_id],
      ['Page', api.page(`/ticket/${ticketId}`)],
    ]),
    out.table(
      landing.parts,
      [
        { head: 'SOURCE PACKAGE', cell: ({ source }) => source, isFlexible: true },
        { head: 'VERSION', cell: ({ version }) => version, isFlexible: true },
        {
          head: 'STATE',
          cell: (part) => part.state.replaceAll('_', ' '),
          tone: (part) => toneOf(part.state),
        },
        { head: 'BUILD', cell: ({ build_id: build }) => build },
        { head: 'SUBTICKET', cell: ({ subticket_id: subticket }) => subticket },
      ],
      '',
    ),
  ];
  if (failure) parts.push(landingFailureBanner(context, { id, ticketId, failure }));
  return parts.join('\n\n');
}

function waitsFor(landing: Landing): string | undefined {
  const { id, phase, ahead, decision, paused_by: pausedBy, waits_for: words } = landing;
  if (phase === 'approving' && decision === null) return `a person's decision: ${approvalCall(id)}`;
  return waitText({ ahead, ...(words === null || pausedBy !== null ? {} : { waits_for: words }) });
}
