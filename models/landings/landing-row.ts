import {
  DataTypes,
  Model,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type NonAttribute,
  type ModelAttributes,
} from 'sequelize';
import type { LandingEstimate } from '../../domain/landings/landing-estimate.ts';
import type { LandingFailure } from '../../domain/landings/landing-failure.ts';
import { freezesFor, type LandingPolicy } from '../../domain/landings/landing-policy.ts';
import type { LandingPhase } from '../../domain/landings/landing-phase.ts';
import { targetsOfLanding, type Targets } from '../../domain/access/target-rule.ts';
import {
  landingWorkflowId,
  type Decision,
  type LandingAhead,
  type LandingInput,
  type LandingPackage,
  type LandingPart,
  type LandingTarget,
  type LandingTests,
} from '../../domain/landings/landing.ts';
import { acceptedPpa, type Ppa } from '../../domain/packages/ppa.ts';
import type { TestsVerdict } from '../../domain/testing/test-verdict.ts';
import type { LastError } from '../builds/last-error.ts';

/** The row of a landing: a request, and the state of its latest attempt. */
export class LandingRow extends Model<
  InferAttributes<LandingRow>,
  InferCreationAttributes<LandingRow>
> {
  declare readonly id: CreationOptional<number>;
  declare readonly ticketId: number;
  /** Where it builds; null before it has a PPA of the pool. */
  declare readonly ppa: string | null;
  declare readonly usesPool: CreationOptional<boolean>;
  declare readonly archive: string;
  declare readonly series: string;
  declare readonly target: string;
  declare readonly targetSeries: string;
  declare readonly pocket: string;
  /** The queue that the messages of its builds go to. */
  declare readonly progressTrigger: string | null;
  /** Its own events go there, too. */
  declare readonly isQueueNamed: CreationOptional<boolean>;
  /** The webhook that its request named. */
  declare readonly webhookId: CreationOptional<number | null>;
  declare readonly packages: LandingPackage[];
  /** As it was when the attempt was requested; null of landings that older code accepted. */
  declare readonly policy: CreationOptional<LandingPolicy | null>;
  declare readonly phase: CreationOptional<LandingPhase>;
  declare readonly phaseSince: Date;
  declare readonly parts: LandingPart[];
  /** The landings that it waits for while it is queued, or for a PPA. */
  declare readonly ahead: CreationOptional<LandingAhead[]>;
  /** What it waits for besides, in words. */
  declare readonly waitsFor: CreationOptional<string | null>;
  /** When it is expected to begin and to be complete; null where it waits for no other landing. */
  declare readonly estimate: CreationOptional<LandingEstimate | null>;
  declare readonly failure: CreationOptional<LandingFailure | null>;
  declare readonly lastError: CreationOptional<LastError | null>;
  declare readonly decision: CreationOptional<Decision | null>;
  /** The workflow has the decision, or has ended before it came. */
  declare readonly decisionDeliveredAt: CreationOptional<Date | null>;
  /** How the tests of the latest attempt stand; null until they are planned. */
  declare readonly tests: CreationOptional<LandingTests | null>;
  declare readonly testsVerdict: CreationOptional<TestsVerdict | null>;
  declare readonly baseImageId: CreationOptional<number | null>;
  /** What the target had of each source that was tested. */
  declare readonly targetVersions: CreationOptional<Record<string, string | null> | null>;
  /** What the target got since the packages were tested; null where they are not tested again for it. */
  declare readonly targetMoved: CreationOptional<string[] | null>;
  declare readonly pausedAt: CreationOptional<Date | null>;
  declare readonly pausedBy: CreationOptional<string | null>;
  /** Who has resumed it, until an event says so. */
  declare readonly resumedBy: CreationOptional<string | null>;
  /** Something has changed that its workflow has to look at. */
  declare readonly wakeAt: CreationOptional<Date | null>;
  declare readonly wakeDeliveredAt: CreationOptional<Date | null>;
  declare readonly attempt: CreationOptional<number>;
  /** Random, of the attempt; null where it began before there was one. */
  declare readonly attemptKey: CreationOptional<string | null>;
  declare readonly lastSeq: CreationOptional<number>;
  declare readonly requestId: string | null;
  declare readonly requestedAt: Date;
  declare readonly requestedBy: string;
  declare readonly createdAt: CreationOptional<Date>;
  declare readonly updatedAt: CreationOptional<Date>;
  declare readonly dispatchedAt: CreationOptional<Date | null>;
  declare readonly cancelRequestedAt: CreationOptional<Date | null>;
  declare readonly cancelRequestedBy: CreationOptional<string | null>;
  declare readonly cancelDeliveredAt: CreationOptional<Date | null>;
  declare readonly finishedAt: CreationOptional<Date | null>;
  /** How often in a row Temporal could not be told of it, and when it is told again. */
  declare readonly failedTries: CreationOptional<number>;
  declare readonly nextTryAt: CreationOptional<Date | null>;

  /** The id of the workflow that runs the latest attempt. */
  get workflowId(): NonAttribute<string> {
    return landingWorkflowId(this);
  }

  /** Whether somebody has asked that it is not published, or not yet. */
  get isHeldBack(): NonAttribute<boolean> {
    const isRejected = this.decision?.decision === 'reject';
    return isRejected || this.cancelRequestedAt !== null || this.pausedAt !== null;
  }

  /** Whether a workflow works for another landing: one that had this id before the database was set back. */
  isNotOf({ attemptKey }: { attemptKey?: string | undefined }): boolean {
    return Boolean(attemptKey && this.attemptKey && attemptKey !== this.attemptKey);
  }

  /** Where it is published. */
  get landingTarget(): NonAttribute<LandingTarget> {
    return { archive: this.target, series: this.targetSeries, pocket: this.pocket };
  }

  /** Archive, series and pocket, as people read them. */
  get place(): NonAttribute<string> {
    return `${this.target} ${this.targetSeries} ${this.pocket}`;
  }

  /** Where it builds and publishes, and the queue that it names; a PPA of the pool is for all. */
  get targets(): NonAttribute<Targets> {
    return targetsOfLanding({
      ppa: this.usesPool ? null : this.ppa,
      archive: this.archive,
      target: this.target,
      queue: this.isQueueNamed ? this.progressTrigger : null,
    });
  }

  /** The PPA that it builds in. @throws Error before it has one of the pool */
  get acceptedPpa(): NonAttribute<Ppa> {
    if (this.ppa === null) throw new Error(`Landing ${this.id} has no PPA yet.`);
    return acceptedPpa({ ppa: this.ppa, archive: this.archive });
  }

  /** What LandTicketWorkflow takes, without the limits. */
  toInput(): Omit<LandingInput, 'limits' | 'buildLimits'> {
    return {
      landingId: this.id,
      ticketId: this.ticketId,
      attempt: this.attempt,
      ...(this.attemptKey ? { attemptKey: this.attemptKey } : {}),
      requestedAtMs: this.createdAt.getTime(),
      packages: this.packages,
      ...(this.usesPool ? {} : { ppa: this.acceptedPpa }),
      target: this.landingTarget,
      ...(this.policy
        ? { policy: { ...this.policy, freezes: freezesFor(this.policy, this.requestedBy) } }
        : {}),
    };
  }
}

