import type {
  ArchitectureBuild,
  Build,
  ExpectedDuration,
  ProgressMessage,
} from '../../api/openapi/contract.generated.ts';
import { startDeadline } from '../server/deadline.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { CommandError, Interrupted } from '../command-error.ts';
import { quietWaitText } from './quiet-wait.ts';
import { failureBanner } from './failure-banner.ts';
import { followEvents } from './follow-events.ts';
import type { CommandContext } from '../command-context.ts';
import { withResumeHint } from '../server/connection-loss.ts';
import { toneOf, toneOfRecord, type Colour } from '../output/colours.ts';
import { CANCELLED_BUILD } from '../../domain/builds/build-state.ts';
import { phaseWords } from '../../domain/builds/build-phase.ts';
import { printableLine } from '../../domain/text/printable.ts';
import type { ApiClient, Page } from '../server/api-client.ts';
import { clockTime } from '../output/time-format.ts';
import { uploadText, waitingText } from './waiting-text.ts';

type WatchOptions = {
  after?: number;
  timeoutMs?: number | undefined;
  waitedMs?: number;
  everyEvent?: boolean;
  resumeHint?: string;
};

const ENDED: readonly ArchitectureBuild['state'][] = ['completed', 'failed'];
/** The events wait for it. */
const EXPECTED_ANSWER_MS = 2_000;
/** As wide as most of the words. */
const WORD_WIDTH = 'dependency wait'.length;

/**
 * Shows the events of a build until its latest attempt has ended.
 *
 * @param options.after the seq after which to begin
 * @param options.waitedMs how much of its time the command has waited for others, in milliseconds
 * @param options.everyEvent shows those, too, that repeat what the one before said
 * @param options.resumeHint how to come back, where that is not as usual
 * @returns how that ended, which `tellEnd` says
 */
export async function watchToEnd(
  context: CommandContext,
  buildId: number,
  options: WatchOptions = {},
): Promise<BuildEnd> {
  const { out } = context;
  const hint =
    options.resumeHint ??
    `Build ${buildId} goes on. \`airline build watch ${buildId}\` comes back to it, \`airline build cancel ${buildId}\` ends it.`;
  const deadline = startDeadline(options.timeoutMs, hint, options.waitedMs);
  let end: BuildEnd | undefined;
  let said: string | undefined;
  const told = new Set<string>();
  try {
    const expected = await expectedDurations(context, buildId, deadline.signal);
    while (!end) {
      const events = followEvents(context, {
        buildId,
        after: options.after ?? 0,
        signal: deadline.signal,
      });
      for await (const event of events) {
        out.entry(event, () => {
          const text = describeEvent(event, out.colour);
          const says = text.slice(text.indexOf('  '));
          const isNew = says !== said || options.everyEvent === true;
          said = says;
          return isNew ? text : undefined;
        });
        if (out.form === 'human' && event.exit !== true) tellFailures(context, event, told);
        end = event;
        out.meanwhile(
          event.exit === true ? undefined : () => quietWaitText(event, expected, out.now()),
        );
      }
      // Nothing was new to the caller: how it ended is in the build, unless it is retried by now.
      end ??= await readEnd(context.api, buildId, deadline.signal);
    }
  } catch (error) {
    throw withResumeHint(context.api, error, hint);
  } finally {
    out.meanwhile(undefined);
    deadline.clear();
  }
  return end;
}

/** Watches a build as `watchToEnd` does, and says how it ended. @returns `done` where it is complete, else `failed` */
export async function watchBuild(
  context: CommandContext,
  buildId: number,
  options?: WatchOptions,
): Promise<ExitCode> {
  return tellEnd(context, buildId, await watchToEnd(context, buildId, options));
}

/** Nothing depends on it: a server that does not say it now says how the build goes on. @throws what ends the watch */
async function expectedDurations(
  { api, out }: CommandContext,
  buildId: number,
  signal: AbortSignal,
): Promise<readonly ExpectedDuration[]> {
  if (out.form !== 'human' || !out.isTerminal) return [];
  const path = `/api/v1/build/${buildId}/expected/`;
  const wait = { signal, maxTries: 1, answerMs: EXPECTED_ANSWER_MS };
  return api.get<Page<ExpectedDuration>>(path, {}, wait).then(
    ({ objects }) => objects,
    (error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof Interrupted || !(error instanceof CommandError)) throw error;
      return [];
    },
  );
}

