import { randomUUID } from 'node:crypto';
import { Op, type Sequelize, type Transaction } from 'sequelize';
import { WORKFLOW_STEP } from '../../domain/builds/step-words.ts';
import { AirlineError } from '../../domain/errors.ts';
import { assertMayDecide } from '../../domain/landings/landing-permission.ts';
import { isBeingTested, LANDING_PHASES } from '../../domain/landings/landing-phase.ts';
import type { LandingPolicy } from '../../domain/landings/landing-policy.ts';
import {
  waitingPart,
  type Decision,
  type LandingAttemptName,
  type LandingPackage,
  type LandingReport,
} from '../../domain/landings/landing.ts';
import { A_TESTER } from '../../domain/testing/test-run.ts';
import type { BuildModel } from '../builds/build.ts';
import { lastErrorAfter } from '../builds/last-error.ts';
import { isTaken } from '../sql/database-errors.ts';
import { DUE, fromNow } from '../sql/database-time.ts';
import { query } from '../sql/query.ts';
import type { LandingClaimModel } from './landing-claim.ts';
import { landingColumns, LandingRow } from './landing-row.ts';
import type { PoolPpaModel } from '../pool/pool-ppa.ts';

/** What the row has once Temporal was told of it. */
const TOLD = { failedTries: 0, nextTryAt: null };

/**
 * A decision counts from when its workflow was told; one that the workflow has found in the row, from the landing's
 * end, or from now.
 */
const DECISION =
  'decision, CASE WHEN decision IS NOT NULL THEN coalesce(decision_delivered_at, finished_at, now()) END';
const KEEP_ATTEMPT = `
  INSERT INTO landing_past (landing_id, attempt, requested_at, requested_by, cancel_requested_at, cancel_requested_by, decision, decided_at)
  SELECT id, attempt, requested_at, requested_by, cancel_requested_at, cancel_requested_by, ${DECISION}
  FROM landing WHERE id = $1`;
const KEEP_DECISION = `
  INSERT INTO landing_past (landing_id, attempt, decision, decided_at)
  SELECT id, attempt, ${DECISION} FROM landing WHERE id = $1`;

/** What a caller decides about a landing. */
export type LandingRequest = {
  readonly ticketId: number;
  /** Null: it takes one of the pool. */
  readonly ppa: string | null;
  readonly archive: string;
  readonly series: string;
  readonly target: string;
  readonly targetSeries: string;
  readonly pocket: string;
  /** Null where it names a webhook alone. */
  readonly progressTrigger: string | null;
  /** The caller named that queue: its own events go there, too. */
  readonly isQueueNamed: boolean;
  readonly webhookId?: number | null;
  readonly packages: LandingPackage[];
  readonly policy: LandingPolicy;
  readonly requestId: string;
  readonly requestedBy: string;
};

/**
 * A ticket on its way into a target, and the state of its latest attempt. The row is written before the attempt's
 * workflow is started.
 */