/** Its columns, made anew for each database that is opened: Sequelize keeps its own notes in them. */
export const landingColumns = () =>
  ({
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    ticketId: { type: DataTypes.INTEGER, allowNull: false },
    ppa: DataTypes.TEXT,
    usesPool: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
    archive: { type: DataTypes.TEXT, allowNull: false },
    series: { type: DataTypes.TEXT, allowNull: false },
    target: { type: DataTypes.TEXT, allowNull: false },
    targetSeries: { type: DataTypes.TEXT, allowNull: false },
    pocket: { type: DataTypes.TEXT, allowNull: false },
    progressTrigger: DataTypes.TEXT,
    isQueueNamed: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
    webhookId: DataTypes.INTEGER,
    packages: { type: DataTypes.JSONB, allowNull: false },
    policy: DataTypes.JSONB,
    phase: { type: DataTypes.TEXT, allowNull: false, defaultValue: 'queued' },
    phaseSince: { type: DataTypes.DATE, allowNull: false },
    parts: { type: DataTypes.JSONB, allowNull: false },
    ahead: { type: DataTypes.JSONB, allowNull: false, defaultValue: [] },
    waitsFor: DataTypes.TEXT,
    estimate: DataTypes.JSONB,
    failure: DataTypes.JSONB,
    lastError: { type: DataTypes.JSONB, field: 'trouble' },
    decision: DataTypes.JSONB,
    decisionDeliveredAt: DataTypes.DATE,
    tests: DataTypes.JSONB,
    testsVerdict: DataTypes.TEXT,
    baseImageId: DataTypes.INTEGER,
    targetVersions: DataTypes.JSONB,
    targetMoved: DataTypes.JSONB,
    pausedAt: DataTypes.DATE,
    pausedBy: DataTypes.TEXT,
    resumedBy: DataTypes.TEXT,
    wakeAt: DataTypes.DATE,
    wakeDeliveredAt: DataTypes.DATE,
    attempt: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 1 },
    attemptKey: DataTypes.UUID,
    lastSeq: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
    requestId: DataTypes.TEXT,
    requestedAt: { type: DataTypes.DATE, allowNull: false },
    requestedBy: { type: DataTypes.TEXT, allowNull: false },
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
    dispatchedAt: DataTypes.DATE,
    cancelRequestedAt: DataTypes.DATE,
    cancelRequestedBy: DataTypes.TEXT,
    cancelDeliveredAt: DataTypes.DATE,
    finishedAt: DataTypes.DATE,
    failedTries: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
    nextTryAt: DataTypes.DATE,
  }) satisfies ModelAttributes<LandingRow>;
