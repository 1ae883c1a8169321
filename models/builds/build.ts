import { randomUUID } from 'node:crypto';
import { Op, QueryTypes, type Sequelize, type Transaction } from 'sequelize';
import {
  phaseWords,
  stateOfPhase,
  type BuildPhase,
  type FinalPhase,
} from '../../domain/builds/build-phase.ts';
import type { BuildRequest, BuildState } from '../../domain/builds/build-request.ts';
import { buildIdOfWorkflow } from '../../domain/builds/build-workflow.ts';
import { namedSources, SOURCE_NAME } from '../../domain/packages/source-file.ts';
import { AirlineError } from '../../domain/errors.ts';
import { dependencyWaitSince } from '../../domain/builds/dependency-wait.ts';
import type { ArchitectureBuild } from '../../domain/builds/progress.ts';
import { assertFailedThere } from '../../domain/builds/retry-choice.ts';
import { START_STEP, WORKFLOW_STEP } from '../../domain/builds/step-words.ts';
import type { ShownUpload } from '../../domain/builds/upload-progress.ts';
import { isWait, waitingOf, type Waiting, type WaitLimits } from '../../domain/builds/waiting.ts';
import { appendEvent } from '../events/append-event.ts';
import { assertBranchIsFree } from '../tickets/branch-lock.ts';
import type { BuildAttemptModel } from './build-attempt.ts';
import { lastErrorAfter, type LastError } from './last-error.ts';
import { DUE, fromNow, NOW, readNow } from '../sql/database-time.ts';
import { query } from '../sql/query.ts';
import { columnsOf } from '../sql/identifiers.ts';
import { countAhead, createUsualStays } from './wait-figures.ts';
import { buildColumns, BuildRow } from './build-row.ts';

/** So many of the builds that may wait for the same are read at once. */
const OTHERS_AT_ONCE = 100;
/** Key of the event that an attempt begins with. */
const ACCEPTED = 'accepted';

/** Temporal could not be told of a build: how long it waits, and why. */
export type Postponed = { waitMs: number; message: string };

/** The names among them that a source package can have, each once. */
export function plainNames(names: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => SOURCE_NAME.test(name));
}

/**
 * One build request and the state of its latest attempt; `BuildAttempt` has the earlier ones. The row is written
 * before the attempt's workflow is started.
 *
 * @param waitLimits those of the builds that are accepted and dispatched here; null where none are
 */
