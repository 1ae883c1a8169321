import { setTimeout as sleep } from 'node:timers/promises';
import type { BuildRecord } from '../../domain/builds/build-state.ts';
import { machineSeries } from '../../main/demo/machine-series.ts';
import { waitUntil } from '../../main/embedded/wait-until.ts';
import { readMachine } from '../../sandbox/machine.ts';
import { makeSigningKey } from '../../test/support/signing-key.ts';
import { withBenchStack } from '../bench-stack.ts';
import { memoryBytes } from '../process-memory.ts';
import { atLeast, atMost, type Result } from '../report.ts';
import { spreadOf } from '../statistics.ts';
import { storeSource } from '../stored-source.ts';
import { holdingScript, initialPollMs, requestBuild } from './builds-in-flight.ts';
import { openBuildRows } from './build-rows.ts';
import { copyBuild, fillStandIn, sourceName, type Copies } from './copied-builds.ts';
import { startProgressTally } from './progress-tally.ts';
import { measureSteadyCost } from './steady-cost.ts';

const PPAS = 100;
/** Of each PPA so many end while all others stay. */
const ENDED_OF_EACH = 1;
const QUEUE = 'bench-watch';
const MODEL = 'airline-model';
const UPSTREAM_BYTES = 4_096;
const LIMIT_MS = 3 * 3_600_000;
const POLL_MS = 500;
const NEEDED_BYTES = 8 * 2 ** 30;
const BYTES_PER_BUILD = 128 * 2 ** 10;
const MIBIBYTE = 2 ** 20;
/** Beside one wait between two polls. */
const MAX_LATE_S = 5;
const PARTS = ['worker', 'api', 'temporal', 'stand-in'] as const;

/**
 * What it costs to watch builds that are in flight, however they came there: one build comes the whole way, all others
 * are copies of it, a row, a workflow and a build in the PPA each. Some end while the others stay.
 */
export async function measureWatch(options: {
  /** Rounded up, so that there are as many in each of the PPAs. */
  builds: number;
  /** Longest wait between two polls; the first takes a fifth of it. */
  pollMaxMs: number;
  signal: AbortSignal;
  say: (line: string) => void;
}): Promise<Result> {
  const { pollMaxMs, signal, say } = options;
  const sources = Math.ceil(options.builds / PPAS);
  const builds = sources * PPAS;
  const { distribution, series } = await machineSeries();
  const { architecture } = await readMachine();
  const copies: Copies = { ppas: PPAS, sources, distribution, series };
  const ending = Array.from({ length: ENDED_OF_EACH }, (_, at) => sourceName(at));
  const key = await makeSigningKey('Airline Bench', 'bench@airline.example');
  const stackOptions = {
    script: holdingScript([]),
    prepare: (stateDir: string) => fillStandIn(stateDir, architecture, copies),
    environment: {
      AIRLINE_POLL_INITIAL_MS: String(initialPollMs(pollMaxMs)),
      AIRLINE_POLL_MAX_MS: String(pollMaxMs),
      // Else every build tells its caller every five minutes that it goes on.
      AIRLINE_PROGRESS_INTERVAL_MS: String(LIMIT_MS),
      AIRLINE_STAND_IN_BUILDERS: String(PPAS * ENDED_OF_EACH),
    },
    neededBytes: NEEDED_BYTES + builds * BYTES_PER_BUILD,
    signal,
  };
  return withBenchStack(stackOptions, async (bench) => {
    const rows = await openBuildRows(bench.stack.addresses.databaseUrl);
    const tally = await startProgressTally(bench.stack.addresses.amqpUrl, QUEUE);
    const until = (what: string, isSo: () => boolean | Promise<boolean>) =>
      waitUntil(what, isSo, { timeoutMs: LIMIT_MS, intervalMs: POLL_MS, signal });
    try {
      const source = { name: MODEL, upstreamBytes: UPSTREAM_BYTES, series, key };
      const ppa = { owner: 'airline', distribution, name: 'model' };
      const model = await requestBuild(bench, await storeSource(bench, source), {
        ppa,
        series,
        queue: QUEUE,
      });
      let record: BuildRecord | undefined;
      await until('the model in flight', async () => {
        record = await rows.recordOf(model.id);
        return record !== undefined;
      });
      if (!record) throw new Error('The PPA has no build of the model.');
      say('one build has come the whole way; it is copied');

      const startedAtMs = Date.now();
      const ids = await copyBuild(
        bench,
        { id: model.id, workflowId: model.workflow_id, source: MODEL, record },
        copies,
        (atLeast) =>
          until(`${atLeast} builds watched`, async () => (await rows.watched()) >= atLeast),
      );
      say(`${builds} workflows started after ${seconds(Date.now() - startedAtMs)} s`);
      await until(`${builds} builds told`, async () => (await rows.told()) > builds);
      const rampS = seconds(Date.now() - startedAtMs);
      say(`all in flight after ${rampS} s`);

      await sleep(2 * pollMaxMs, undefined, { signal });
      const setting = { bench, rows, signal };
      const { callsPerSecond, cores } = await measureSteadyCost(setting, PARTS, 2 * pollMaxMs);
      const mebibytes = PARTS.map((part) => memoryBytes(bench.pidOf(part)) / MIBIBYTE);

      const releasedAtMs = Date.now();
      bench.play(holdingScript(ending));
      const released = ids.slice(0, ENDED_OF_EACH).flat();
      const endOf = (id: number) => tally.builds.get(id)?.receivedAtMs ?? Number.NaN;
      await until(`the end of ${released.length} builds`, () => tally.ended() >= released.length);
      const latency = spreadOf(released.map((id) => endOf(id) - releasedAtMs));
      const sound = released.filter((id) => {
        const build = tally.builds.get(id);
        return build?.finals === 1 && !build.failure && !build.isOutOfOrder;
      });
      return {
        title: 'What it costs to watch builds in flight',
        notes: [
          `${builds} builds in flight in ${PPAS} PPAs, with one worker and one API. One build came the whole way; the others are copies of it: a row, a workflow as one that has continued as new, and a build in the stand-in, which waits for a builder or is built. Each PPA is polled every ${seconds(pollMaxMs)} s (AIRLINE_POLL_MAX_MS). Then ${ENDED_OF_EACH} of each PPA ended while the others stayed; these were not ended.`,
          'The messages that builds send while nothing changes were switched off.',
        ],
        goals: [
          atLeast('builds that ended with all their messages', sound.length, released.length),
          atMost(
            'release to final message (p99), others in flight, s',
            seconds(latency.p99Ms),
            seconds(pollMaxMs) + MAX_LATE_S,
          ),
        ],
        tables: [
          PARTS.map((part, at) => ({
            part,
            cores: cores[part],
            'memory, MiB': mebibytes[at] ?? Number.NaN,
          })),
          [
            {
              'calls of the PPAs a second': callsPerSecond,
              'until all were in flight, s': rampS,
              'release to final message, p50, s': seconds(latency.p50Ms),
              'max, s': seconds(latency.maxMs),
            },
          ],
        ],
      };
    } finally {
      await tally.stop();
      await rows.close();
    }
  });
}

function seconds(ms: number): number {
  return ms / 1_000;
}
