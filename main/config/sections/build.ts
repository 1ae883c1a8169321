import { count, factor, milliseconds, onOrOff, section, UP_TO_A_MONTH } from '../setting.ts';

export const build = section('Intervals and deadlines of a build', {
  build: {
    pollInitialMs: milliseconds(
      'AIRLINE_POLL_INITIAL_MS',
      10_000,
      'Wait before the PPA is polled for the first time.',
    ),
    pollFactor: factor(
      { min: 1, max: 10 },
      'AIRLINE_POLL_FACTOR',
      2,
      'Factor by which the wait between polls grows.',
    ),
    pollMaxMs: milliseconds(
      'AIRLINE_POLL_MAX_MS',
      60_000,
      'Longest wait between polls of the PPA.',
    ),
    sourceCheckMs: milliseconds(
      'AIRLINE_SOURCE_CHECK_MS',
      3_600_000,
      'Time for one try to fetch and check the sources, or to make the source of a merge proposal. The wait for a free worker is not a part of it. A try that takes all of the time is the last one.',
    ),
    uploadMs: milliseconds(
      'AIRLINE_UPLOAD_MS',
      6 * 3_600_000,
      "Time for one package's upload, all tries together. At most 20 sessions with the upload server are tried; while the PPA's web service does not answer, none is.",
    ),
    uploadSessionMs: milliseconds(
      'AIRLINE_UPLOAD_SESSION_MS',
      2 * 3_600_000,
      "Time for one session of a package's upload.",
    ),
    acceptanceMs: milliseconds(
      'AIRLINE_ACCEPTANCE_MS',
      15 * 60_000,
      'Time for the PPA to show an upload, counted anew after an outage of its web service. After that, the upload counts as rejected.',
      UP_TO_A_MONTH,
    ),
    dependencyWaitMs: milliseconds(
      'AIRLINE_DEPENDENCY_WAIT_MS',
      2 * 3_600_000,
      'Time that a Dependency wait may last once nothing else of the request is under way. Launchpad looks once an hour whether what is missing has come, so an hour or less may be too short.',
      UP_TO_A_MONTH,
    ),
    awaitPublication: onOrOff(
      'AIRLINE_AWAIT_PUBLICATION',
      'off',
      'When a build is completed. off: when all is built. on: when its binaries are published as well.',
    ),
    logCollectionMs: milliseconds(
      'AIRLINE_LOG_COLLECTION_MS',
      15 * 60_000,
      'Time for one try to collect the logs. The wait for a free worker is not a part of it. A try that takes nearly all of it is the last one, and the build is told with the logs that are there by then.',
    ),
    cancellationMs: milliseconds(
      'AIRLINE_CANCELLATION_MS',
      10 * 60_000,
      'Time for the PPA to end the builds of a cancelled request.',
    ),
    wholeBuildMs: milliseconds(
      'AIRLINE_WHOLE_BUILD_MS',
      24 * 3_600_000,
      'Time for a whole build.',
      UP_TO_A_MONTH,
    ),
    ppaWatch: onOrOff(
      'AIRLINE_PPA_WATCH',
      'on',
      'Who polls a PPA for the builds that begin. on: one workflow for all of the PPA. off: each build by itself; one that is reset in Temporal leaves out changes until it has polled as often as before.',
    ),
    historyMaxEvents: count(
      'AIRLINE_HISTORY_MAX_EVENTS',
      2_000,
      'A workflow continues as new at this many history events; the watch of a PPA at 300 of them, if that is less.',
    ),
  },
  repeater: {
    intervalMs: milliseconds(
      'AIRLINE_PROGRESS_INTERVAL_MS',
      300_000,
      'Longest time between two messages of a build that has not ended, whatever it is doing or waits for. While Temporal hangs, it holds if it is at least twice AIRLINE_TEMPORAL_TIMEOUT_MS.',
    ),
  },
  api: {
    limits: {
      buildAttempts: count(
        'AIRLINE_BUILD_ATTEMPTS',
        100,
        'Largest number of attempts of one build, retries included.',
      ),
    },
  },
});