export function defineBuild(
  sequelize: Sequelize,
  { BuildAttempt }: { BuildAttempt: BuildAttemptModel },
  waitLimits: WaitLimits | null,
) {
  const usualStay = createUsualStays(sequelize);

  class Build extends BuildRow {
    /**
     * Saves the row for an event that moves it to a phase, or tells of the phase that it is in again, with what it then
     * waits for.
     *
     * @param options.builds what the PPA shows of it, where it shows something new
     * @param options.silent the build itself has not got on
     */
    async moveTo(
      phase: BuildPhase,
      now: Date,
      transaction: Transaction,
      {
        builds = this.architectureBuilds,
        silent = false,
      }: { builds?: ArchitectureBuild[]; silent?: boolean } = {},
    ): Promise<void> {
      const isNew = phase !== this.phase;
      const { architectureBuilds, dependencyWaitSince: since } = this;
      const before = { builds: architectureBuilds, since, isOver: false };
      this.set({
        architectureBuilds: builds,
        state: stateOfPhase(phase),
        phase,
        ...(isNew ? { phaseSince: now, upload: null } : {}),
        takenAt: phase === 'queued' ? null : (this.takenAt ?? now),
        // What an earlier attempt has left counts only once the PPA shows it again.
        dependencyWaitSince:
          phase === 'dependency_wait' ? dependencyWaitSince(before, builds, now) : null,
        lastSeq: this.lastSeq + 1,
        reportedAt: now,
      });
      const earlier = isNew ? null : this.waiting;
      this.set({ waiting: isWait(phase) ? await this.readWaiting(earlier, transaction) : null });
      await this.save({ transaction, silent });
    }

    /** @param earlier what is known of the same wait: earlier builds are asked once */
    private async readWaiting(earlier: Waiting | null, transaction: Transaction) {
      const { series, phase, requestedAt } = this;
      return waitingOf(this, {
        usually_ms: earlier ? earlier.usually_ms : await usualStay({ series, phase }, transaction),
        ahead: phase === 'queued' ? await countAhead(sequelize, requestedAt, transaction) : null,
      });
    }

    /** Keeps how far an attempt's upload is, for as long as it uploads. The build itself has not got on. */
    static async recordUpload(
      { buildId: id, attempt }: { buildId: number; attempt: number },
      upload: ShownUpload,
    ): Promise<void> {
      await Build.update(
        { upload },
        { where: { id, attempt, phase: 'uploading', finishedAt: null }, silent: true },
      );
    }

    /**
     * Accepts a build request, which is its first event. The row is all that a dispatcher needs to start its workflow.
     */
    static async accept(
      request: Omit<BuildRequest, 'buildId' | 'attempt'> & {
        requestId: string;
        requestedBy?: string;
        traceparent?: string | null;
        subticketId?: number;
        webhookId?: number | null;
        landingId?: number;
      },
      transaction: Transaction,
    ): Promise<Build> {
      const packageNames = plainNames(
        namedSources(request.sourcePackages).map(({ source }) => source),
      );
      const now = new Date();
      const build = Build.build({
        ...request,
        attemptKey: randomUUID(),
        packageNames,
        waitLimits,
        requestedAt: now,
        phaseSince: now,
      });
      await build.moveTo('queued', now, transaction);
      await appendEvent(sequelize, build, ACCEPTED, transaction);
      return build;
    }

    /** Whether an attempt has not ended: its workflow may run once more after that. */
    static async isUnderWay(of: {
      buildId: number;
      attempt: number;
      attemptKey?: string | undefined;
    }): Promise<boolean> {
      const build = await Build.findOne({
        attributes: ['attemptKey'],
        where: { id: of.buildId, attempt: of.attempt, finishedAt: null },
      });
      return build !== null && !build.isNotOf(of);
    }

    /** The trace that a build is part of, and when its workflow was started; null where nobody records traces. */
    static async readTrace(
      id: number,
    ): Promise<{ traceparent: string; dispatchedAt: Date | null } | null> {
      const build = await Build.findByPk(id, { attributes: ['traceparent', 'dispatchedAt'] });
      const { traceparent = null, dispatchedAt = null } = build ?? {};
      return traceparent === null ? null : { traceparent, dispatchedAt };
    }

    /**
     * Keeps on the row that the build is to be cancelled; `undeliveredCancellations` gives it until the workflow
     * has it. A second request changes nothing.
     *
     * @returns null where there is no such build
     * @throws AirlineError `conflict` where the build has ended
     */
    static async requestCancellation(
      id: number,
      requestedBy: string,
      transaction: Transaction,
    ): Promise<Build | null> {
      const build = await Build.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
      if (!build) return null;
      if (build.finishedAt)
        throw new AirlineError(
          'conflict',
          `Build ${id} has ended: it is ${phaseWords(build.phase)}.`,
        );
      if (build.cancelRequestedAt) return build;
      return build.update(
        { cancelRequestedAt: new Date(), cancelRequestedBy: requestedBy, cancelDeliveredAt: null },
        { transaction },
      );
    }

    /**
     * Asks for one more attempt of a build that failed. The attempt that ended is kept as a BuildAttempt; the row
     * starts over and keeps what the PPA showed last, so that the new attempt knows what to retry there.
     *
     * @param asked.architectures what of it is retried; undefined: all that failed
     * @returns null where there is no such build
     * @throws AirlineError `conflict` where the build is under way, has completed, or has had `maxAttempts`;
     * `branch_busy`; `invalid_field` where an architecture cannot be retried
     */
    static async retry(
      id: number,
      asked: {
        requestedBy: string;
        maxAttempts: number;
        architectures?: readonly string[] | undefined;
      },
      transaction: Transaction,
    ): Promise<Build | null> {
      const { requestedBy, maxAttempts, architectures } = asked;
      const build = await Build.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
      if (!build) return null;
      const { attempt, state, finishedAt } = build;
      if (!finishedAt)
        throw new AirlineError(
          'conflict',
          `Build ${id} is under way: attempt ${attempt}, ${state}.`,
        );
      if (state === 'completed')
        throw new AirlineError('conflict', `Build ${id} is completed: there is nothing to retry.`);
      if (attempt >= maxAttempts)
        throw new AirlineError(
          'conflict',
          `Build ${id} has had ${attempt} attempts, which is the limit.`,
        );
      if (architectures) assertFailedThere(build, architectures);
      if (build.subticketId !== null)
        await assertBranchIsFree(sequelize, build.subticketId, transaction);
      const { requestedAt, dispatchedAt, cancelRequestedAt, cancelRequestedBy } = build;
      const { architectureBuilds, logs, failure, lastSeq } = build;
      await BuildAttempt.create(
        {
          buildId: id,
          attempt,
          requestedAt,
          requestedBy: build.requestedBy,
          retryArchitectures: build.retryArchitectures,
          dispatchedAt,
          cancelRequestedAt,
          cancelRequestedBy,
          state,
          architectureBuilds,
          logs,
          failure,
          lastSeq,
          finishedAt,
        },
        { transaction },
      );
      const now = new Date();
      build.set({
        attempt: attempt + 1,
        attemptKey: randomUUID(),
        requestedAt: now,
        requestedBy,
        retryArchitectures: architectures ? [...new Set(architectures)] : null,
        logs: [],
        builtPackages: [],
        apt: null,
        failure: null,
        sequence: [],
        dispatchedAt: null,
        failedTries: 0,
        nextTryAt: null,
        waitLimits,
        cancelRequestedAt: null,
        cancelRequestedBy: null,
        cancelDeliveredAt: null,
        stoppingSince: null,
        finishedAt: null,
      });
      await build.moveTo('queued', now, transaction);
      await appendEvent(sequelize, build, ACCEPTED, transaction);
      return build;
    }

    /**
     * Builds with a workflow that does not know yet that it is to be cancelled, oldest first; without those that wait.
     */
    static async undeliveredCancellations(limit: number): Promise<Build[]> {
      return Build.findAll({
        where: {
          finishedAt: null,
          dispatchedAt: { [Op.not]: null },
          cancelRequestedAt: { [Op.not]: null },
          cancelDeliveredAt: null,
          nextTryAt: DUE,
        },
        order: ['id'],
        limit,
      });
    }

    /**
     * Marks that the workflow knows of the cancellation, or has ended before it came. The mark is of the attempt that
     * was read: one that was asked for since has a workflow, and may have a cancellation, of its own.
     */
    async markCancellationDelivered(): Promise<void> {
      await Build.update(
        { cancelDeliveredAt: new Date(), failedTries: 0, nextTryAt: null },
        {
          where: { id: this.id, attempt: this.attempt, cancelRequestedAt: { [Op.not]: null } },
        },
      );
    }

    /** Marks that Temporal could not be told of it, and for how long it waits. The build itself has not got on. */
    async postpone(waitMs: number, transaction: Transaction | null = null): Promise<void> {
      const failedTries = this.failedTries + 1;
      await Build.update(
        { failedTries, nextTryAt: fromNow(waitMs) },
        { where: { id: this.id }, silent: true, transaction },
      );
    }

    /**
     * Keeps on the row that a step of the build fails and will be tried again. A build that has ended stays as it is.
     */
    static async recordLastError(id: number, given: Omit<LastError, 'since'>): Promise<void> {
      await sequelize.transaction(async (transaction) => {
        const build = await Build.findOne({
          where: { id, finishedAt: null },
          transaction,
          lock: transaction.LOCK.UPDATE,
        });
        // The build itself has not got on: `silentSince` goes by its time.
        await build?.update(
          { lastError: lastErrorAfter(build.lastError, given) },
          { transaction, silent: true },
        );
      });
    }

    /** Takes back what `recordLastError` has kept, now that the step has succeeded. */
    static async clearLastError(id: number): Promise<void> {
      await Build.update(
        { lastError: null },
        { where: { id, lastError: { [Op.not]: null } }, silent: true },
      );
    }

    /** When the oldest build was requested that has a workflow and no end. */
    static async oldestUnfinished(): Promise<Date | null> {
      return Build.min('createdAt', {
        where: { finishedAt: null, dispatchedAt: { [Op.not]: null } },
      });
    }

    /** Which of the builds with these workflows have no end. */
    static async unfinishedOf(workflowIds: readonly string[]): Promise<Build[]> {
      const ids = workflowIds.map(buildIdOfWorkflow).filter((id) => id !== undefined);
      const builds = await Build.findAll({ where: { id: ids, finishedAt: null }, order: ['id'] });
      return builds.filter(({ workflowId }) => workflowIds.includes(workflowId));
    }

    /**
     * Builds that should have had a workflow for so long and have none, or were cancelled before, oldest first. One
     * that has left the queue has a workflow, though the answer to its start was lost: that is to end it.
     */
    static async unstartedFor(ms: number, limit: number): Promise<Build[]> {
      return Build.findAll({
        where: {
          dispatchedAt: null,
          finishedAt: null,
          phase: 'queued',
          [Op.or]: [
            { requestedAt: { [Op.lt]: fromNow(-ms) } },
            { cancelRequestedAt: { [Op.not]: null } },
          ],
        },
        order: ['requestedAt', 'id'],
        limit,
      });
    }

    /** Builds with a workflow and no end of which nothing was heard since a time, by id from `afterId` on. */
    static async silentSince(since: Date, afterId: number, limit: number): Promise<Build[]> {
      return Build.findAll({
        where: {
          id: { [Op.gt]: afterId },
          finishedAt: null,
          dispatchedAt: { [Op.not]: null },
          updatedAt: { [Op.lt]: since },
        },
        order: ['id'],
        limit,
      });
    }

    /**
     * Starts the builds that have no workflow yet, as they, or their retries, were requested; without those that
     * `unstartedFor` gives. One that has left the queue is started again, which marks that it has one. Each stays
     * locked while `start` runs, so that several dispatchers share the work; `start` must be idempotent, because a
     * crash after it repeats it.
     *
     * @param limit most builds in one call
     * @param start says where a build has to wait, which is left out meanwhile
     * @param among.since builds in the queue that were requested before are left out
     * @param among.dueBy builds that have to wait until later are left out
     * @returns how many were started or have to wait; where `start` throws, those before it stay dispatched
     */
    static async dispatchOldest(
      limit: number,
      start: (build: Build) => Promise<Postponed | undefined | void>,
      { since, dueBy }: { since: Date; dueBy: Date },
    ): Promise<number> {
      for (let started = 0; started < limit; started++) {
        const found = await sequelize.transaction(async (transaction) => {
          const [build] = await sequelize.query(
            `SELECT ${columnsOf(Build)} FROM build WHERE dispatched_at IS NULL AND finished_at IS NULL AND (next_try_at IS NULL OR next_try_at <= $dueBy)
               AND (phase <> 'queued' OR requested_at >= $since AND cancel_requested_at IS NULL)
             ORDER BY requested_at, id LIMIT 1 FOR UPDATE SKIP LOCKED`,
            {
              transaction,
              type: QueryTypes.SELECT,
              model: Build,
              mapToModel: true,
              bind: { since, dueBy },
            },
          );
          if (!build) return false;
          const postponed = await start(build);
          if (postponed) await build.postponeStart(postponed, transaction);
          else await build.markDispatched(transaction);
          return true;
        });
        if (!found) return started;
      }
      return limit;
    }

    /** Marks that its workflow could not be started, and says so as its last error. */
    private async postponeStart({ waitMs, message }: Postponed, transaction: Transaction) {
      const failed = { step: START_STEP, message, tries: this.failedTries + 1 };
      const lastError = lastErrorAfter(this.lastError, failed);
      await this.update({ lastError }, { silent: true, transaction });
      await this.postpone(waitMs, transaction);
    }

    /** Marks that its workflow is started: it waits for a worker now. */
    async markDispatched(transaction: Transaction): Promise<void> {
      this.set({ dispatchedAt: await readNow(sequelize, transaction), waitLimits });
      this.set({ failedTries: 0, nextTryAt: null, lastError: null });
      const known = this.waiting ?? { usually_ms: null, ahead: null };
      this.set({ waiting: waitingOf(this, known) });
      await this.save({ transaction });
    }

    /**
     * Marks that what the PPA builds of it is being stopped, unless it has ended. The mark is of the attempt that was
     * read. The build itself has not got on.
     */
    async markStopping(): Promise<void> {
      const { id, attempt } = this;
      await Build.update(
        { stoppingSince: NOW },
        { where: { id, attempt, finishedAt: null, stoppingSince: null }, silent: true },
      );
    }

    /**
     * Other builds of any of these source packages that have not ended, that nobody has cancelled, and that are not
     * being stopped; oldest first. They are read as they are asked for: a rebuild of an archive has thousands.
     */
    static async *othersOf(id: number, packageNames: readonly string[]): AsyncGenerator<Build> {
      for (let after = 0; ;) {
        const some = await Build.findAll({
          where: {
            id: { [Op.ne]: id, [Op.gt]: after },
            finishedAt: null,
            cancelRequestedAt: null,
            stoppingSince: null,
            packageNames: { [Op.overlap]: [...packageNames] },
          },
          order: ['id'],
          limit: OTHERS_AT_ONCE,
        });
        yield* some;
        const last = some.at(-1);
        if (!last || some.length < OTHERS_AT_ONCE) return;
        after = last.id;
      }
    }

    /**
     * How many builds wait for their workflow, since when the oldest does, and when that was read by the database's
     * clock.
     */
    static async backlog(): Promise<{ count: number; oldestAt: Date | null; at: Date }> {
      const [row] = await query<{ count: number; oldest_at: Date | null; at: Date }>(
        sequelize,
        'SELECT count(*)::integer AS count, min(requested_at) AS oldest_at, clock_timestamp() AS at FROM build WHERE dispatched_at IS NULL AND finished_at IS NULL',
      );
      return {
        count: row?.count ?? 0,
        oldestAt: row?.oldest_at ?? null,
        at: row?.at ?? new Date(),
      };
    }

    /**
     * When the oldest workflow of a build was started that no worker has taken yet, null where none waits for one; and
     * when that was read by the database's clock.
     */
    static async oldestUntaken(): Promise<{ startedAt: Date | null; at: Date }> {
      const [row] = await query<{ started_at: Date | null; at: Date }>(
        sequelize,
        `SELECT min(dispatched_at) AS started_at, clock_timestamp() AS at FROM build
         WHERE phase = 'queued' AND finished_at IS NULL AND dispatched_at IS NOT NULL`,
      );
      return { startedAt: row?.started_at ?? null, at: row?.at ?? new Date() };
    }

    /**
     * How many builds, counted up to a limit, have a workflow that no worker has taken yet. One that has waited for so
     * long is not counted: it may never be taken.
     */
    static async countUntaken(ms: number, limit: number): Promise<number> {
      const [row] = await query<{ count: number }>(
        sequelize,
        `SELECT count(*)::integer AS count FROM (
           SELECT FROM build WHERE phase = 'queued' AND finished_at IS NULL
             AND dispatched_at > clock_timestamp() - $1::double precision * interval '1 ms' LIMIT $2
         ) AS untaken`,
        [ms, limit],
      );
      return row?.count ?? 0;
    }

    /** How many builds a worker has taken that have not ended. */
    static async countTaken(): Promise<number> {
      return Build.count({ where: { finishedAt: null, phase: { [Op.ne]: 'queued' } } });
    }

    /**
     * Since when the step of a build fails that has failed longest, null where none does; and when that was read by the
     * database's clock.
     */
    static async oldestLastError(): Promise<{ since: Date | null; at: Date }> {
      const [row] = await query<{ since: Date | null; at: Date }>(
        sequelize,
        `SELECT min((trouble->>'since')::timestamptz) AS since, clock_timestamp() AS at FROM build
         WHERE finished_at IS NULL AND trouble IS NOT NULL`,
      );
      return { since: row?.since ?? null, at: row?.at ?? new Date() };
    }

    /** How many builds have a workflow that cannot get on by itself. */
    static async countStuck(): Promise<number> {
      const [row] = await query<{ count: number }>(
        sequelize,
        "SELECT count(*)::integer AS count FROM build WHERE finished_at IS NULL AND trouble->>'step' = $1",
        [WORKFLOW_STEP],
      );
      return row?.count ?? 0;
    }

    /** How many builds that have not ended are in each phase. */
    static async countByPhase(): Promise<Partial<Record<BuildPhase, number>>> {
      const rows = await query<{ phase: BuildPhase; count: number }>(
        sequelize,
        `SELECT phase, count(*)::integer AS count FROM build WHERE finished_at IS NULL GROUP BY phase`,
      );
      return Object.fromEntries(rows.map(({ phase, count }) => [phase, count]));
    }

    /** How many builds are in each state. */
    static async countByState(): Promise<Partial<Record<BuildState, number>>> {
      const rows = await query<{ state: BuildState; count: number }>(
        sequelize,
        `SELECT state, sum(builds)::integer AS count FROM (
           SELECT CASE state WHEN 'cancelled' THEN 'failed' ELSE state END AS state, builds FROM ended_builds
           UNION ALL
           SELECT state, count(*) FROM build WHERE finished_at IS NULL GROUP BY state
         ) counted GROUP BY state HAVING sum(builds) > 0 ORDER BY state`,
      );
      return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
    }

    /** How many builds have ended in which way: what was cancelled has not failed. */
    static async countEnded(): Promise<Record<FinalPhase, number>> {
      const rows = await query<{ phase: FinalPhase; count: number }>(
        sequelize,
        `SELECT state AS phase, sum(builds)::integer AS count FROM ended_builds GROUP BY state`,
      );
      const counts = new Map(rows.map(({ phase, count }) => [phase, count]));
      const of = (phase: FinalPhase) => counts.get(phase) ?? 0;
      return { completed: of('completed'), failed: of('failed'), cancelled: of('cancelled') };
    }
  }

  Build.init(buildColumns(), { sequelize, tableName: 'build', underscored: true });
  return Build;
}

export type BuildModel = ReturnType<typeof defineBuild>;
export type Build = InstanceType<BuildModel>;
