import {
  DataTypes,
  Model,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type NonAttribute,
  type ModelAttributes,
} from 'sequelize';
import type { BuildPhase } from '../../domain/builds/build-phase.ts';
import type { BuildOrder } from '../../domain/builds/build-order.ts';
import type { BuildRequest, BuildState, Merge } from '../../domain/builds/build-request.ts';
import type { SequencedPackage } from '../../domain/builds/build-sequence.ts';
import type { BuiltPackage } from '../../domain/builds/built-package.ts';
import { buildWorkflowId } from '../../domain/builds/build-workflow.ts';
import { acceptedPpa, type Ppa } from '../../domain/packages/ppa.ts';
import { packagesInPpa, type PackageVersion } from '../../domain/packages/source-file.ts';
import type { Failure } from '../../domain/builds/failure.ts';
import type { ArchitectureBuild } from '../../domain/builds/progress.ts';
import type { ShownUpload } from '../../domain/builds/upload-progress.ts';
import type { Waiting, WaitLimits } from '../../domain/builds/waiting.ts';
import type { LastError } from './last-error.ts';

/** The row of a build: a request, and the state of its latest attempt. */
export class BuildRow extends Model<InferAttributes<BuildRow>, InferCreationAttributes<BuildRow>> {
  declare readonly id: CreationOptional<number>;
  declare readonly ticketId: number;
  declare readonly sourcePackages: string[];
  /** The names of the source packages. */
  declare readonly packageNames: CreationOptional<string[]>;
  declare readonly series: string;
  declare readonly ppa: string;
  declare readonly archive: string;
  /** The caller's queue; null where its request named a webhook alone. */
  declare readonly progressTrigger: string | null;
  /** The webhook that its request named. It may have been deleted since. */
  declare readonly webhookId: CreationOptional<number | null>;
  declare readonly cancelUrl: string | null;
  /** The subticket whose merge proposal it builds, and what it merges; null where the request names its sources. */
  declare readonly subticketId: CreationOptional<number | null>;
  declare readonly merge: CreationOptional<Merge | null>;
  /** In which order its packages are built; null: all at once. */
  declare readonly order: CreationOptional<BuildOrder | null>;
  /** Its packages in that order, once its sources are checked. */
  declare readonly sequence: CreationOptional<SequencedPackage[]>;
  /** The landing that it is a part of, whose workflow starts its own. */
  declare readonly landingId: CreationOptional<number | null>;
  /** `X-Request-Id` of the request that was accepted. */
  declare readonly requestId: string | null;
  /** The span of that request, as `traceparent` names it; null where nobody records traces. */
  declare readonly traceparent: CreationOptional<string | null>;
  declare readonly state: CreationOptional<BuildState>;
  declare readonly phase: CreationOptional<BuildPhase>;
  declare readonly phaseSince: CreationOptional<Date>;
  /** What it waits for, as its latest event told it, and as its dispatch changed that. */
  declare readonly waiting: CreationOptional<Waiting | null>;
  /** How far the upload is, while there is one. */
  declare readonly upload: CreationOptional<ShownUpload | null>;
  declare readonly architectureBuilds: CreationOptional<ArchitectureBuild[]>;
  declare readonly logs: CreationOptional<string[]>;
  declare readonly failure: CreationOptional<Failure | null>;
  /** What a completed build has made, as far as the PPA showed it, and the line for apt. */
  declare readonly builtPackages: CreationOptional<BuiltPackage[]>;
  declare readonly apt: CreationOptional<string | null>;
  declare readonly lastSeq: CreationOptional<number>;
  /** The time of its latest event. */
  declare readonly reportedAt: CreationOptional<Date>;
  /** 1, and one more with each retry. */
  declare readonly attempt: CreationOptional<number>;
  /** Random, of the attempt; null where it began before there was one. */
  declare readonly attemptKey: CreationOptional<string | null>;
  /** When the attempt was requested, and who requested it. */
  declare readonly requestedAt: CreationOptional<Date>;
  declare readonly requestedBy: CreationOptional<string | null>;
  /** Of an attempt that retries some architectures alone: which; null: all that failed. */
  declare readonly retryArchitectures: CreationOptional<string[] | null>;
  /** What the attempt cannot get past just now; null where it goes on. */
  declare readonly lastError: CreationOptional<LastError | null>;
  declare readonly createdAt: CreationOptional<Date>;
  declare readonly updatedAt: CreationOptional<Date>;
  declare readonly dispatchedAt: CreationOptional<Date | null>;
  /** How often Temporal could not be told of it since it was last, and when it is tried again. */
  declare readonly failedTries: CreationOptional<number>;
  declare readonly nextTryAt: CreationOptional<Date | null>;
  /** When a worker began the attempt: the time for the whole build begins with it. */
  declare readonly takenAt: CreationOptional<Date | null>;
  /** Since when the grace of a Dependency wait counts: see `dependencyWaitSince`. */
  declare readonly dependencyWaitSince: CreationOptional<Date | null>;
  declare readonly waitLimits: CreationOptional<WaitLimits | null>;
  declare readonly cancelRequestedAt: CreationOptional<Date | null>;
  declare readonly cancelRequestedBy: CreationOptional<string | null>;
  /** The workflow has the cancellation, or has ended before it came. */
  declare readonly cancelDeliveredAt: CreationOptional<Date | null>;
  /** When the attempt began to stop what the PPA builds of it: it waits for nothing there any more. */
  declare readonly stoppingSince: CreationOptional<Date | null>;
  declare readonly finishedAt: CreationOptional<Date | null>;

