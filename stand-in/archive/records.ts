import type { Pocket } from '../../domain/packages/archive.ts';
import {
  buildRecordState,
  isRestState,
  type LaunchpadBuildState,
} from '../../domain/builds/build-state.ts';

/** A file of a publication, in the archive's pool. */
export type StoredFile = { name: string; sizeBytes: number; sha256: string };

/** Launchpad's publication states that occur here (its WADL, `source_package_publishing_history-full`). */
export const PUBLICATION_STATUSES = [
  'Pending',
  'Published',
  'Superseded',
  'Deleted',
  'Obsolete',
] as const;

type PublicationStatus = (typeof PUBLICATION_STATUSES)[number];

/** Launchpad's source package publishing history entry. */
export type SourcePublication = {
  id: number;
  /** Reference of the archive: `~owner/distribution/name`, or the distribution for its primary archive. */
  archive: string;
  /** The publication that this source came with. Copies share it, and its builds. */
  releaseId: number;
  source: string;
  version: string;
  series: string;
  pocket: Pocket;
  component: string;
  section: string;
  status: PublicationStatus;
  createdAt: string;
  publishedAt: string | null;
  /** When it was superseded or deleted. */
  supersededAt: string | null;
  /** When a deleted one left the apt indexes. */
  removedAt: string | null;
  removalComment: string | null;
  /** Fingerprint of the key that signed the `.changes`. */
  signer: string;
  changedBy: string;
  /**
   * Name of the incoming upload, so that one that was accepted is never processed twice; null where nothing was
   * uploaded.
   */
  uploadId: string | null;
  changes: StoredFile;
  files: StoredFile[];
};

/** Launchpad's binary package publishing history entry. */
export type BinaryPublication = {
  id: number;
  archive: string;
  buildId: number;
  source: string;
  name: string;
  version: string;
  /** `all`, or the architecture it was built for. */
  architecture: string;
  series: string;
  pocket: Pocket;
  component: string;
  section: string;
  status: PublicationStatus;
  createdAt: string;
  publishedAt: string | null;
  supersededAt: string | null;
  removedAt: string | null;
  file: StoredFile;
};

/** A source or a package in an archive. */
export type Publication = SourcePublication | BinaryPublication;

/** Launchpad's build record: one architecture's build of one source publication. */
export type Build = {
  id: number;
  archive: string;
  sourceId: number;
  source: string;
  version: string;
  series: string;
  pocket: Pocket;
  architecture: string;
  /** This build also makes the packages that are for all architectures. */
  buildsArchitectureAll: boolean;
  /** One of Launchpad's states, or a word of the script: scripts may try states that are not known. */
  state: LaunchpadBuildState | (string & {});
  /** How often it was dispatched; a retry goes on counting. */
  attempt: number;
  createdAt: string;
  firstDispatchedAt: string | null;
  startedAt: string | null;
  builtAt: string | null;
  /** File names in the build's folder; null until the build ends. */
  log: string | null;
  uploadLog: string | null;
  changes: string | null;
  buildinfo: string | null;
  /** Unmet build dependencies, for Dependency wait. */
  dependencies: string | null;
  /** What it has uploaded that has no publications yet, and when it gets them. */
  accepted?: { dueAt: string; publications: Omit<BinaryPublication, 'id'>[] };
};

/** Launchpad's states of what waits in the queue of a series, or waited there. */
export const QUEUE_STATUSES = ['New', 'Unapproved', 'Accepted', 'Done', 'Rejected'] as const;

/** Launchpad's copy job, and its entry in the queue of its series if it was held there. */
export type Copy = {
  id: number;
  /** The archive that it is copied into. */
  archive: string;
  series: string;
  pocket: Pocket;
  source: string;
  version: string;
  fromArchive: string;
  fromSeries: string | undefined;
  fromPocket: Pocket | undefined;
  includeBinaries: boolean;
  /** The source is deleted where it came from. */
  move: boolean;
  silent: boolean;
  /** OAuth token of whoever asked for it. */
  token: string;
  createdAt: string;
  /** It was made, has failed or was rejected. */
  isDone: boolean;
  /** Null for one that was never held. */
  queueStatus: (typeof QUEUE_STATUSES)[number] | null;
};

/** Whether a publication is, or will be, in the apt indexes (Launchpad's `active_publishing_status`). */
export function isActive({ status }: { status: PublicationStatus }): boolean {
  return status === 'Pending' || status === 'Published';
}

/** Whether a build in this state stays in it until somebody retries it. */
export function hasEnded(state: string): boolean {
  return isRestState(buildRecordState(state));
}

/** Launchpad lets a build be cancelled in these states only. */
export function canBeCancelled(build: Build): boolean {
  return build.state === 'Needs building' || build.state === 'Currently building';
}

/** Launchpad lets a build be retried in these states only (`binarypackagebuild.py:can_be_retried`). */
export function canBeRetried(build: Build): boolean {
  switch (build.state) {
    case 'Failed to build':
    case 'Dependency wait':
    case 'Chroot problem':
    case 'Failed to upload':
    case 'Cancelled build':
      return true;
    default:
      return false;
  }
}

/** Builds that will not begin, because their source was superseded or deleted. */
export function supersedeBuilds(builds: readonly Build[]): Build[] {
  return builds
    .filter(({ state }) => state === 'Needs building' || state === 'Dependency wait')
    .map((build) => ({ ...build, state: 'Build for superseded Source', dependencies: null }));
}

/** A build that waits for a builder, with nothing of an earlier attempt. */
export const WAITING_FOR_BUILDER = {
  state: 'Needs building',
  startedAt: null,
  builtAt: null,
  log: null,
  uploadLog: null,
  changes: null,
  buildinfo: null,
  dependencies: null,
} as const satisfies Partial<Build>;

/** The build of a source that waits for its first builder. */
export function newBuild(
  id: number,
  { archive, id: sourceId, source, version, series, pocket, createdAt }: SourcePublication,
  what: Pick<Build, 'architecture' | 'buildsArchitectureAll'>,
): Build {
  return {
    id,
    archive,
    sourceId,
    source,
    version,
    series,
    pocket,
    ...what,
    ...WAITING_FOR_BUILDER,
    attempt: 0,
    createdAt,
    firstDispatchedAt: null,
  };
}

/** The time in Launchpad's form, `2026-01-31T12:00:00.123000+00:00`. */
export function now(): string {
  return new Date().toISOString().replace('Z', '000+00:00');
}
