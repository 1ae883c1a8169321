import {
  DataTypes,
  Model,
  Op,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
  type Transaction,
} from 'sequelize';
import {
  isFinal,
  phaseOfReport,
  pollOf,
  type ProgressMessage,
  type ProgressReport,
} from '../../domain/builds/progress.ts';
import { endedSequence } from '../../domain/builds/build-sequence.ts';
import { printableThroughout } from '../../domain/text/printable.ts';
import { appendEvent } from './append-event.ts';
import { attachArtifacts } from '../tickets/attach-artifacts.ts';
import { keepBuildRecords } from '../builds/build-record.ts';
import { plainNames, type BuildModel } from '../builds/build.ts';
import { selectEvents } from '../sql/page-bytes.ts';
import {
  countWaiting,
  type Publish,
  publishNext,
  type Published,
  type PublishOptions,
} from './publish-events.ts';

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
     * Records a report as the build's next event and moves the build's row with it, in one transaction. A final one
     * also attaches the logs and results to the subtickets of the build's ticket. A repeated key gives the event that
     * it had, but once the attempt has ended only a final report does: what else is said then is said by a workflow
     * that was reset, which is not to go on. After its final event, an attempt records nothing more.
     *
     * @param isWanted asked of the build under the lock of its row, last; what it writes is kept with the event
     * @returns the event's message, or null where the attempt had ended already, a later poll has reported,
     * the report is of another build with this id, or it is not wanted
     */
    static async record(
      given: ProgressReport,
      isWanted: (
        build: InstanceType<BuildModel>,
        transaction: Transaction,
      ) => boolean | Promise<boolean> = () => true,
    ): Promise<ProgressMessage | null> {
      // Servers and logs have a part in its texts.
      const report = printableThroughout(given);
      const { attempt = 1, failure, built, sequence } = report;
      return sequelize.transaction(async (transaction) => {
        const build = await Build.findByPk(report.buildId, {
          transaction,
          lock: transaction.LOCK.UPDATE,
          rejectOnEmpty: true,
        });
        if (build.isNotOf(report)) return null;
        const ends = isFinal(report.message);
        const isUnderWay = !build.finishedAt && build.attempt === attempt;
        if (!isUnderWay && !ends) return null;
        const earlier = await ProgressEvent.findOne({
          where: { buildId: build.id, attempt, key: report.key },
          transaction,
        });
        if (earlier) return earlier.body;
        if (await isOvertaken(build.id, attempt, report.key, transaction)) return null;
        if (!isUnderWay) return null;
        if (!(await isWanted(build, transaction))) return null;
        const now = new Date();
        const builds = report.builds ?? build.architectureBuilds;
        const told = sequence ?? build.sequence;
        build.set({
          packageNames: plainNames([
            ...build.packageNames,
            ...builds.map(({ package: name }) => name),
          ]),
          lastError: null,
          // Who ends it may not know of its order, as where its workflow was terminated.
          sequence: ends ? endedSequence(told) : told,
          ...(ends ? { logs: report.logs ?? [], failure: failure ?? null, finishedAt: now } : {}),
          ...(built ? { builtPackages: built.packages, apt: built.apt } : {}),
        });
        await build.moveTo(phaseOfReport(report, builds), now, transaction, { builds });
        if (ends) {
          await keepBuildRecords(
            sequelize,
            build,
            { builds, failure, finishedAt: now },
            transaction,
          );
          const { logs } = build;
          // A list among a ticket's artifacts says that a package is built: on all architectures.
          const lists = failure ? undefined : built?.lists;
          await attachArtifacts(sequelize, build, { logs, lists }, transaction);
        }
        return appendEvent(sequelize, build, report.key, transaction);
      });
    }

    /**
     * The messages of a build after a `seq`, in order.
     *
     * @param options.isBounded fewer than asked for where they would be too large together
     */
    static async findAfter(
      buildId: number,
      seq: number,
      limit: number,
      { isBounded = true } = {},
    ): Promise<ProgressMessage[]> {
      return selectEvents(sequelize, 'build', { id: buildId, after: seq, limit, isBounded });
    }

    /** Publishes what waits of one build, as `publishNext` does. @returns null where nothing waits */
    static publishNextBuild(
      publish: Publish<ProgressMessage>,
      options: PublishOptions = {},
    ): Promise<Published | null> {
      return publishNext(sequelize, 'build', publish, options);
    }

    /** How many events wait for the broker, as `countWaiting` counts them. */
    static async unpublished(limit?: number): Promise<number> {
      return countWaiting(sequelize, 'build', limit);
    }
  }

  /** Whether a later poll of the PPA has reported: one that was given up may report all the same. */
  async function isOvertaken(
    buildId: number,
    attempt: number,
    key: string,
    transaction: Transaction,
  ): Promise<boolean> {
    const poll = pollOf(key);
    if (poll === undefined) return false;
    const latest = await ProgressEvent.findOne({
      attributes: ['key'],
      where: { buildId, attempt, key: { [Op.like]: 'poll-%' } },
      order: [['seq', 'DESC']],
      transaction,
    });
    return (pollOf(latest?.key ?? '') ?? 0) > poll;
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