  /** The id of the workflow that runs the latest attempt. */
  get workflowId(): NonAttribute<string> {
    const { id: buildId, ticketId, sourcePackages, merge, attempt } = this;
    return buildWorkflowId({ buildId, ticketId, sourcePackages, merge, attempt });
  }

  /** Whether a workflow works for another build: one that had this id before the database was set back. */
  isNotOf({ attemptKey }: { attemptKey?: string | undefined }): boolean {
    return Boolean(attemptKey && this.attemptKey && attemptKey !== this.attemptKey);
  }

  /** The PPA that it builds in. */
  get acceptedPpa(): NonAttribute<Ppa> {
    return acceptedPpa({ ppa: this.ppa, archive: this.archive });
  }

  /**
   * It is of a merge proposal of which no attempt has made a source yet: a retry merges the branches as they are then.
   */
  get needsMerge(): NonAttribute<boolean> {
    return this.merge !== null && this.sourcePackages.length === 0;
  }

  /** What a retry may ask the PPA to build again; undefined at the first attempt. */
  get packagesToRetry(): NonAttribute<PackageVersion[] | undefined> {
    return this.attempt === 1
      ? undefined
      : packagesInPpa(this.sourcePackages, this.architectureBuilds);
  }

  /** The request as BuildSourceWorkflow takes it. */
  toRequest(): BuildRequest {
    return {
      buildId: this.id,
      attempt: this.attempt,
      ...(this.attemptKey ? { attemptKey: this.attemptKey } : {}),
      ticketId: this.ticketId,
      sourcePackages: this.sourcePackages,
      series: this.series,
      ppa: this.ppa,
      archive: this.archive,
      progressTrigger: this.progressTrigger,
      cancelUrl: this.cancelUrl,
      ...(this.merge ? { merge: this.merge } : {}),
      ...(this.order ? { order: this.order } : {}),
      ...(this.retryArchitectures ? { retryArchitectures: this.retryArchitectures } : {}),
    };
  }
}

/** Its columns, made anew for each database that is opened: Sequelize keeps its own notes in them. */
export const buildColumns = () =>
  ({
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    ticketId: { type: DataTypes.INTEGER, allowNull: false },
    sourcePackages: { type: DataTypes.JSONB, allowNull: false },
    packageNames: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false, defaultValue: [] },
    series: { type: DataTypes.TEXT, allowNull: false },
    ppa: { type: DataTypes.TEXT, allowNull: false },
    archive: { type: DataTypes.TEXT, allowNull: false },
    progressTrigger: DataTypes.TEXT,
    webhookId: DataTypes.INTEGER,
    cancelUrl: DataTypes.TEXT,
    subticketId: DataTypes.INTEGER,
    merge: DataTypes.JSONB,
    order: { type: DataTypes.TEXT, field: 'build_order' },
    sequence: { type: DataTypes.JSONB, allowNull: false, defaultValue: [] },
    landingId: DataTypes.INTEGER,
    requestId: DataTypes.TEXT,
    traceparent: DataTypes.TEXT,
    state: { type: DataTypes.TEXT, allowNull: false, defaultValue: 'queued' },
    phase: { type: DataTypes.TEXT, allowNull: false, defaultValue: 'queued' },
    phaseSince: { type: DataTypes.DATE, allowNull: false, defaultValue: DataTypes.NOW },
    waiting: DataTypes.JSONB,
    upload: DataTypes.JSONB,
    architectureBuilds: { type: DataTypes.JSONB, allowNull: false, defaultValue: [] },
    logs: { type: DataTypes.JSONB, allowNull: false, defaultValue: [] },
    failure: DataTypes.JSONB,
    builtPackages: { type: DataTypes.JSONB, allowNull: false, defaultValue: [] },
    apt: { type: DataTypes.TEXT, defaultValue: null },
    lastSeq: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
    reportedAt: { type: DataTypes.DATE, allowNull: false, defaultValue: DataTypes.NOW },
    attempt: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 1 },
    attemptKey: DataTypes.UUID,
    requestedAt: { type: DataTypes.DATE, allowNull: false, defaultValue: DataTypes.NOW },
    requestedBy: DataTypes.TEXT,
    retryArchitectures: DataTypes.JSONB,
    lastError: { type: DataTypes.JSONB, field: 'trouble' },
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
    dispatchedAt: DataTypes.DATE,
    failedTries: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
    nextTryAt: DataTypes.DATE,
    takenAt: DataTypes.DATE,
    dependencyWaitSince: DataTypes.DATE,
    waitLimits: DataTypes.JSONB,
    cancelRequestedAt: DataTypes.DATE,
    cancelRequestedBy: DataTypes.TEXT,
    cancelDeliveredAt: DataTypes.DATE,
    stoppingSince: DataTypes.DATE,
    finishedAt: DataTypes.DATE,
  }) satisfies ModelAttributes<BuildRow>;
