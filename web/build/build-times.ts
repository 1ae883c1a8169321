import type { ArchitectureBuild, ProgressMessage } from '../server/shapes.ts';

export type BuildTimes = { startedAt: string | undefined; endedAt: string | undefined };

/** When a build was first seen building in the PPA, and first seen at its end, by the events of the attempt. */
export function timesOf(
  { package: name, architecture }: Pick<ArchitectureBuild, 'package' | 'architecture'>,
  events: readonly ProgressMessage[],
): BuildTimes {
  let startedAt: string | undefined;
  let endedAt: string | undefined;
  for (const { builds, timestamp } of events) {
    const found = builds.find((one) => one.package === name && one.architecture === architecture);
    if (found?.state === 'building') startedAt ??= timestamp;
    const isOver = found?.state === 'completed' || found?.state === 'failed';
    if (isOver) endedAt ??= timestamp;
    else endedAt = undefined;
  }
  return { startedAt, endedAt };
}
