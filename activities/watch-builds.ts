import { Context } from '@temporalio/activity';
import { isDeepStrictEqual } from 'node:util';
import { phaseInPpa } from '../domain/builds/build-phase.ts';
import type { BuildRecord } from '../domain/builds/build-state.ts';
import { OUTAGE_MS } from '../domain/builds/ppa-watch.ts';
import { ppaReference, type Ppa } from '../domain/packages/ppa.ts';
import { architectureBuilds, pollOf } from '../domain/builds/progress.ts';
import type { DescribedPackage, PackageVersion } from '../domain/packages/source-file.ts';
import { readClock } from '../models/sql/database-time.ts';
import { PpaUnavailableError } from '../ppa/web-service.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { isCancelRequested } from './sources/is-cancel-requested.ts';
import { alarmUnknownStates } from './watch/alarm-unknown-states.ts';
import { pollPpa } from './watch/poll-ppa.ts';
import { reportBuilds } from './report-progress.ts';

type Dependencies = Pick<
  ActivityDependencies,
  'ppaClient' | 'database' | 'onRecorded' | 'sources' | 'cancelUrlTimeoutMs' | 'logger'
>;

/**
 * One short poll of the PPA and of the cancel URL. Once the PPA has accepted every package, it reports INPROGRESS under
 * `reportKey` when there is something new: the acceptance, or a change of a record. A caller who is gone is told of
 * although the PPA does not answer.
 *
 * The PPA may answer from a copy of its database that lags behind. So a record that was there and is not listed any
 * more is asked for by its own address, and stays as it was where that has nothing either: no verdict is reached
 * without it.
 *
 * @param input.unverified packages whose contents in the PPA nobody has compared yet: somebody else may have uploaded
 * others under the same version just before us
 * @returns `accepted`: the PPA has a publication with builds of every package; `records`: all their builds as they are
 * now; `published`: every build has ended, and all packages of those that are built are, or were, published; true where
 * nobody asks for it; `withoutBuilds`: as `pollPpa` has them; `afterOutage`: the tries before this one have failed, two
 * at least, for `OUTAGE_MS`; `answersForMs`: so long ago the latest outage ended that the watch of the PPA has seen,
 * absent where it saw none
 * @throws AirlineError `version_conflict` where an unverified package is another one there; `source_gone` where its
 * publication is awaited and can come no more
 */
export function watchBuilds(deps: Dependencies) {
  const { database } = deps;
  const report = reportBuilds(deps);
  return async (input: {
    buildId: number;
    /** Workflows from before there were retries leave it out. */
    attempt?: number;
    attemptKey?: string;
    ppa: Ppa;
    /** Whose builds count. Inputs of older workflows lack it: then those of all series do. */
    series?: string;
    packages: PackageVersion[];
    unverified?: { series: string; packages: DescribedPackage[] };
    previous: BuildRecord[];
    reportKey: string;
    cancelUrl: string | null;
    awaitPublication?: boolean;
    /** Others of its packages are uploaded once what is built is published. */
    hasLater?: boolean;
  }): Promise<{
    records: BuildRecord[];
    accepted: boolean;
    cancelRequested: boolean;
    reported: boolean;
    published: boolean;
    /** None of these is known of what earlier code has seen. */
    afterOutage?: true;
    answersForMs?: number;
    withoutBuilds?: string[];
  }> => {
    // From here on it asks for itself, until it joins the builds that are watched again.
    const poll = pollOf(input.reportKey) ?? Infinity;
    await database.WatchedBuild.leave(input.buildId, input.attempt ?? 1, poll);
    const [polled, cancelRequested] = await Promise.all([
      pollPpa(deps, input).catch((error: unknown) => {
        if (error instanceof PpaUnavailableError) return error;
        throw error;
      }),
      input.cancelUrl === null ? false : isCancelRequested(input.cancelUrl, deps),
    ]);
    if (polled instanceof PpaUnavailableError) {
      if (!cancelRequested) throw polled;
      const { previous: records } = input;
      return { records, accepted: false, cancelRequested, reported: false, published: false };
    }
    const { records, accepted, published, withoutBuilds } = polled;
    const { attempt: tries, ...info } = Context.current().info;
    // Both by Temporal's clock. The first try may have waited for a worker: that it failed alone says nothing.
    const failedMs = info.currentAttemptScheduledTimestampMs - info.scheduledTimestampMs;
    const afterOutage = tries > 2 && failedMs >= OUTAGE_MS;
    const answersSince = await database.PpaWatch.markAnswering(ppaReference(input.ppa));
    const clock = answersSince && (await readClock(database.sequelize));
    const seen = {
      records,
      accepted,
      cancelRequested,
      published,
      ...(withoutBuilds ? { withoutBuilds } : {}),
      ...(afterOutage ? { afterOutage } : {}),
      ...(clock ? { answersForMs: clock() - answersSince.getTime() } : {}),
    };
    alarmUnknownStates(deps, input.buildId, records);
    const builds = architectureBuilds(records);
    const isNews =
      input.unverified !== undefined ||
      !isDeepStrictEqual(builds, architectureBuilds(input.previous));
    if (!accepted || !isNews) return { ...seen, reported: false };
    const { buildId, attempt = 1, attemptKey, reportKey: key } = input;
    const phase = phaseInPpa(
      builds.map(({ state }) => state),
      input.hasLater,
    );
    await report(
      {
        buildId,
        attempt,
        ...(attemptKey ? { attemptKey } : {}),
        key,
        message: 'INPROGRESS',
        phase,
        builds,
      },
      tries,
    );
    return { ...seen, reported: true };
  };
}
