import type { Ppa } from '../packages/ppa.ts';
import type { PackageVersion } from '../packages/source-file.ts';
import { MAX_LIMIT } from '../service/page-limit.ts';

/** The most PPAs of the pool: one page of the API has them all. */
export const MAX_POOL = MAX_LIMIT;

/** How a PPA of the pool stands. */
export const POOL_PPA_STATES = ['free', 'leased', 'cleaning', 'quarantined', 'retired'] as const;

export type PoolPpaState = (typeof POOL_PPA_STATES)[number];

/** Deadlines of the cleaning of a PPA; config gives the defaults. */
export type CleaningLimits = {
  /** Time for all of it. */
  cleanMs: number;
  /** The first wait between two polls of the PPA. */
  pollMs: number;
};

/** A PPA that is to be emptied. */
export type Cleaning = {
  poolPpaId: number;
  /** Which cleaning of the PPA it is. */
  cleaning: number;
  ppa: Ppa;
  /** Nobody has read yet what it had before it came to the pool. */
  readsPast: boolean;
  /** What its latest lease was for: the indexes of its apt repository have to forget it. */
  lastUse: { series: string; packages: PackageVersion[] } | null;
};

/** Input of CleanPpaWorkflow. */
export type CleaningInput = Cleaning & { limits: CleaningLimits };

/** The workflow id of a cleaning, such as `clean-ppa-3-2`. */
export function cleaningWorkflowId({
  poolPpaId,
  cleaning,
}: Pick<Cleaning, 'poolPpaId' | 'cleaning'>): string {
  return `clean-ppa-${poolPpaId}-${cleaning}`;
}

/** What one poll of a PPA that is to be emptied has come to. */
export type CleaningAnswer =
  | { isClean: true }
  /** What it waits for, in words. */
  | { waitsFor: string }
  /** Why nobody may get it, in words. */
  | { problem: string };
