import { ppaReference } from '../../domain/ppa.ts';
import { waitUntil } from '../../main/embedded/wait-until.ts';
import type { BenchStack } from '../bench-stack.ts';
import type { BuildRows } from './build-rows.ts';
import { startProgressTally, type ProgressTally } from './progress-tally.ts';
import type { StoredSource } from './scale-sources.ts';
import { sideBySide } from './side-by-side.ts';

const LANES = 20;
const LOOK_MS = 500;
const SAY_MS = 30_000;

/** What builds are requested of and from. */
export type Setting = {
  bench: BenchStack;
  rows: BuildRows;
  sources: readonly StoredSource[];
  distribution: string;
  series: string;
  signal: AbortSignal;
  say: (line: string) => void;
};

/** Builds that the PPA holds until they are released. */
export type Fleet = {
  queue: string;
  tally: ProgressTally;
  /** Ids of the builds of a source. */
  buildsOf: (source: StoredSource) => number[];
  requestedMs: number;
  inFlightMs: number;
};

/** What the PPA does: builds stay in `Currently building` until their source is released. */
export function holdingScript(released: readonly StoredSource[] | 'all'): object {
  const builds = {
    '*': [{ state: 'Currently building', untilReleased: true }, { state: 'Successfully built' }],
  };
  const each = released === 'all' ? [] : released;
  return {
    sources: {
      '*': { builds, released: released === 'all' },
      ...Object.fromEntries(each.map(({ name }) => [name, { builds, released: true }])),
    },
  };
}

/**
 * Requests so many builds of the sources, each in a PPA that has none of that source yet, and waits until Airline has
 * seen each of them build. PPA by PPA, so that the publisher of the stand-in does not do each of them again and again.
 *
 * @throws Error where a build ends, or not all build in time
 */
export async function bringIntoFlight(
  setting: Setting,
  count: number,
  name: string,
  limitMs: number,
): Promise<Fleet> {
  const { bench, rows, sources, signal, say } = setting;
  const queue = `bench-${name}`;
  const tally = await startProgressTally(bench.stack.addresses.amqpUrl, queue);
  const bySource = new Map<StoredSource, number[]>();
  const startedAtMs = performance.now();
  const elapsedMs = () => performance.now() - startedAtMs;
  await sideBySide(
    Array.from({ length: count }, (_, at) => at),
    LANES,
    async (at) => {
      signal.throwIfAborted();
      const source = sources[at % sources.length] as StoredSource;
      const ppa = {
        owner: 'airline',
        distribution: setting.distribution,
        name: `${name}-${Math.floor(at / sources.length)}`,
      };
      const { id } = await bench.rest.post<{ id: number }>('/api/v1/build_source', {
        ticket_id: source.ticketId,
        cancel_url: null,
        source_packages: source.urls,
        series: setting.series,
        ppa: ppaReference(ppa),
        archive: ppa.distribution,
        progress_trigger: queue,
      });
      bySource.set(source, [...(bySource.get(source) ?? []), id]);
    },
  );
  const requestedMs = elapsedMs();
  say(`${name}: ${count} builds requested in ${(requestedMs / 1_000).toFixed(1)} s`);
  let saidAtMs = Date.now();
  let ended: string[] = [];
  await waitUntil(
    `${count} builds in flight`,
    async () => {
      ended = tally.failures();
      const states = await rows.states(queue);
      if (Date.now() - saidAtMs > SAY_MS) {
        saidAtMs = Date.now();
        say(`${name}: ${JSON.stringify(states)}`);
      }
      return ended.length > 0 || states['building'] === count;
    },
    { timeoutMs: limitMs, intervalMs: LOOK_MS, signal },
  );
  if (ended.length > 0) throw new Error(`${ended.length} builds have failed: ${ended[0]}`);
  const inFlightMs = elapsedMs();
  say(`${name}: all in flight after ${(inFlightMs / 1_000).toFixed(1)} s`);
  const buildsOf = (source: StoredSource) => bySource.get(source) ?? [];
  return { queue, tally, buildsOf, requestedMs, inFlightMs };
}

/** Waits for so many final messages. @returns milliseconds */
export async function untilEnded(
  { signal, say }: Setting,
  { tally, queue }: Fleet,
  count: number,
  limitMs: number,
): Promise<number> {
  const startedAtMs = performance.now();
  let saidAtMs = Date.now();
  await waitUntil(
    `the end of ${count} builds`,
    () => {
      const ended = tally.ended();
      if (Date.now() - saidAtMs > SAY_MS) {
        saidAtMs = Date.now();
        say(`${queue}: ${ended} of ${count} have ended`);
      }
      return ended >= count;
    },
    { timeoutMs: limitMs, intervalMs: LOOK_MS, signal },
  );
  return performance.now() - startedAtMs;
}
