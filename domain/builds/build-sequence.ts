import { buildRecordState, type BuildRecord } from './build-state.ts';
import type { WatchState } from './build-workflow.ts';
import { shownPackage } from '../packages/source-file.ts';

/** Where a package of a request with an order is: to be uploaded later, uploaded, or left out. */
export const SEQUENCE_STATES = ['waiting', 'uploaded', 'not_built'] as const;

/** A package of a request with an order, as messages and the build resource show it. */
export type SequencedPackage = {
  package: string;
  version: string;
  /** 0 for those that need none of the others; packages of one level are built side by side. */
  level: number;
  /** The packages of the request that it build-depends on, 20 at most. */
  after: string[];
  state: (typeof SEQUENCE_STATES)[number];
  /** Why it was not built. */
  reason?: string;
};

const MAX_SHOWN_AFTER = 20;
const ENDED_BEFORE = 'the build ended before';

type Sequence = Pick<WatchState, 'packages' | 'sent' | 'notBuilt' | 'records'>;

/**
 * The packages of a request in their order; undefined where it has none.
 *
 * @param hasEnded nothing of it is uploaded any more
 */
export function sequenceOf(
  { packages, sent, notBuilt = [] }: Sequence,
  hasEnded: boolean,
): SequencedPackage[] | undefined {
  const leftOut = new Map(notBuilt.map(({ place, because }) => [place, because]));
  const nameOf = (place: number) => packages[place]?.source ?? '';
  const all = packages.flatMap(({ source, version, place: at }, place): SequencedPackage[] => {
    if (!at) return [];
    const because = leftOut.get(place);
    const shown = { package: source, version, level: at.level };
    const after = at.after.slice(0, MAX_SHOWN_AFTER).map(nameOf);
    if (because !== undefined) {
      const what = leftOut.has(because) ? 'was not built' : 'failed';
      return [{ ...shown, after, state: 'not_built', reason: `${nameOf(because)} ${what}` }];
    }
    if (place < sent) return [{ ...shown, after, state: 'uploaded' }];
    return hasEnded
      ? [{ ...shown, after, state: 'not_built', reason: ENDED_BEFORE }]
      : [{ ...shown, after, state: 'waiting' }];
  });
  return all.length > 0 ? all : undefined;
}

/** The packages of a build that has ended, as last told: what waited then is not built. */
export function endedSequence(told: readonly SequencedPackage[]): SequencedPackage[] {
  return told.map((one) =>
    one.state === 'waiting' ? { ...one, state: 'not_built', reason: ENDED_BEFORE } : one,
  );
}

/**
 * The packages that are not uploaded yet and cannot be built any more, each with the one that it needs and that has
 * failed or is left out itself. Every build of what was sent has ended.
 */
export function blockedPackages({
  packages,
  sent,
  notBuilt = [],
  records,
}: Sequence): { place: number; because: number }[] {
  const failed = new Set(
    records
      .filter(({ buildState }) => buildRecordState(buildState) !== 'completed')
      .map(({ package: source, version }: BuildRecord) => shownPackage({ source, version })),
  );
  const isOut = new Set(notBuilt.map(({ place }) => place));
  for (const [place, each] of packages.slice(0, sent).entries())
    if (failed.has(shownPackage(each))) isOut.add(place);
  const blocked: { place: number; because: number }[] = [];
  // Each comes behind those that it needs.
  for (const [place, { place: at }] of packages.entries()) {
    if (place < sent || isOut.has(place)) continue;
    const because = at?.after.find((other) => isOut.has(other));
    if (because === undefined) continue;
    isOut.add(place);
    blocked.push({ place, because });
  }
  return blocked;
}
