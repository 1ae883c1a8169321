import {
  isAtRest,
  waitsForDependencies,
  type BuildRecord,
} from '../../domain/builds/build-state.ts';
import { dependencyWaitSince } from '../../domain/builds/dependency-wait.ts';
import { architectureBuilds } from '../../domain/builds/progress.ts';
import { shownPackage } from '../../domain/packages/source-file.ts';
import type { WatchedBuild } from '../../models/builds/watched-build.ts';
import { readRecordAgain } from '../ppa/read-record-again.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { pollPpa } from './poll-ppa.ts';
import type { ListedPpa } from './list-ppa.ts';

/** What a PPA has of the builds of one request. */
export type ReadWatched = {
  accepted: boolean;
  records: BuildRecord[];
  published: boolean;
  dependencyWaitSince: Date | null;
};

/**
 * What has become of a watched build: by the lists of its PPA, as long as some of it is under way; asked for by itself
 * where the lists cannot say, where they show its upload or unknown builds, and before it counts as ended.
 *
 * @param answersSince when the latest outage of the PPA ended; null where there was none
 * @param nowMs by the database's clock
 * @returns undefined where the PPA does not show it yet
 */
export async function readWatched(
  deps: Pick<ActivityDependencies, 'ppaClient' | 'logger'>,
  build: WatchedBuild,
  listed: ListedPpa,
  answersSince: Date | null,
  nowMs: number,
): Promise<ReadWatched | undefined> {
  const { request, accepted, polled } = build;
  const mayBeNew =
    !polled || request.packages.some((one) => listed.uploaded?.has(shownPackage(one)) ?? true);
  if (!accepted && !mayBeNew) return undefined;
  if (accepted && !showsOthers(build, listed)) {
    const records = await withListed(deps, build, listed);
    const since = waitingSince(build, records, answersSince, nowMs);
    if (!hasEnded(records, isDependencyWaitOver(since, request.dependencyWaitMs, nowMs)))
      return { accepted, records, published: false, dependencyWaitSince: since };
  }
  const { ppa, packages, unverified, series, awaitPublication } = request;
  const read = await pollPpa(deps, {
    ppa,
    series,
    packages,
    ...(unverified && !accepted ? { unverified: { series, packages: unverified } } : {}),
    previous: build.records,
    awaitPublication,
  });
  return {
    ...read,
    accepted: accepted || read.accepted,
    dependencyWaitSince: waitingSince(build, read.records, answersSince, nowMs),
  };
}

/** Whether a Dependency wait has lasted for as long as it may. */
export function isDependencyWaitOver(
  since: Date | null,
  dependencyWaitMs: number,
  nowMs: number,
): boolean {
  return since !== null && nowMs - since.getTime() >= dependencyWaitMs;
}

/** Whether the lists have builds of its versions that it does not know: they may be of another series. */
function showsOthers({ records, request }: WatchedBuild, { activeOf }: ListedPpa): boolean {
  const known = new Set(records.map(({ selfLink }) => selfLink));
  return request.packages.some((one) =>
    (activeOf.get(shownPackage(one)) ?? []).some(({ selfLink }) => !known.has(selfLink)),
  );
}

/** Its records as the lists have them; one that has left them is asked for by its own address. */
async function withListed(
  deps: Pick<ActivityDependencies, 'ppaClient' | 'logger'>,
  { records: before }: WatchedBuild,
  { active }: ListedPpa,
): Promise<BuildRecord[]> {
  const records: BuildRecord[] = [];
  for (const record of before) {
    const now = active.get(record.selfLink);
    const mayHaveChanged = !now && !hasEnded([record], false);
    records.push(now ?? (mayHaveChanged ? await readRecordAgain(deps, record) : record));
  }
  return records;
}

function hasEnded(records: readonly BuildRecord[], dependencyWaitIsOver: boolean): boolean {
  return records.every(
    (record) => isAtRest(record) && (dependencyWaitIsOver || !waitsForDependencies(record)),
  );
}

/** After an outage the grace is whole again: what builds once a dependency has come was away, too. */
function waitingSince(
  { records: before, dependencyWaitSince: seen, uploadedAt, request }: WatchedBuild,
  records: readonly BuildRecord[],
  answersSince: Date | null,
  nowMs: number,
): Date | null {
  const isOver = isDependencyWaitOver(seen, request.dependencyWaitMs, uploadedAt.getTime());
  const wasAway = !isOver && seen !== null && answersSince !== null && answersSince > seen;
  const since = wasAway ? answersSince : seen;
  return dependencyWaitSince(
    { builds: architectureBuilds(before), since, isOver },
    architectureBuilds(records),
    new Date(nowMs),
  );
}
