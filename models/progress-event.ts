import {
  DataTypes,
  Model,
  Op,
  QueryTypes,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
} from 'sequelize';
import {
  isFinal,
  phaseOfReport,
  type ProgressMessage,
  type ProgressReport,
} from '../domain/progress.ts';
import { printableThroughout } from '../domain/printable.ts';
import { appendEvent } from './append-event.ts';
import { attachArtifacts } from './attach-artifacts.ts';
import { keepBuildRecords } from './build-record.ts';
import { plainNames, type BuildModel } from './build.ts';

// Any constant does; it keeps these advisory locks apart from others in the same database.
const PUBLISH_LOCK = 4242;

/**
 * Time for the events of one transaction, after which it begins no other and marks what was confirmed. PostgreSQL hears
 * nothing meanwhile, and `openDatabase` gives up a connection that is silent for much longer.
 */
const PUBLISH_MS = 10_000;

/** One progress event of a build. It is a row first and a message on the caller's queue after that. */
export function defineProgressEvent(sequelize: Sequelize, { Build }: { Build: BuildModel }) {
  class ProgressEvent extends Model<
    InferAttributes<ProgressEvent>,
    InferCreationAttributes<ProgressEvent>
  > {
    declare readonly buildId: number;
    declare readonly seq: number;
    declare readonly attempt: number;
    declare readonly key: string;
    declare readonly body: ProgressMessage;
    declare readonly createdAt: CreationOptional<Date>;
    declare readonly publishedAt: CreationOptional<Date | null>;

    /**
     * Records a report as the build's next event and moves the build's row with it, in one transaction. A final one also
     * attaches the logs and results to the subtickets of the build's ticket.
     * A repeated key gives the event that it had. After its final event, an attempt records nothing more.
     *
     * @returns the event's message, or null where the attempt had ended already
     */
    static async record(given: ProgressReport): Promise<ProgressMessage | null> {
      // Servers and logs have a part in its texts.
      const report = printableThroughout(given);
      const { attempt = 1, failure, built, sequence } = report;
      return sequelize.transaction(async (transaction) => {
        const build = await Build.findByPk(report.buildId, {
          transaction,
          lock: transaction.LOCK.UPDATE,
          rejectOnEmpty: true,
        });
        const earlier = await ProgressEvent.findOne({
          where: { buildId: build.id, attempt, key: report.key },
          transaction,
        });
        if (earlier) return earlier.body;
        if (build.finishedAt || build.attempt !== attempt) return null;
        const now = new Date();
        const builds = report.builds ?? build.architectureBuilds;
        const ends = isFinal(report.message);
        build.set({
          architectureBuilds: builds,
          packageNames: plainNames([
            ...build.packageNames,
            ...builds.map(({ package: name }) => name),
          ]),
          lastError: null,
          ...(sequence ? { sequence } : {}),
          ...(ends ? { logs: report.logs ?? [], failure: failure ?? null, finishedAt: now } : {}),
          ...(built ? { builtPackages: built.packages, apt: built.apt } : {}),
        });
        await build.moveTo(phaseOfReport(report, builds), now, transaction);
        if (ends) {
          await keepBuildRecords(
            sequelize,
            build,
            { builds, failure, finishedAt: now },
            transaction,
          );
          const { logs } = build;
          await attachArtifacts(sequelize, build, { logs, lists: built?.lists }, transaction);
        }
        return appendEvent(sequelize, build, report.key, transaction);
      });
    }

    /** The messages of a build after a `seq`, in order. */
    static async findAfter(
      buildId: number,
      seq: number,
      limit: number,
    ): Promise<ProgressMessage[]> {
      const events = await ProgressEvent.findAll({
        where: { buildId, seq: { [Op.gt]: seq } },
        order: ['seq'],
        limit,
      });
      return events.map(({ body }) => body);
    }

    /**
     * Publishes the unpublished events of one build, in order, under a lock on that build, so that no two
     * publishers mix up its order. `publish` resolves when the broker has confirmed. A crash between the
     * confirmation and the commit publishes again, under the same message id.
     *
     * @param options.afterId builds up to this id are left out: the call is for the next one
     * @param options.refusedQueues builds that report to these are left out
     * @param options.maxMs no event is begun after this time; the rest wait
     * @returns null where no build has any that is not being published already; `fault` is what `publish` threw: the
     * events before it count as published, it and those after it wait
     */
    static async publishNextBuild(
      publish: (message: ProgressMessage) => Promise<void>,
      {
        afterId = 0,
        refusedQueues = [],
        maxMs = PUBLISH_MS,
      }: { afterId?: number; refusedQueues?: readonly string[]; maxMs?: number } = {},
    ): Promise<{ buildId: number; queue: string; published: number; fault?: unknown } | null> {
      return sequelize.transaction(async (transaction) => {
        // The lock is not the build's row: a broker that hangs must not hold up the next report.
        const [build] = await sequelize.query<{ id: number; queue: string }>(
          `SELECT id, queue FROM (
             SELECT id, build.progress_trigger AS queue FROM (
               SELECT DISTINCT build_id AS id FROM progress_event
               WHERE published_at IS NULL AND build_id > $afterId
             ) with_events JOIN build USING (id)
             WHERE id > $afterId AND build.progress_trigger <> ALL($refusedQueues::text[]) ORDER BY id LIMIT 100
           ) waiting
           WHERE pg_try_advisory_xact_lock(${PUBLISH_LOCK}, id) LIMIT 1`,
          { transaction, type: QueryTypes.SELECT, bind: { afterId, refusedQueues } },
        );
        if (!build) return null;
        const events = await ProgressEvent.findAll({
          where: { buildId: build.id, publishedAt: null },
          order: ['seq'],
          limit: 100,
          transaction,
        });
        const endsAtMs = performance.now() + maxMs;
        let published = 0;
        let fault: { fault: unknown } | undefined;
        for (const event of events) {
          try {
            await publish(event.body);
          } catch (error) {
            fault = { fault: error };
            break;
          }
          published += 1;
          if (performance.now() >= endsAtMs) break;
        }
        await ProgressEvent.update(
          { publishedAt: new Date() },
          {
            where: { buildId: build.id, seq: events.slice(0, published).map(({ seq }) => seq) },
            transaction,
          },
        );
        return { buildId: build.id, queue: build.queue, published, ...fault };
      });
    }

    /** How many events wait for the broker. */
    static async unpublished(): Promise<number> {
      return ProgressEvent.count({ where: { publishedAt: null } });
    }
  }

  ProgressEvent.init(
    {
      buildId: { type: DataTypes.INTEGER, primaryKey: true },
      seq: { type: DataTypes.INTEGER, primaryKey: true },
      attempt: { type: DataTypes.INTEGER, allowNull: false },
      key: { type: DataTypes.TEXT, allowNull: false },
      body: { type: DataTypes.JSONB, allowNull: false },
      createdAt: DataTypes.DATE,
      publishedAt: DataTypes.DATE,
    },
    { sequelize, tableName: 'progress_event', underscored: true, updatedAt: false },
  );
  return ProgressEvent;
}

export type ProgressEvent = InstanceType<ReturnType<typeof defineProgressEvent>>;
