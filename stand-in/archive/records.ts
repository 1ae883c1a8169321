import { buildRecordState, type LaunchpadBuildState } from '../../domain/build-state.ts';

/** A file of a publication, in the archive's pool. */
export type StoredFile = { name: string; sizeBytes: number; sha256: string };

/** Launchpad's publication states that occur here (its WADL, `source_package_publishing_history-full`). */
type PublicationStatus = 'Pending' | 'Published' | 'Superseded' | 'Deleted' | 'Obsolete';

/** Launchpad's source package publishing history entry. */
export type SourcePublication = {
  id: number;
  /** Reference of the PPA, `~owner/distribution/name`. */
  archive: string;
  source: string;
  version: string;
  series: string;
  component: string;
  section: string;
  status: PublicationStatus;
  createdAt: string;
  publishedAt: string | null;
  supersededAt: string | null;
  /** Fingerprint of the key that signed the `.changes`. */
  signer: string;
  changedBy: string;
  /** Name of the incoming upload, so that one that was accepted is never processed twice. */
  uploadId: string;
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
  component: string;
  section: string;
  status: PublicationStatus;
  createdAt: string;
  publishedAt: string | null;
  supersededAt: string | null;
  file: StoredFile;
};

/** Launchpad's build record: one architecture's build of one source publication. */
export type Build = {
  id: number;
  archive: string;
  sourceId: number;
  source: string;
  version: string;
  series: string;
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
};

/** Whether a build in this state stays in it until somebody retries it. */
export function hasEnded(state: string): boolean {
  const kind = buildRecordState(state);
  return kind === 'completed' || kind === 'failed' || kind === 'dependency_wait';
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

/** The time in Launchpad's form, `2026-01-31T12:00:00.123000+00:00`. */
export function now(): string {
  return new Date().toISOString().replace('Z', '000+00:00');
}
