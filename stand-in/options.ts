import type { Logger } from 'pino';
import type { RunAs } from '../sandbox/unprivileged.ts';

/** All options of the Launchpad stand-in; it reads nothing from the environment. */
export type StandInOptions = {
  /** Address that the web service and the upload server bind to. */
  host: string;
  /** Port of the web service; 0 takes a free one. */
  webPort: number;
  /** Port of the upload server; 0 takes a free one. */
  ftpPort: number;
  /** State lives in `<stateDir>/stand-in/`; upload keys are `<stateDir>/stand-in/keys/*.asc`. */
  stateDir: string;
  /** Chroots and build directories live here; the user of `runAs` must be able to reach it. */
  cacheDir: string;
  /** An upload for any other series is rejected. */
  distributions: Distributions;
  /** Architectures of every PPA. The first one also builds what is for all architectures. */
  architectures: readonly [string, ...string[]];
  /** Builds that run at once. */
  builders: number;
  /** JSON script of builds, accounts, archives and outages. Unset: real sbuild builds, and nothing fails. */
  scriptPath?: string | undefined;
  /** Interval at which uploads are processed and packages are published. */
  processIntervalMs: number;
  /** Set where the process is root, which sbuild refuses to be. */
  runAs?: RunAs | undefined;
  logger: Logger;
  limits?: Partial<StandInLimits>;
};

/** The series of each distribution. */
export type Distributions = Readonly<Record<string, readonly string[]>>;

export type StandInLimits = {
  /** An FTP connection that transfers nothing for this long is ended. */
  ftpIdleMs: number;
  /** Largest upload session, all files together. */
  uploadMaxBytes: number;
  /** Time for a build, chroot and all. */
  buildMs: number;
  /** Time for making a chroot. */
  chrootMs: number;
  /** Time for a build to end after SIGTERM; then it gets SIGKILL. */
  killAfterMs: number;
  /** Largest build log that is kept; the rest is cut off, and the log says so. */
  logMaxBytes: number;
};

/** A running stand-in. */
export type StandIn = {
  /** Root of the web service, without the version: what launchpadlib takes as service root. */
  webUrl: string;
  /** `host:port` of the upload server. */
  ftpAddress: string;
  /** Ends running builds (they start again at the next start), closes ports and state. */
  stop(): Promise<void>;
};
