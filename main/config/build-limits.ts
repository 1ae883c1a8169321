import type { BuildLimits } from '../../domain/build-request.ts';
import type { Config } from './config.ts';

/** The intervals and deadlines of a build, as its workflow takes them. */
export function buildLimits(config: Config): BuildLimits {
  return {
    pollInitialMs: config.AIRLINE_POLL_INITIAL_MS,
    pollFactor: config.AIRLINE_POLL_FACTOR,
    pollMaxMs: config.AIRLINE_POLL_MAX_MS,
    progressIntervalMs: config.AIRLINE_PROGRESS_INTERVAL_MS,
    acceptanceMs: config.AIRLINE_ACCEPTANCE_MS,
    dependencyWaitMs: config.AIRLINE_DEPENDENCY_WAIT_MS,
    wholeBuildMs: config.AIRLINE_WHOLE_BUILD_MS,
    sourceCheckMs: config.AIRLINE_SOURCE_CHECK_MS,
    uploadMs: config.AIRLINE_UPLOAD_MS,
    uploadSessionMs: config.AIRLINE_UPLOAD_SESSION_MS,
    logCollectionMs: config.AIRLINE_LOG_COLLECTION_MS,
    cancellationMs: config.AIRLINE_CANCELLATION_MS,
    awaitPublication: config.AIRLINE_AWAIT_PUBLICATION === 'on',
    historyMaxEvents: config.AIRLINE_HISTORY_MAX_EVENTS,
  };
}
