import type { Landing, LandingEvent } from '../../api/openapi/contract.generated.ts';
import { printableLine } from '../../domain/text/printable.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Page } from '../server/api-client.ts';
import { pollUntil } from '../server/poll-until.ts';
import { approvalCall, describeLandingEvent, landingFailureBanner } from './landing-texts.ts';
import { proposalsToMerge } from './proposals-to-merge.ts';

const POLL_MS = 2_000;

type WatchOptions = {
  after?: number;
  timeoutMs?: number | undefined;
  intervalMs?: number;
  resumeHint?: string;
};

/**
 * Shows the events of a landing until its latest attempt has ended. Where it waits for a person, a notice says what
 * that person has to do.
 *
 * @param options.after the seq after which to begin
 * @param options.resumeHint how to come back, where that is not as usual
 * @returns the landing as it has ended, which `tellLandingEnd` says
 * @throws CommandError `timed_out`, `interrupted`, `unreachable` after an outage that did not pass
 */
export async function watchLandingToEnd(
  context: CommandContext,
  id: number,
  options: WatchOptions = {},
): Promise<Landing> {
  const { api, out } = context;
  const { timeoutMs, intervalMs = POLL_MS, resumeHint = resumeHintOf(id) } = options;
  let seq = options.after ?? 0;
  let last: LandingEvent | undefined;
  let isTold = false;
  return pollUntil(
    context,
    { timeoutMs, intervalMs, place: () => `event ${seq}`, resumeHint },
    async ({ once, restored }) => {
      // The landing first: what ended it is in the events by then.
      const now = await api.get<Landing>(landingPath(id), {}, once);
      for (let isRead = false; !isRead;) {
        const path = `${landingPath(id)}events/`;
        const page = await api.get<Page<LandingEvent>>(path, { after: seq }, once);
        restored();
        for (const event of page.objects) {
          const before = last;
          out.entry(event, () => describeLandingEvent(event, before, out.colour));
          seq = event.seq;
          last = event;
          // What is tested again has to be approved again.
          if (event.phase !== 'approving') isTold = false;
        }
        isRead = page.objects.length === 0 || page.meta.next === null;
      }
      if (now.finished_at !== null) return now;
      if (waitsForPerson(now, last) && !isTold) {
        isTold = true;
        out.notice(`Landing ${id} waits for a person's decision: ${approvalCall(id)}.`);
      }
      return undefined;
    },
  );
}

/**
 * Watches a landing as `watchLandingToEnd` does, and says how it ended.
 *
 * @returns `done` where it is complete, `failed` where it has failed or was cancelled
 */
export async function watchLanding(
  context: CommandContext,
  id: number,
  options?: WatchOptions,
): Promise<ExitCode> {
  return tellLandingEnd(context, await watchLandingToEnd(context, id, options));
}

/** The number of a landing's latest event; 0 where it has none. */
export async function lastLandingEvent({ api }: CommandContext, id: number): Promise<number> {
  const path = `${landingPath(id)}events/`;
  return (await api.get<Page<LandingEvent>>(path, { limit: 1 })).meta.total_count;
}

/** Where the API has a landing. */
export function landingPath(id: number): string {
  return `/api/v1/landing/${id}/`;
}

function resumeHintOf(id: number): string {
  return `Landing ${id} goes on. \`airline landing watch ${id}\` comes back to it, \`airline landing cancel ${id}\` stops it before it is published.`;
}

/** The landing was read before its latest events. */
function waitsForPerson(landing: Landing, last: LandingEvent | undefined): boolean {
  const { phase, decision, cancel_requested_at: cancelledAt } = landing;
  if (phase !== 'approving' || decision !== null || cancelledAt !== null) return false;
  return (last?.phase ?? phase) === 'approving';
}

/**
 * Says how a landing has ended, and which merge proposals somebody has to merge now.
 *
 * @returns `done` where it is complete, `failed` where it is not
 */
export async function tellLandingEnd(context: CommandContext, landing: Landing): Promise<ExitCode> {
  const { api, out } = context;
  const { id, ticket_id: ticketId, failure } = landing;
  if (failure) out.remark(`\n${landingFailureBanner({ api, out }, { id, ticketId, failure })}`);
  else {
    const { target, target_series: series, pocket } = landing;
    out.remark(
      `\n${out.colour('good', `✓ Landing ${id} is complete: published in ${printableLine(`${target} ${series} ${pocket}`)}.`)}`,
    );
    out.remark(`  Page  ${api.page(`/ticket/${ticketId}`)}`);
  }
  if (out.form === 'human') await tellProposals(context, landing);
  return failure ? EXIT.failed : EXIT.done;
}

async function tellProposals({ api, out }: CommandContext, landing: Landing): Promise<void> {
  try {
    const toMerge = await proposalsToMerge(api, landing);
    if (toMerge.length > 0) out.remark(`  Merge now  ${printableLine(toMerge.join(', '))}`);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    // How the command ends says how the landing has ended, whether or not its ticket can be read.
    out.notice(
      `Its ticket could not be read: ${error.message} \`airline landing show ${landing.id}\` says what to merge now.`,
    );
  }
}
