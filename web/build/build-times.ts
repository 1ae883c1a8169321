import { isRestState } from '../../domain/builds/build-state.ts';
import type { ArchitectureBuild, Build, ProgressMessage } from '../server/api-types.ts';

export type BuildTimes = { startedAt: string | undefined; endedAt: string | undefined };

/**
 * How long a build of a package on an architecture has waited, was built, and took to be published, in milliseconds.
 */
export type Stretches = {
  waitedMs?: number | undefined;
  builtMs?: number | undefined;
  publishedMs?: number | undefined;
};

/**
 * When a build on an architecture began and ended: as the PPA says, and where it does not, as the events of the attempt
 * first told of it. What was at no end then ended with the attempt.
 *
 * @param finishedAt when the attempt ended; null while it is under way
 */
export function timesOf(
  one: Pick<ArchitectureBuild, 'package' | 'architecture' | 'state' | 'started_at' | 'built_at'>,
  events: readonly ProgressMessage[],
  finishedAt: string | null,
): BuildTimes {
  const seen = timesSeen(one, events);
  const isOver = finishedAt !== null || isRestState(one.state);
  return {
    startedAt: one.started_at ?? seen.startedAt,
    // Launchpad says when it was built while it still uploads.
    endedAt: isOver ? (one.built_at ?? seen.endedAt ?? finishedAt ?? undefined) : undefined,
  };
}

/**
 * How long it waited for its builder, was built, and took to be published.
 *
 * @param build the attempt that it belongs to: what waits from before it has waited since it was requested
 * @param nowMs milliseconds since 1970, to which what is under way has lasted
 */
export function stretchesOf(
  one: ArchitectureBuild,
  { startedAt, endedAt }: BuildTimes,
  build: Pick<Build, 'requested_at' | 'finished_at' | 'built_packages'>,
  nowMs: number,
): Stretches {
  const startedMs = startedAt === undefined ? undefined : Date.parse(startedAt);
  const endedMs = endedAt === undefined ? undefined : Date.parse(endedAt);
  const untilMs = endedMs ?? nowMs;
  const queuedMs =
    one.created_at === undefined
      ? undefined
      : Math.max(Date.parse(one.created_at), Date.parse(build.requested_at));
  const isOfEarlier = startedMs !== undefined && queuedMs !== undefined && startedMs < queuedMs;
  const publishedAtMs = publishedAt(one, build.built_packages);
  return {
    waitedMs:
      queuedMs === undefined || isOfEarlier
        ? undefined
        : atLeast0((startedMs ?? untilMs) - queuedMs),
    builtMs: startedMs === undefined ? undefined : atLeast0(untilMs - startedMs),
    publishedMs:
      publishedAtMs === undefined || endedMs === undefined
        ? undefined
        : atLeast0(publishedAtMs - endedMs),
  };
}

/** When the last of what it made was published; undefined where that is not known of all. */
function publishedAt(
  { package: source, architecture }: ArchitectureBuild,
  packages: Build['built_packages'],
): number | undefined {
  const own = packages.filter((one) => one.source === source && one.architecture === architecture);
  const times = own.map((one) => Date.parse(one.published_at ?? ''));
  return times.length > 0 && !times.some(Number.isNaN) ? Math.max(...times) : undefined;
}

function atLeast0(ms: number): number {
  return Math.max(0, ms);
}

function timesSeen(
  { package: name, architecture }: Pick<ArchitectureBuild, 'package' | 'architecture'>,
  events: readonly ProgressMessage[],
): BuildTimes {
  let startedAt: string | undefined;
  let endedAt: string | undefined;
  for (const { builds, timestamp } of events) {
    const found = builds.find((one) => one.package === name && one.architecture === architecture);
    if (found?.state === 'building') startedAt ??= timestamp;
    if (found && isRestState(found.state)) endedAt ??= timestamp;
    else endedAt = undefined;
  }
  return { startedAt, endedAt };
}
