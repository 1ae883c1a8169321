import { ppaReference, type Ppa } from '../../domain/packages/ppa.ts';
import { waitUntil } from '../../main/embedded/wait-until.ts';
import type { BenchStack } from '../bench-stack.ts';
import { sideBySide } from '../../timing/side-by-side.ts';
import type { StoredSource } from '../stored-source.ts';
import type { BuildRows } from './build-rows.ts';
import { startProgressTally, type ProgressTally } from './progress-tally.ts';

const LANES = 20;
const POLL_MS = 500;

/** What builds are requested of and from. */
export type Setting = {
  bench: BenchStack;
  rows: BuildRows;
  sources: readonly StoredSource[];
  distribution: string;
  series: string;
  limitMs: number;
  signal: AbortSignal;
};

/** Builds that the PPA holds until they are released. */
export type Fleet = {
  queue: string;
  tally: ProgressTally;
  builds: { id: number; workflowId: string; source: StoredSource }[];
};

/** What the PPA does: builds stay in `Currently building` until their source, by its name, is released. */
export function holdingScript(released: readonly string[] | 'all'): object {
  const builds = {
    '*': [{ state: 'Currently building', untilReleased: true }, { state: 'Successfully built' }],
  };
  const each = released === 'all' ? [] : released;
  return {
    sources: {
      '*': { builds, released: released === 'all' },
      ...Object.fromEntries(each.map((source) => [source, { builds, released: true }])),
    },
  };
}

/** Time before the first poll of a PPA, where later ones come at most so seldom. */
export function initialPollMs(pollMaxMs: number): number {
  return Math.max(1_000, Math.round(pollMaxMs / 5));
}

/** Requests the build of a source in a PPA. */
export function requestBuild(
  { rest }: BenchStack,
  { ticketId, urls }: StoredSource,
  { ppa, series, queue }: { ppa: Ppa; series: string; queue: string },
): Promise<{ id: number; workflow_id: string }> {
  return rest.post('/api/v1/build_source', {
    ticket_id: ticketId,
    cancel_url: null,
    source_packages: urls,
    series,
    ppa: ppaReference(ppa),
    archive: ppa.distribution,
    progress_trigger: queue,
  });
}

/**
 * Requests so many builds of the sources, each in a PPA that has none of that source yet, and waits until Airline has
 * seen each of them build. PPA by PPA, so that the publisher of the stand-in does not do each of them again and again.
 *
 * @throws Error where a build ends, or not all build in time
 */
export async function bringIntoFlight(setting: Setting, count: number): Promise<Fleet> {
  const { bench, rows, sources, distribution, series, limitMs, signal } = setting;
  const queue = 'bench-flight';
  const tally = await startProgressTally(bench.stack.addresses.amqpUrl, queue);
  const numbers = Array.from({ length: count }, (_, at) => at);
  const builds = await sideBySide(numbers, LANES, async (at) => {
    signal.throwIfAborted();
    const source = sources[at % sources.length] as StoredSource;
    const name = `many-${Math.floor(at / sources.length)}`;
    const ppa = { owner: 'airline', distribution, name };
    const build = await requestBuild(bench, source, { ppa, series, queue });
    return { id: build.id, workflowId: build.workflow_id, source };
  });
  await waitUntil(
    `${count} builds in flight`,
    async () => tally.failures().length > 0 || (await rows.count(queue, 'building')) === count,
    { timeoutMs: limitMs, intervalMs: POLL_MS, signal },
  );
  const ended = tally.failures();
  if (ended.length > 0) throw new Error(`${ended.length} builds have failed: ${ended[0]}`);
  return { queue, tally, builds };
}

/** Waits for so many final messages. */
export async function untilEnded(setting: Setting, fleet: Fleet, count: number): Promise<void> {
  const { limitMs, signal } = setting;
  const options = { timeoutMs: limitMs, intervalMs: POLL_MS, signal };
  await waitUntil(`the end of ${count} builds`, () => fleet.tally.ended() >= count, options);
}
