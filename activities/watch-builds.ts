import { Context } from '@temporalio/activity';
import { isDeepStrictEqual } from 'node:util';
import { buildRecordState, type BuildRecord } from '../domain/build-state.ts';
import type { Ppa } from '../domain/ppa.ts';
import { architectureBuilds } from '../domain/progress.ts';
import type { PpaClient } from '../ppa/client.ts';
import type { ActivityDependencies } from './index.ts';
import { isCancelRequested } from './read-cancel-url.ts';
import { buildRecordOf } from './build-record.ts';
import { reportBuilds } from './report-progress.ts';

type Dependencies = Pick<
  ActivityDependencies,
  'ppaClient' | 'database' | 'onRecorded' | 'sources' | 'cancelUrlTimeoutMs' | 'logger'
>;

/**
 * One short look at the PPA and at the cancel URL. Once the PPA has accepted every package, it reports INPROGRESS
 * under `reportKey` when there is something new: the first records, a change of one, or `reportDue`.
 *
 * @returns `accepted`: the PPA has a publication of every package; `records`: all their builds as they are now
 */
export function watchBuilds(deps: Dependencies) {
  const { ppaClient, logger } = deps;
  const report = reportBuilds(deps);
  return async (input: {
    buildId: number;
    /** Workflows from before there were retries leave it out. */
    attempt?: number;
    ppa: Ppa;
    packages: { source: string; version: string }[];
    previous: BuildRecord[];
    reportKey: string;
    reportDue: boolean;
    cancelUrl: string | null;
    awaitPublication?: boolean;
  }): Promise<{
    records: BuildRecord[];
    accepted: boolean;
    cancelRequested: boolean;
    reported: boolean;
    published: boolean;
  }> => {
    const [{ records, accepted }, cancelRequested] = await Promise.all([
      look(ppaClient, input.ppa, input.packages),
      input.cancelUrl === null ? false : isCancelRequested(input.cancelUrl, deps),
    ]);
    for (const record of records)
      if (buildRecordState(record.buildState) === 'unknown')
        logger.warn(
          { buildId: input.buildId, alarm: 'unknown_build_state', buildState: record.buildState },
          'the PPA has a build state that is not known; it counts as active',
        );
    const builds = architectureBuilds(records);
    const isNews =
      input.reportDue || !isDeepStrictEqual(builds, architectureBuilds(input.previous));
    const published = true;
    if (!accepted || !isNews)
      return { records, accepted, cancelRequested, reported: false, published };
    const { buildId, attempt = 1, reportKey: key } = input;
    await report(
      { buildId, attempt, key, message: 'INPROGRESS', builds },
      Context.current().info.attempt,
    );
    return { records, accepted, cancelRequested, reported: true, published };
  };
}

async function look(
  ppaClient: PpaClient,
  ppa: Ppa,
  packages: readonly { source: string; version: string }[],
): Promise<{ records: BuildRecord[]; accepted: boolean }> {
  const records = new Map<string, BuildRecord>();
  let accepted = packages.length > 0;
  for (const wanted of packages) {
    const publications = await ppaClient.getPublishedSources(ppa, wanted);
    accepted &&= publications.length > 0;
    // A source copied to a second series has a second publication with the same builds.
    for (const { self_link } of publications)
      for (const build of await ppaClient.getBuilds(self_link))
        records.set(build.self_link, buildRecordOf(build));
  }
  return { records: [...records.values()], accepted };
}
