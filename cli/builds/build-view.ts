import type { Attempt, Build, ExpectedDuration } from '../../api/openapi/contract.generated.ts';
import { failureBanner } from './failure-banner.ts';
import { fieldList } from '../output/field-list.ts';
import { finalPhase, phaseWords, type BuildPhase } from '../../domain/builds/build-phase.ts';
import { mergeText } from '../../domain/builds/merge-text.ts';
import { durationText } from '../../domain/text/quantity-text.ts';
import { namedSources, shownPackage } from '../../domain/packages/source-file.ts';
import type { CommandContext } from '../command-context.ts';
import type { Output } from '../output/output.ts';
import { toneOf, toneOfRecord } from '../output/colours.ts';
import type { Column } from '../output/table.ts';
import { relativeTime } from '../output/time-format.ts';
import { troubleText } from '../output/trouble-text.ts';
import { usualMs } from './usual-time.ts';
import { uploadText, waitingText } from './waiting-text.ts';

/** Where a build stands, in words. */
function buildState({ phase, cancel_requested_at, finished_at }: Build): string {
  const isCancelling = cancel_requested_at !== null && finished_at === null;
  return `${phaseWords(phase)}${isCancelling ? ', being cancelled' : ''}`;
}

/** `waiting for builder for 3 min`; of a build that has ended, or is being cancelled, the state alone. */
export function stateAndTime(build: Build, now: Date): string {
  const state = buildState(build);
  if (build.finished_at !== null || build.cancel_requested_at !== null) return state;
  return `${state} for ${durationText(now.getTime() - Date.parse(build.phase_since))}`;
}

/** The source packages of a build, by the `.changes` among its files: `hello 2.10-3`. */
function packagesOf({ source_packages: urls }: Pick<Build, 'source_packages'>): string {
  return namedSources(urls).map(shownPackage).join(', ');
}

/** The columns of a list of builds. */
export function buildColumns({ now }: Output): Column<Build>[] {
  return [
    { head: 'ID', cell: ({ id }) => id },
    { head: 'TICKET', cell: ({ ticket_id: id }) => id },
    { head: 'STATE', cell: buildState, tone: ({ phase }) => toneOf(phase) },
    { head: 'SOURCE PACKAGES', cell: (build) => packagesOf(build), isFlexible: true },
    { head: 'SERIES', cell: ({ series }) => series },
    { head: 'PPA', cell: ({ ppa }) => ppa, isFlexible: true },
    { head: 'REQUESTED', cell: ({ requested_at: at }) => relativeTime(at, now()) },
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

/** All that a person wants to know of one build. */
export function describeBuild(
  context: CommandContext,
  build: Build,
  attempts: readonly Attempt[],
  expected: readonly ExpectedDuration[],
): string {
  const { out, api } = context;
  const { now } = out;
  const ago = (time: string | null) => time && `${relativeTime(time, now())} (${time})`;
  const took =
    build.finished_at === null
      ? undefined
      : durationText(Date.parse(build.finished_at) - Date.parse(build.requested_at));
  const parts = [
    fieldList(out, `Build ${build.id}`, [
      ['State', stateAndTime(build, now()), toneOf(build.phase)],
      ['Waits for', build.waiting && waitingText(build.waiting)],
      [
        'Gives up',
        build.waiting?.gives_up_at &&
          `${relativeTime(build.waiting.gives_up_at, now())} (${build.waiting.gives_up_at})`,
      ],
      ['Upload', build.upload && uploadText(build.upload)],
      ['Ticket', String(build.ticket_id)],
      ['Packages', packagesOf(build)],
      ['Merges', build.merge && mergeText(build.merge, build.merge.commits)],
      ['PPA', build.ppa],
      ['Series', `${build.archive} ${build.series}`],
      ['Attempt', build.attempt > 1 ? String(build.attempt) : undefined],
      [
        'Requested',
        `${ago(build.requested_at)}${build.requested_by ? ` by ${build.requested_by}` : ''}`,
      ],
      ['Finished', build.finished_at && `${ago(build.finished_at)}, after ${took}`],
      [
        'Cancelled',
        build.cancel_requested_at &&
          `${ago(build.cancel_requested_at)} by ${build.cancel_requested_by ?? '-'}`,
      ],
      ['Last error', build.trouble && troubleText(build.trouble, now())],
      ['Queue', build.progress_trigger],
      ['Webhook', build.webhook_id === null ? undefined : String(build.webhook_id)],
      ['Workflow', build.workflow_url ?? build.workflow_id],
      ['Page', api.page(`/build/${build.id}`)],
    ]),
  ];
  if (build.builds.length > 0)
    parts.push(
      out.table(
        build.builds,
        [
          { head: 'PACKAGE', cell: (one) => `${one.package} ${one.version}`, isFlexible: true },
          { head: 'ARCHITECTURE', cell: (one) => one.architecture },
          { head: 'STATE', cell: (one) => one.buildstate, tone: toneOfRecord },
          { head: 'WAITS FOR', cell: (one) => one.dependencies, isWide: true },
          { head: 'USUALLY TAKES', cell: (one) => usualText(usualMs(one, expected)) },
          { head: 'IN THE PPA', cell: (one) => one.web_link, isWide: true },
        ],
        '',
      ),
    );
  if (build.sequence.length > 0)
    parts.push(
      out.table(
        build.sequence,
        [
          { head: 'IN ORDER', cell: (one) => `${one.package} ${one.version}`, isFlexible: true },
          { head: 'LEVEL', cell: (one) => one.level },
          { head: 'AFTER', cell: (one) => one.after.join(', '), isFlexible: true },
          { head: 'STATE', cell: (one) => one.state.replace('_', ' ') },
          { head: 'WHY', cell: (one) => one.reason, isFlexible: true },
        ],
        '',
      ),
    );
  if (build.built_packages.length > 0)
    parts.push(
      out.table(
        build.built_packages,
        [
          { head: 'BUILT', cell: (one) => `${one.name} ${one.version}`, isFlexible: true },
          { head: 'FOR', cell: (one) => one.architecture },
          { head: 'FILE', cell: (one) => one.url, isFlexible: true },
          { head: 'SHA-256', cell: (one) => one.sha256, isWide: true },
        ],
        '',
      ),
    );
  if (build.apt !== null) parts.push(`For apt, once it has the key of the PPA\n  ${build.apt}`);
  if (attempts.length > 1)
    parts.push(
      out.table(
        attempts,
        [
          { head: 'ATTEMPT', cell: (one) => one.attempt },
          {
            head: 'STATE',
            cell: (one) => phaseWords(phaseOf(one, build)),
            tone: (one) => toneOf(phaseOf(one, build)),
          },
          { head: 'REQUESTED', cell: (one) => relativeTime(one.requested_at, now()) },
          { head: 'BY', cell: (one) => one.requested_by, isFlexible: true },
          { head: 'WHY', cell: (one) => one.failure?.message, isFlexible: true },
        ],
        '',
      ),
    );
  if (build.logs.length > 0)
    parts.push(['Logs', ...build.logs.map((url) => `  ${url}`)].join('\n'));
  if (build.failure) parts.push(failureBanner(context, { ...build, failure: build.failure }));
  return parts.join('\n\n');
}

/** Only the latest attempt may be under way. */
function phaseOf({ attempt, failure, finished_at: at }: Attempt, build: Build): BuildPhase {
  return attempt === build.attempt || at === null ? build.phase : finalPhase(failure);
}

function usualText(ms: number | undefined): string | undefined {
  return ms ? durationText(ms) : undefined;
}
