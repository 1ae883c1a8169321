import { buildWorkflowId } from '../../domain/build-workflow.ts';
import { machineSeries } from '../../main/demo/machine-series.ts';
import { loadConfig } from '../../main/config/config.ts';
import { makeSigningKey } from '../../test/support/source-package.ts';
import { withBenchStack } from '../bench-stack.ts';
import { openBuildRows } from './build-rows.ts';
import { eventCosts, looksUntil, type EventCosts, type LooksAndEvents } from './event-count.ts';
import { startProgressTally } from './progress-tally.ts';
import { readHistories } from './read-histories.ts';
import { makeSources } from './scale-sources.ts';
import { waitUntil } from '../../main/embedded/wait-until.ts';

/** Chosen so that the first, the second and the third look sees the end. */
const BUILD_TIMES_MS = [1_000, 20_000, 60_000];
const MINUTE_MS = 60_000;
const NEEDED_BYTES = 4 * 2 ** 30;
const LIMIT_MS = 10 * 60_000;
const QUEUE = 'bench-events';

export type EventMeasurement = {
  /** Builds as they were measured, by the time that the PPA took for them. */
  measured: ({ buildMs: number; forecastLooks: number } & LooksAndEvents)[];
  costs: EventCosts;
  ofOneMinute: LooksAndEvents;
  /** By the schedule and the measured costs. */
  ofTenMinutes: LooksAndEvents;
};

/**
 * Measures how many history events builds have with the intervals for Launchpad. One source package is built in PPAs
 * of different names, whose builds take different times; all at once, so that it takes little more than a minute.
 */
export async function measureEvents(options: {
  signal: AbortSignal;
  say: (line: string) => void;
}): Promise<EventMeasurement> {
  const { signal, say } = options;
  const limits = loadConfig({}).build;
  const key = await makeSigningKey('Airline Bench <bench@airline.example>');
  const scriptOf = (name: string, durationMs: number) => ({
    [name]: {
      builds: {
        '*': [{ state: 'Currently building', durationMs }, { state: 'Successfully built' }],
      },
    },
  });
  try {
    return await withBenchStack(
      {
        script: {},
        environment: {
          AIRLINE_POLL_INITIAL_MS: String(limits.pollInitialMs),
          AIRLINE_POLL_FACTOR: String(limits.pollFactor),
          AIRLINE_POLL_MAX_MS: String(limits.pollMaxMs),
          AIRLINE_PROGRESS_INTERVAL_MS: String(limits.progressIntervalMs),
          AIRLINE_STAND_IN_BUILDERS: String(BUILD_TIMES_MS.length),
        },
        neededBytes: NEEDED_BYTES,
        signal,
      },
      async (bench) => {
        const { distribution, series } = await machineSeries();
        const { addresses } = bench.stack;
        const count = BUILD_TIMES_MS.length;
        const sources = await makeSources(bench, { count, series, key, signal });
        bench.play({
          sources: Object.assign(
            {},
            ...sources.map(({ name }, at) => scriptOf(name, BUILD_TIMES_MS[at] ?? 0)),
          ) as object,
        });
        const rows = await openBuildRows(addresses.databaseUrl, (row) =>
          buildWorkflowId({ ...row, buildId: row.id, attempt: 1 }),
        );
        const tally = await startProgressTally(addresses.amqpUrl, QUEUE);
        try {
          for (const source of sources)
            await bench.rest.post('/api/v1/build_source', {
              ticket_id: source.ticketId,
              cancel_url: null,
              source_packages: source.urls,
              series,
              ppa: `~airline/${distribution}/events`,
              archive: distribution,
              progress_trigger: QUEUE,
            });
          say(
            `builds of ${BUILD_TIMES_MS.map((ms) => `${ms / 1_000} s`).join(', ')} are requested`,
          );
          await waitUntil('their end', () => tally.ended() === count, {
            timeoutMs: LIMIT_MS,
            intervalMs: 250,
            signal,
          });
          const [failure] = tally.failures();
          if (failure !== undefined) throw new Error(`A build failed: ${failure}`);
          const histories = await readHistories(
            addresses.temporalAddress,
            await rows.workflowIds(QUEUE),
          );
          const measured = histories.map(({ looks, events }, at) => ({
            buildMs: BUILD_TIMES_MS[at] ?? 0,
            forecastLooks: looksUntil(limits, BUILD_TIMES_MS[at] ?? 0),
            looks: looks.length,
            events,
          }));
          return summarise(measured, looksUntil(limits, 10 * MINUTE_MS));
        } finally {
          await tally.stop();
          await rows.close();
        }
      },
    );
  } finally {
    await key.remove();
  }
}

function summarise(
  measured: EventMeasurement['measured'],
  looksOfTenMinutes: number,
): EventMeasurement {
  const ofOneMinute = measured.find(({ buildMs }) => buildMs === MINUTE_MS);
  if (!ofOneMinute) throw new Error('No build of a minute was measured.');
  const costs = eventCosts(measured);
  return {
    measured,
    costs,
    ofOneMinute: { looks: ofOneMinute.looks, events: ofOneMinute.events },
    ofTenMinutes: {
      looks: looksOfTenMinutes,
      events: costs.base + costs.perLook * looksOfTenMinutes,
    },
  };
}
