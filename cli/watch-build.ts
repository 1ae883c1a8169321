import type { ArchitectureBuild, ProgressMessage } from '../api/openapi/contract.generated.ts';
import { startDeadline } from './deadline.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { failureBanner } from './failure-banner.ts';
import { followEvents } from './follow-events.ts';
import type { Invocation } from './invocation.ts';
import { withWayBack } from './outage.ts';
import { toneOf, type Paint } from './paint.ts';
import { printableLine } from './printable.ts';
import { clockTime } from './times.ts';

const WORDS: Readonly<Record<ProgressMessage['message'], string>> = {
  STARTED: 'started',
  INPROGRESS: 'building',
  COMPLETE: 'complete',
  FAILURE: 'failed',
};

/**
 * Shows the events of a build until its latest attempt has ended.
 *
 * @param options.after the seq after which to begin
 * @param options.everyEvent shows those, too, that repeat what the one before said
 * @returns `done` where the build is complete, `failed` where it is not
 */
export async function watchBuild(
  invocation: Invocation,
  buildId: number,
  options: { after?: number; timeoutMs?: number | undefined; everyEvent?: boolean } = {},
): Promise<ExitCode> {
  const { out } = invocation;
  const hint = `Build ${buildId} goes on. \`airline build watch ${buildId}\` comes back to it, \`airline build cancel ${buildId}\` ends it.`;
  const deadline = startDeadline(options.timeoutMs, hint);
  let last: ProgressMessage | undefined;
  let said: string | undefined;
  try {
    const events = followEvents(invocation, {
      buildId,
      after: options.after ?? 0,
      signal: deadline.signal,
    });
    for await (const event of events) {
      out.entry(event, () => {
        const text = describeEvent(event, out.paint);
        const says = text.slice(text.indexOf('  '));
        const isNew = says !== said || options.everyEvent === true;
        said = says;
        return isNew ? text : undefined;
      });
      last = event;
    }
  } catch (error) {
    throw withWayBack(invocation.rest, error, hint);
  } finally {
    deadline.clear();
  }
  return tellEnd(invocation, buildId, last);
}

/** One line for an event: its time, its place in the build, and where each architecture stands. */
export function describeEvent(event: ProgressMessage, paint: Paint): string {
  const { timestamp, message, attempt, builds, state, failure } = event;
  const word = paint(toneOf(state), WORDS[message].padEnd(8));
  const what =
    message === 'FAILURE' && failure
      ? `${failure.class}: ${printableLine(failure.message)}`
      : describeBuilds(builds, paint);
  const which = attempt > 1 ? `attempt ${attempt}  ` : '';
  return `${paint('faint', clockTime(timestamp))}  ${which}${word}  ${what}`.trimEnd();
}

/** `hello 2.10-3: amd64 Successfully built, i386 Needs building`. */
function describeBuilds(builds: readonly ArchitectureBuild[], paint: Paint): string {
  const packages = new Map<string, string[]>();
  for (const { package: name, version, architecture, buildstate, state, dependencies } of builds) {
    const key = printableLine(`${name} ${version}`);
    const missing = dependencies === undefined ? '' : ` on ${printableLine(dependencies)}`;
    const text = `${printableLine(architecture)} ${paint(toneOf(state), printableLine(buildstate))}${missing}`;
    packages.set(key, [...(packages.get(key) ?? []), text]);
  }
  return [...packages].map(([name, states]) => `${name}: ${states.join(', ')}`).join('; ');
}

async function tellEnd(
  invocation: Invocation,
  buildId: number,
  seen: ProgressMessage | undefined,
): Promise<ExitCode> {
  const { rest, out } = invocation;
  // Nothing was new to the caller: how it ended is in the build.
  const end = seen ?? (await lastEvent(invocation, buildId));
  if (end?.failure) {
    const { failure, logs = [] } = end;
    if (out.form === 'human')
      out.remark(`\n${failureBanner(invocation, { id: buildId, failure, logs })}`);
    return EXIT.failed;
  }
  out.remark(`\n${out.paint('good', `✓ Build ${buildId} is complete.`)}`);
  for (const url of end?.logs ?? []) out.remark(`  Log   ${printableLine(url)}`);
  out.remark(`  Page  ${rest.page(`/build/${buildId}`)}`);
  return EXIT.done;
}

async function lastEvent(
  { rest }: Invocation,
  buildId: number,
): Promise<Pick<ProgressMessage, 'failure' | 'logs'> | undefined> {
  const { failure, logs } = await rest.get<{
    failure: ProgressMessage['failure'] | null;
    logs: string[];
  }>(`/api/v1/build/${buildId}/`);
  return { logs, ...(failure ? { failure } : {}) };
}
