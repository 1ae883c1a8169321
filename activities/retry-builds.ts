import { Context } from '@temporalio/activity';
import {
  buildRecordState,
  CANCELLING_BUILD,
  saysNothingOfSource,
} from '../domain/builds/build-state.ts';
import { buildHasFailed } from '../domain/builds/retry-choice.ts';
import { AirlineError } from '../domain/errors.ts';
import { ppaReference, type Ppa } from '../domain/packages/ppa.ts';
import { shownPackage, type PackageVersion } from '../domain/packages/source-file.ts';
import { PpaAnswerError } from '../ppa/web-service.ts';
import type { Build } from '../ppa/wire.ts';
import { buildRecordOf } from './ppa/build-record.ts';
import { buildsForSeries } from './ppa/builds-for-series.ts';
import type { shownToOthers } from './ppa/watched-by-others.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { whileWanted } from './sources/while-wanted.ts';

type Dependencies = Pick<
  ActivityDependencies,
  'ppaClient' | 'sources' | 'cancelUrlTimeoutMs' | 'cancelUrlPollMs' | 'logger'
> & { shownToOthers: ReturnType<typeof shownToOthers> };
type Retry = {
  /** Inputs of older workflows lack it. */
  buildId?: number;
  ppa: Ppa;
  /** Whose builds are retried. Inputs of older workflows lack it: then those of all series are. */
  series?: string;
  packages: PackageVersion[];
  /** Builds on others are left as they are. All where it is absent. */
  architectures?: string[];
  /**
   * The builds are not of this request, which nobody has asked to retry: left as they are, too, are those whose end
   * says something of the source, those that another request waits for, and those that our account may not retry.
   */
  ofEarlierRequests?: true;
  /** Inputs of older workflows lack it. */
  cancelUrl?: string | null;
};

/** Launchpad's answers to an account without `launchpad.Edit`, and to nobody's. */
const NOT_ALLOWED = [401, 403];

/**
 * Asks the PPA to retry the failed builds of these packages that can be retried. A build that is under way counts as
 * retried: an earlier try of this activity, or somebody else, has asked for it. One that is being cancelled there can
 * be retried only by a later try of this activity.
 *
 * A caller who is gone ends it: the cancel URL is asked before it, and again and again meanwhile.
 *
 * @param deps.shownToOthers as the function of this name gives it
 * @returns how many of these builds the PPA has to do now; 0 where a package is not there
 * @throws AirlineError `retry_not_allowed` where our account may not retry them, which no later try changes;
 * ApplicationFailure of the type `CALLER_GONE`
 */
export function retryBuilds(deps: Dependencies) {
  const { ppaClient, shownToOthers: findOthers, logger } = deps;
  return (input: Retry): Promise<{ retried: number }> =>
    whileWanted(input.cancelUrl, deps, Context.current().cancellationSignal, ({ signal }) =>
      retryFailed(input, signal),
    );

  async function retryFailed(input: Retry, signal: AbortSignal): Promise<{ retried: number }> {
    const builds = [];
    for (const wanted of input.packages) {
      const publications = await ppaClient.getPublishedSources(input.ppa, wanted);
      if (publications.length === 0) return { retried: 0 };
      const ofSeries = await buildsForSeries(publications, input.series, ppaClient);
      builds.push(...ofSeries.builds);
    }
    const { buildId, ofEarlierRequests = false } = input;
    const others =
      ofEarlierRequests && buildId !== undefined
        ? await findOthers(buildId, builds.map(buildRecordOf))
        : undefined;
    let retried = 0;
    let cancelling: string | undefined;
    for (const build of builds) {
      const { package: source, version, architecture, buildState } = buildRecordOf(build);
      if (input.architectures?.includes(architecture) === false) continue;
      if (others?.has(build.self_link)) continue;
      const state = buildRecordState(buildState);
      if (state === 'completed') continue;
      if (buildState === CANCELLING_BUILD)
        cancelling ??= `${shownPackage({ source, version })} on ${architecture}`;
      if (buildHasFailed({ state })) {
        if (ofEarlierRequests && !saysNothingOfSource({ buildState })) continue;
        signal.throwIfAborted();
        if (!build.can_be_retried || !(await retry(input, build))) continue;
        logger.info({ build: build.self_link }, 'asked the PPA to retry a build');
      }
      retried += 1;
    }
    if (cancelling !== undefined)
      throw new Error(`${cancelling} is being cancelled in the PPA; it can be retried after that`);
    return { retried };
  }

  async function retry({ ppa, ofEarlierRequests }: Retry, build: Build): Promise<boolean> {
    try {
      return await ppaClient.retry(build.self_link);
    } catch (error) {
      if (!(error instanceof PpaAnswerError) || !NOT_ALLOWED.includes(error.status)) throw error;
      if (ofEarlierRequests) {
        logger.warn({ build: build.self_link, err: error }, 'our account may not retry a build');
        return false;
      }
      const { package: source, version, architecture } = buildRecordOf(build);
      throw new AirlineError(
        'retry_not_allowed',
        `${ppaReference(ppa)} does not let our account retry ${shownPackage({ source, version })} on ${architecture}: ${error.message}`,
        { cause: error },
      );
    }
  }
}