export function defineLanding(
  sequelize: Sequelize,
  {
    Build,
    LandingClaim,
    PoolPpa,
  }: { Build: BuildModel; LandingClaim: LandingClaimModel; PoolPpa: PoolPpaModel },
) {
  class Landing extends LandingRow {
    /**
     * Accepts a landing, and puts it in the line of its target.
     *
     * @throws AirlineError `conflict` where the ticket has a landing that has not ended
     */
    static async accept(request: LandingRequest, transaction: Transaction): Promise<Landing> {
      const now = new Date();
      try {
        const landing = await Landing.create(
          {
            ...request,
            attemptKey: randomUUID(),
            usesPool: request.ppa === null,
            requestedAt: now,
            phaseSince: now,
            parts: request.packages.map(waitingPart),
          },
          { transaction },
        );
        await landing.standInLine(transaction);
        return landing;
      } catch (error) {
        if (!isTaken(error)) throw error;
        throw new AirlineError('conflict', `Ticket ${request.ticketId} is being landed.`);
      }
    }

    /** Whether an attempt has not ended: its workflow may run once more after that. */
    static async isUnderWay(of: {
      landingId: number;
      attempt: number;
      attemptKey?: string | undefined;
    }): Promise<boolean> {
      const landing = await Landing.findOne({
        attributes: ['attemptKey'],
        where: { id: of.landingId, attempt: of.attempt, finishedAt: null },
      });
      return landing !== null && !landing.isNotOf(of);
    }

    /**
     * Locks the landing of an attempt that is under way, for its workflow.
     *
     * @throws AirlineError `conflict` where the attempt has ended, or is another landing's
     */
    static async lockAttempt(of: LandingAttemptName, transaction: Transaction): Promise<Landing> {
      const { landingId, attempt } = of;
      const landing = await Landing.findByPk(landingId, {
        transaction,
        lock: transaction.LOCK.UPDATE,
        rejectOnEmpty: true,
      });
      if (landing.attempt !== attempt || landing.finishedAt || landing.isNotOf(of))
        throw new AirlineError('conflict', `Attempt ${attempt} of landing ${landingId} has ended.`);
      return landing;
    }

    private async standInLine(transaction: Transaction): Promise<void> {
      const names = [...new Set(this.packages.map(({ source }) => source))];
      await LandingClaim.standInLine(this, names, transaction);
    }

    /** Keeps what a report says of the landing; one that ends gives its packages back, and is paused no longer. */
    async follow(
      { phase, parts, ahead, waitsFor, tests, targetMoved, baseImageId, failure }: LandingReport,
      { now, isOver }: { now: Date; isOver: boolean },
      transaction: Transaction,
    ): Promise<void> {
      // What is tested again has to be approved again. What is rejected stays so.
      const isForgotten = phase === 'imaging' && this.decision?.decision === 'approve';
      // Its workflow reports though the answer to its start was lost; whoever reports its end need not be a workflow.
      const isFoundStarted = this.dispatchedAt === null && !isOver;
      if (isForgotten) await query(sequelize, KEEP_DECISION, [this.id], transaction);
      await this.update(
        {
          phase,
          ...(phase === this.phase ? {} : { phaseSince: now }),
          ...(parts ? { parts } : {}),
          ...(tests ? { tests, testsVerdict: tests.verdict } : {}),
          ...(baseImageId === undefined ? {} : { baseImageId }),
          ...(isForgotten ? { decision: null, decisionDeliveredAt: null } : {}),
          ahead: ahead ?? [],
          waitsFor: waitsFor ?? null,
          targetMoved: isBeingTested(phase) ? (targetMoved ?? this.targetMoved) : null,
          ...(ahead ? {} : { estimate: null }),
          failure: failure ?? null,
          lastError: null,
          resumedBy: null,
          lastSeq: this.lastSeq + 1,
          ...(isFoundStarted ? { dispatchedAt: now, ...TOLD } : {}),
          ...(isOver ? { finishedAt: now, pausedAt: null, pausedBy: null } : {}),
        },
        { transaction },
      );
      if (isOver) await LandingClaim.release(this.id, transaction);
    }

    /**
     * Keeps on the row that the landing is to be cancelled. A second request changes nothing.
     *
     * @returns null where there is no such landing
     * @throws AirlineError `conflict` where it has ended or is being published
     */
    static async requestCancellation(
      id: number,
      requestedBy: string,
      transaction: Transaction,
    ): Promise<Landing | null> {
      const landing = await Landing.lock(id, transaction);
      if (!landing || landing.cancelRequestedAt) return landing;
      if (landing.phase === 'publishing')
        throw new AirlineError(
          'conflict',
          `Landing ${id} is already being published; it can no longer be cancelled.`,
        );
      return landing.update(
        { cancelRequestedAt: new Date(), cancelRequestedBy: requestedBy },
        { transaction },
      );
    }

    /**
     * Keeps what the target has of each source that the landing changes or tests; null where it has none. An attempt
     * that has ended keeps nothing: a later one is judged by what was kept for it.
     */
    static async keepTargetVersions(
      { landingId, attempt }: LandingAttemptName,
      versions: Readonly<Record<string, string | null>>,
    ): Promise<void> {
      await Landing.update(
        { targetVersions: { ...versions } },
        { where: { id: landingId, attempt, finishedAt: null } },
      );
    }

    /**
     * Keeps on the row what a person has decided of a landing that waits for it.
     *
     * @param seen what of it the person has looked at, as far as that is known
     * @returns null where there is no such landing
     * @throws AirlineError `conflict` where it waits for no decision, has one, or waits for one on something else;
     * `not_an_approver` where its policy says so
     */
    static async decide(
      id: number,
      decision: Decision,
      transaction: Transaction,
      seen: { attempt?: number | undefined; approvingSince?: Date | undefined } = {},
    ): Promise<Landing | null> {
      const landing = await Landing.lock(id, transaction);
      if (!landing) return null;
      if (landing.phase !== 'approving' || landing.decision)
        throw new AirlineError(
          'conflict',
          landing.decision
            ? `Landing ${id} has a decision: ${landing.decision.decision}, by ${landing.decision.by}.`
            : `Landing ${id} waits for no decision: it is ${landing.phase}.`,
        );
      const { attempt, phaseSince } = landing;
      const { attempt: seenAttempt = attempt, approvingSince = phaseSince } = seen;
      if (seenAttempt !== attempt || approvingSince.getTime() !== phaseSince.getTime())
        throw new AirlineError(
          'conflict',
          `Landing ${id} waits for another decision than this: attempt ${attempt}, since ${phaseSince.toISOString()}.`,
        );
      assertMayDecide(landing, decision);
      return landing.update({ decision }, { transaction });
    }

    /**
     * Pauses a landing: it looks again, and begins no new step.
     *
     * @param by who pauses it
     * @returns null where there is no such landing
     * @throws AirlineError `conflict` where it has ended, is paused already, or cannot be paused
     */
    static pause(id: number, by: string, transaction: Transaction): Promise<Landing | null> {
      return Landing.setPaused(id, { pausedAt: new Date(), pausedBy: by }, transaction);
    }

    /**
     * Resumes a landing, which looks again.
     *
     * @param by who resumes it, which its next event says
     * @returns null where there is no such landing
     * @throws AirlineError `conflict` where it has ended, or is not paused
     */
    static resume(id: number, by: string, transaction: Transaction): Promise<Landing | null> {
      const resumed = { pausedAt: null, pausedBy: null, resumedBy: by };
      return Landing.setPaused(id, resumed, transaction);
    }

    private static async setPaused(
      id: number,
      changes: { pausedAt: Date | null; pausedBy: string | null; resumedBy?: string },
      transaction: Transaction,
    ): Promise<Landing | null> {
      const landing = await Landing.lock(id, transaction);
      if (!landing) return null;
      const { pausedBy, phase, policy } = landing;
      if (!policy)
        throw new AirlineError(
          'conflict',
          `Landing ${id} was accepted by an older version of Airline and cannot be paused.`,
        );
      if (changes.pausedAt && phase === 'publishing')
        throw new AirlineError(
          'conflict',
          `Landing ${id} is already being published; it can no longer be paused.`,
        );
      if ((changes.pausedBy === null) === (pausedBy === null))
        throw new AirlineError(
          'conflict',
          pausedBy === null
            ? `Landing ${id} is not paused.`
            : `Landing ${id} is paused, by ${pausedBy}.`,
        );
      return landing.update(
        { ...changes, wakeAt: new Date(), wakeDeliveredAt: null },
        { transaction },
      );
    }

    /**
     * Has the landings look again that wait for a person, or soon may, and have a verdict on a source. One that begins
     * to wait does so after the transaction, and finds what that has written.
     */
    static async wakeForSource(source: string, transaction: Transaction): Promise<void> {
      await query(
        sequelize,
        `UPDATE landing SET wake_at = $2, wake_delivered_at = NULL
         WHERE finished_at IS NULL AND phase IN ('testing', 'approving') AND EXISTS (
           SELECT FROM test_verdict
           WHERE (landing_id, attempt, source) = (landing.id, landing.attempt, $1)
         )`,
        [source, new Date()],
        transaction,
      );
    }

    /**
     * Asks for one more attempt of a landing that failed, behind all that are in line now. What is built stays built,
     * and what was asked and decided of the one before is kept.
     *
     * @param asked.policy what holds for the attempt
     * @returns null where there is no such landing
     * @throws AirlineError `conflict` where it has not failed, one of its builds is under way, or the ticket is being
     * landed again
     */
    static async retry(
      id: number,
      {
        policy,
        requestedBy,
        requestId,
      }: Pick<LandingRequest, 'policy' | 'requestedBy' | 'requestId'>,
      transaction: Transaction,
    ): Promise<Landing | null> {
      const landing = await Landing.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
      if (!landing) return null;
      if (!landing.finishedAt || landing.phase === 'complete')
        throw new AirlineError('conflict', `Landing ${id} is ${landing.phase}: nothing to retry.`);
      await Landing.assertBuildsNothing(id, transaction);
      const now = new Date();
      const held = await PoolPpa.findOne({
        attributes: ['id'],
        where: { landingId: id },
        transaction,
      });
      await query(sequelize, KEEP_ATTEMPT, [id], transaction);
      try {
        await landing.update(
          {
            ...(landing.usesPool && !held ? { ppa: null } : {}),
            attempt: landing.attempt + 1,
            attemptKey: randomUUID(),
            phase: 'queued',
            phaseSince: now,
            estimate: null,
            failure: null,
            decision: null,
            decisionDeliveredAt: null,
            tests: null,
            testsVerdict: null,
            parts: landing.packages.map(waitingPart),
            pausedAt: null,
            pausedBy: null,
            wakeAt: null,
            wakeDeliveredAt: null,
            policy,
            requestId,
            requestedAt: now,
            requestedBy,
            dispatchedAt: null,
            ...TOLD,
            cancelRequestedAt: null,
            cancelRequestedBy: null,
            cancelDeliveredAt: null,
            finishedAt: null,
          },
          { transaction },
        );
      } catch (error) {
        if (!isTaken(error)) throw error;
        throw new AirlineError('conflict', `Ticket ${landing.ticketId} is being landed again.`);
      }
      await landing.standInLine(transaction);
      return landing;
    }

    /** Such a build has a workflow: the landing could not start it as its own. @throws AirlineError `conflict` */
    private static async assertBuildsNothing(id: number, transaction: Transaction): Promise<void> {
      const build = await Build.findOne({
        attributes: ['id'],
        where: { landingId: id, finishedAt: null },
        order: ['id'],
        transaction,
      });
      if (build)
        throw new AirlineError(
          'conflict',
          `Build ${build.id} of landing ${id} is under way: retry the landing when it has ended.`,
        );
    }

    /**
     * Asserts that a landing has ended, so that what it has built may be built again by itself. It is not retried until
     * the transaction ends.
     *
     * @throws AirlineError `conflict`
     */
    static async assertEnded(id: number, transaction: Transaction): Promise<void> {
      const landing = await Landing.findByPk(id, { transaction, lock: transaction.LOCK.SHARE });
      if (landing && !landing.finishedAt)
        throw new AirlineError(
          'conflict',
          `Landing ${id} is ${landing.phase}, and builds what it needs: retry its builds when it has ended.`,
        );
    }

    /** @throws AirlineError `conflict` where it has ended */
    private static async lock(id: number, transaction: Transaction): Promise<Landing | null> {
      const landing = await Landing.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
      if (landing?.finishedAt)
        throw new AirlineError('conflict', `Landing ${id} has ended: it is ${landing.phase}.`);
      return landing;
    }

    /** Landings that have no workflow yet, oldest first. */
    static async undispatched(limit: number): Promise<Landing[]> {
      return Landing.findAll({
        where: { dispatchedAt: null, finishedAt: null, nextTryAt: DUE },
        order: ['id'],
        limit,
      });
    }

    /** Landings that should have had a workflow for so long and have none, or were cancelled before, oldest first. */
    static async unstartedFor(ms: number, limit: number): Promise<Landing[]> {
      return Landing.findAll({
        where: {
          dispatchedAt: null,
          finishedAt: null,
          [Op.or]: [
            { requestedAt: { [Op.lt]: fromNow(-ms) } },
            { cancelRequestedAt: { [Op.not]: null } },
          ],
        },
        order: ['id'],
        limit,
      });
    }

    /**
     * Starts its workflow, unless another dispatcher has, or does. The row is locked while `start` runs, which must be
     * idempotent.
     *
     * @param start says for how many ms the landing has to wait, where it does
     */
    async dispatch(start: (current: Landing) => Promise<number | undefined>): Promise<void> {
      await sequelize.transaction(async (transaction) => {
        const current = await Landing.findOne({
          where: { id: this.id, dispatchedAt: null, finishedAt: null },
          transaction,
          lock: transaction.LOCK.UPDATE,
          skipLocked: true,
        });
        if (!current) return;
        const waitMs = await start(current);
        if (waitMs !== undefined) await current.postpone(waitMs, transaction);
        else await current.update({ dispatchedAt: new Date(), ...TOLD }, { transaction });
      });
    }

    /** Marks that Temporal could not be told of it, and for how long it waits. The landing itself has not got on. */
    async postpone(waitMs: number, transaction: Transaction | null = null): Promise<void> {
      const failedTries = this.failedTries + 1;
      await Landing.update(
        { failedTries, nextTryAt: fromNow(waitMs) },
        { where: { id: this.id }, silent: true, transaction },
      );
    }

    /**
     * Landings whose workflow does not know yet what was asked for, decided or changed, oldest first; without those
     * that wait.
     */
    static async withUndelivered(limit: number): Promise<Landing[]> {
      return Landing.findAll({
        where: {
          finishedAt: null,
          dispatchedAt: { [Op.not]: null },
          nextTryAt: DUE,
          [Op.or]: [
            { cancelRequestedAt: { [Op.not]: null }, cancelDeliveredAt: null },
            { decision: { [Op.not]: null }, decisionDeliveredAt: null },
            { wakeAt: { [Op.not]: null }, wakeDeliveredAt: null },
          ],
        },
        order: ['id'],
        limit,
      });
    }

    /**
     * Tells the workflow of the attempt that was read what was decided, for the first time or again, unless another
     * dispatcher has since it was read, or does. The row is locked while `tell` runs: a decision that it has forgotten
     * meanwhile, and that might count for what is tested again, is not told.
     */
    async tellDecision(tell: (decision: Decision) => Promise<unknown>): Promise<void> {
      const { id, attempt, decisionDeliveredAt } = this;
      await sequelize.transaction(async (transaction) => {
        const current = await Landing.findOne({
          where: { id, attempt, decisionDeliveredAt },
          transaction,
          lock: transaction.LOCK.UPDATE,
          skipLocked: true,
        });
        if (!current?.decision) return;
        await tell(current.decision);
        await current.update(
          { decisionDeliveredAt: decisionDeliveredAt ?? new Date(), ...TOLD },
          { transaction },
        );
      });
    }

    /** Marks that the workflow of the attempt that was read knows that it is to be cancelled, or has ended. */
    async markCancellationDelivered(): Promise<void> {
      await Landing.update(
        { cancelDeliveredAt: new Date(), ...TOLD },
        { where: { id: this.id, attempt: this.attempt } },
      );
    }

    /** Marks that its workflow was told of what had changed until the row was read. */
    async markWoken(): Promise<void> {
      await Landing.update(
        { wakeDeliveredAt: new Date(), ...TOLD },
        { where: { id: this.id, attempt: this.attempt, wakeAt: this.wakeAt } },
      );
    }

    /**
     * Marks that its workflow has not ended: it is not asked after again for a while. Where the landing has reported
     * since it was read, that says more.
     *
     * @param stuck how its workflow cannot get on; null where it can
     */
    async markHeard(stuck: { tries: number; message: string } | null): Promise<void> {
      const { id, lastSeq } = this;
      const lastError = stuck && lastErrorAfter(this.lastError, { step: WORKFLOW_STEP, ...stuck });
      await Landing.update({ lastError }, { where: { id, lastSeq } });
    }

    /** How many landings have a workflow that cannot get on by itself. */
    static async countStuck(): Promise<number> {
      return Landing.count({ where: { finishedAt: null, lastError: { [Op.not]: null } } });
    }

    /**
     * Since when the landing has said so that has waited longest for a tester of its images or tests, null where
     * none does; and when that was read by the database's clock.
     */
    static async oldestWithoutTester(): Promise<{ since: Date | null; at: Date }> {
      const [row] = await query<{ since: Date | null; at: Date }>(
        sequelize,
        `SELECT min(event.created_at) AS since, clock_timestamp() AS at
         FROM landing JOIN landing_event event ON landing_id = landing.id AND seq = last_seq
         WHERE finished_at IS NULL AND phase = ANY($1) AND starts_with(waits_for, $2)`,
        [LANDING_PHASES.filter(isBeingTested), A_TESTER],
      );
      return { since: row?.since ?? null, at: row?.at ?? new Date() };
    }

    /** Landings with a workflow and no end of which nothing was heard since a time. */
    static async silentSince(since: Date, limit: number): Promise<Landing[]> {
      return Landing.findAll({
        where: {
          finishedAt: null,
          dispatchedAt: { [Op.not]: null },
          updatedAt: { [Op.lt]: since },
        },
        order: ['updatedAt'],
        limit,
      });
    }
  }

  Landing.init(landingColumns(), { sequelize, tableName: 'landing', underscored: true });
  return Landing;
}

export type LandingModel = ReturnType<typeof defineLanding>;
export type Landing = InstanceType<LandingModel>;