/** Says of each package at once that it has failed, and where its log is, while others are still built. */
function tellFailures(
  { out }: CommandContext,
  { builds }: ProgressMessage,
  told: Set<string>,
): void {
  if (!builds.some(({ state }) => !ENDED.includes(state))) return;
  for (const one of builds) {
    if (one.state !== 'failed' || one.buildstate === CANCELLED_BUILD || told.has(one.web_link))
      continue;
    told.add(one.web_link);
    const name = printableLine(`${one.package} ${one.version} on ${one.architecture}`);
    out.remark(
      `${out.colour('bad', `✗ ${name}: ${printableLine(one.buildstate)}`)}\n  In the PPA  ${printableLine(one.web_link)}`,
    );
  }
}

/** One line for an event: its time, its place in the build, the state of each architecture, and what it waits for. */
export function describeEvent(event: ProgressMessage, colour: Colour): string {
  const { timestamp, message, phase, attempt, failure } = event;
  const word = colour(toneOf(phase), phaseWords(phase).padEnd(WORD_WIDTH));
  const what =
    message === 'FAILURE' && failure
      ? `${failure.class === 'cancelled' ? '' : `${failure.class}: `}${printableLine(failure.message)}`
      : describeProgress(event, colour);
  const which = attempt > 1 ? `attempt ${attempt}  ` : '';
  return `${colour('faint', clockTime(timestamp))}  ${which}${word}  ${what}`.trimEnd();
}

function describeProgress({ builds, waiting, upload }: ProgressMessage, colour: Colour): string {
  return [
    ...(builds.length > 0 ? [describeBuilds(builds, colour)] : []),
    ...(waiting ? [`waits for ${waitingText(waiting)}`] : []),
    ...(upload ? [uploadText(upload)] : []),
  ].join('; ');
}

/** `hello 2.10-3: amd64 Successfully built, i386 Needs building`. */
function describeBuilds(builds: readonly ArchitectureBuild[], colour: Colour): string {
  const packages = new Map<string, string[]>();
  for (const { package: name, version, architecture, buildstate, state, dependencies } of builds) {
    const key = printableLine(`${name} ${version}`);
    const missing = dependencies === undefined ? '' : ` on ${printableLine(dependencies)}`;
    const text = `${printableLine(architecture)} ${colour(toneOfRecord({ state, buildstate }), printableLine(buildstate))}${missing}`;
    packages.set(key, [...(packages.get(key) ?? []), text]);
  }
  return [...packages].map(([name, states]) => `${name}: ${states.join(', ')}`).join('; ');
}

/** What the final event of a build, or its row, says of its end. */
type BuildEnd = Pick<Build, 'builds'> & Partial<Pick<Build, 'logs' | 'failure'>>;

/** Says how a build has ended. @returns `done` where it is complete, `failed` where it is not */
export function tellEnd(
  context: CommandContext,
  buildId: number,
  { failure, logs = [], builds }: BuildEnd,
): ExitCode {
  const { api, out } = context;
  if (failure) {
    if (out.form === 'human')
      out.remark(`\n${failureBanner(context, { id: buildId, failure, logs, builds })}`);
    return EXIT.failed;
  }
  out.remark(`\n${out.colour('good', `✓ Build ${buildId} is complete.`)}`);
  for (const url of logs) out.remark(`  Log   ${printableLine(url)}`);
  out.remark(`  Page  ${api.page(`/build/${buildId}`)}`);
  return EXIT.done;
}

/** How a build has ended; undefined where it is under way. */
async function readEnd(
  api: Pick<ApiClient, 'get'>,
  buildId: number,
  signal: AbortSignal,
): Promise<BuildEnd | undefined> {
  const build = await api.get<Build>(`/api/v1/build/${buildId}/`, {}, { signal });
  return build.finished_at === null ? undefined : build;
}

/** The number of a build's latest event; 0 where it has none. */
export async function lastEventNumber({ api }: CommandContext, buildId: number): Promise<number> {
  const path = `/api/v1/build/${buildId}/events/`;
  return (await api.get<Page<ProgressMessage>>(path, { limit: 1 })).meta.total_count;
}
