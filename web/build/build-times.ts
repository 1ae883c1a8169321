import type { ArchitectureBuild, ProgressMessage } from '../server/api-types.ts';

export type BuildTimes = { startedAt: string | undefined; endedAt: string | undefined };

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
  const isOver = finishedAt !== null || hasEnded(one.state);
  return {
    startedAt: one.started_at ?? seen.startedAt,
    // Launchpad says when it was built while it still uploads.
    endedAt: isOver ? (one.built_at ?? seen.endedAt ?? finishedAt ?? undefined) : undefined,
  };
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
    if (found && hasEnded(found.state)) endedAt ??= timestamp;
    else endedAt = undefined;
  }
  return { startedAt, endedAt };
}

function hasEnded(state: string): boolean {
  return state === 'completed' || state === 'failed';
}
