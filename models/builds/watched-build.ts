import { isDeepStrictEqual } from 'node:util';
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
import { buildRecordState, type BuildRecord } from '../../domain/builds/build-state.ts';
import type { ToldPhase, WatchRequest } from '../../domain/builds/ppa-watch.ts';
import type { PackageVersion } from '../../domain/packages/source-file.ts';
import type { PpaWatchModel } from './ppa-watch.ts';
import { NOW, readClock } from '../sql/database-time.ts';
import { query } from '../sql/query.ts';

/** What a watch knows of a build. */
export type WatchedState = {
  accepted: boolean;
  records: BuildRecord[];
  dependencyWaitSince: Date | null;
};

/**
 * Of a build that joins: how long ago its upload ended, and for how long it waits for dependencies, in milliseconds.
 */
export type Elapsed = { uploadedMs: number; dependencyWaitedMs: number | null };

/** What a round of a watch has to ask its PPA for. */
export type WatchOverview = {
  count: number;
  /** When the oldest upload ended that the PPA has not shown yet. */
  oldestUploadAt: Date | null;
  /** Launchpad's states of the builds that have not ended. */
  activeStates: string[];
};

/** A build whose workflow waits for what its PPA does. All times are of the database's clock. */
export function defineWatchedBuild(
  sequelize: Sequelize,
  { PpaWatch }: { PpaWatch: PpaWatchModel },
) {
  class WatchedBuild extends Model<
    InferAttributes<WatchedBuild>,
    InferCreationAttributes<WatchedBuild>
  > {
    declare readonly buildId: number;
    declare readonly attempt: number;
    declare readonly workflowId: string;
    /** Launchpad's archive reference. */
    declare readonly ppa: string;
    declare readonly request: WatchRequest;
    declare readonly cancelUrl: string | null;
    declare readonly uploadedAt: Date;
    declare readonly joinedAt: Date;
    /** It was asked for by itself since it joined: what the PPA had before the upload is known. */
    declare readonly polled: CreationOptional<boolean>;
    declare readonly accepted: boolean;
    declare readonly records: BuildRecord[];
    declare readonly activeStates: string[];
    declare readonly dependencyWaitSince: Date | null;
    /** What its workflow was told last. */
    declare readonly toldPhase: CreationOptional<ToldPhase | null>;
    /** When its workflow was last told to poll by itself. */
    declare readonly askedAt: CreationOptional<Date | null>;
    declare readonly version: CreationOptional<number>;

    /**
     * Adds a build to those of its PPA. One that is there with the same request stays as it is, and so does one that
     * has joined later: a worker that was frozen says late what a workflow has left behind, and nobody would wake that.
     */
    static async join(
      build: Omit<
        InferCreationAttributes<WatchedBuild>,
        | 'joinedAt'
        | 'uploadedAt'
        | 'dependencyWaitSince'
        | 'activeStates'
        | 'polled'
        | 'toldPhase'
        | 'askedAt'
        | 'version'
      >,
      { uploadedMs, dependencyWaitedMs }: Elapsed,
    ): Promise<void> {
      const nowMs = (await readClock(sequelize))();
      const times = {
        joinedAt: new Date(nowMs),
        uploadedAt: new Date(nowMs - uploadedMs),
        dependencyWaitSince:
          dependencyWaitedMs === null ? null : new Date(nowMs - dependencyWaitedMs),
      };
      await sequelize.transaction(async (transaction) => {
        const where = { buildId: build.buildId };
        const there = await WatchedBuild.findOne({
          where,
          transaction,
          lock: transaction.LOCK.UPDATE,
        });
        if (there && (isSame(there, build) || isLater(there, build))) return;
        await WatchedBuild.destroy({ where, transaction });
        const activeStates = activeStatesOf(build.records);
        await WatchedBuild.create({ ...build, ...times, activeStates }, { transaction });
      });
      await PpaWatch.bulkCreate([{ ppa: build.ppa, roundAt: times.joinedAt }], {
        ignoreDuplicates: true,
      });
    }

    /**
     * Takes a build out of those that are watched.
     *
     * @param poll the number of its own poll for which it leaves. Where it has joined after that, it stays: an earlier
     * try of the poll says so late, and its workflow sleeps by now
     */
    static async leave(buildId: number, attempt: number, poll: number): Promise<void> {
      await query(
        sequelize,
        `DELETE FROM watched_build WHERE build_id = $1 AND attempt = $2
           AND coalesce((request->>'polls')::double precision, 0) < $3::double precision`,
        [buildId, attempt, poll],
      );
    }

    /** Whether an attempt is among those that are watched. */
    static async includes({
      id: buildId,
      attempt,
    }: {
      id: number;
      attempt: number;
    }): Promise<boolean> {
      return (await WatchedBuild.count({ where: { buildId, attempt } })) > 0;
    }

    /** Whether an attempt that is watched has sent a package: it joins once its packages are uploaded. */
    static async hasSent(
      of: { buildId: number; attempt: number },
      { source, version }: PackageVersion,
    ): Promise<boolean> {
      const { buildId, attempt } = of;
      const watched = await WatchedBuild.findOne({ where: { buildId, attempt } });
      const packages = watched?.request.packages ?? [];
      return packages.some((one) => one.source === source && one.version === version);
    }

    /** What is watched in a PPA. Builds that have ended, or have another attempt by now, leave it. */
    static async overviewOf(ppa: string): Promise<WatchOverview> {
      await query(
        sequelize,
        `DELETE FROM watched_build USING build
         WHERE watched_build.ppa = $1 AND build.id = build_id
           AND (build.finished_at IS NOT NULL OR build.attempt <> watched_build.attempt)`,
        [ppa],
      );
      const [row] = await query<{ count: number; oldest: Date | null; states: string[] }>(
        sequelize,
        `SELECT count(*)::integer AS count, min(uploaded_at) FILTER (WHERE NOT accepted) AS oldest,
           ARRAY(SELECT DISTINCT unnest(active_states) FROM watched_build WHERE ppa = $1 ORDER BY 1) AS states
         FROM watched_build WHERE ppa = $1`,
        [ppa],
      );
      return {
        count: row?.count ?? 0,
        oldestUploadAt: row?.oldest ?? null,
        activeStates: row?.states ?? [],
      };
    }

    /** The builds that are watched in a PPA, by id from `afterId` on. */
    static async listAfter(ppa: string, afterId: number, limit: number): Promise<WatchedBuild[]> {
      return WatchedBuild.findAll({
        where: { ppa, buildId: { [Op.gt]: afterId } },
        order: ['buildId'],
        limit,
      });
    }

    /**
     * All builds of a PPA whose caller has a cancel URL, in another order each time: a round may leave out the last
     * ones.
     */
    static async listCancelUrls(ppa: string): Promise<WatchedBuild[]> {
      return WatchedBuild.findAll({
        attributes: ['buildId', 'workflowId', 'joinedAt', 'cancelUrl'],
        where: { ppa, cancelUrl: { [Op.not]: null } },
        order: sequelize.random(),
      });
    }

    /**
     * Keeps what the PPA shows of it now.
     *
     * @returns whether it was kept: false where another round has been there since this was read, or it is not watched
     */
    async advance(state: WatchedState, transaction?: Transaction): Promise<boolean> {
      const { buildId, joinedAt, version } = this;
      const [changed] = await WatchedBuild.update(
        {
          ...state,
          activeStates: activeStatesOf(state.records),
          polled: true,
          version: version + 1,
        },
        { where: { buildId, joinedAt, version }, transaction: transaction ?? null },
      );
      return changed === 1;
    }

    /** Marks what its workflow was told, unless it has joined anew since. */
    async markTold(what: Partial<Pick<WatchedBuild, 'toldPhase' | 'cancelUrl'>>): Promise<void> {
      const { buildId, joinedAt } = this;
      await WatchedBuild.update(what, { where: { buildId, joinedAt } });
    }

    /** Marks that its workflow was told to poll by itself, unless it has joined anew since. */
    async markAsked(): Promise<void> {
      const { buildId, joinedAt } = this;
      await WatchedBuild.update({ askedAt: NOW }, { where: { buildId, joinedAt } });
    }

    /** Takes it out, unless it has joined anew since. */
    async leaveUnlessRejoined(): Promise<void> {
      const { buildId, joinedAt } = this;
      await WatchedBuild.destroy({ where: { buildId, joinedAt } });
    }

    /** Builds of PPAs that no watch has polled for so long, and that were not told so meanwhile; oldest first. */
    static async unwatchedFor(unwatchedMs: number, limit: number): Promise<WatchedBuild[]> {
      const rows = await query<{ build_id: number }>(
        sequelize,
        `SELECT build_id FROM watched_build LEFT JOIN ppa_watch USING (ppa)
           CROSS JOIN (SELECT clock_timestamp() - $1::double precision * interval '1 ms' AS since) AS before
         WHERE joined_at < since AND (asked_at IS NULL OR asked_at < since) AND (round_at IS NULL OR round_at < since)
         ORDER BY joined_at LIMIT $2`,
        [unwatchedMs, limit],
      );
      return WatchedBuild.findAll({ where: { buildId: rows.map((row) => row.build_id) } });
    }
  }

  WatchedBuild.init(
    {
      buildId: { type: DataTypes.INTEGER, primaryKey: true },
      attempt: { type: DataTypes.INTEGER, allowNull: false },
      workflowId: { type: DataTypes.TEXT, allowNull: false },
      ppa: { type: DataTypes.TEXT, allowNull: false },
      request: { type: DataTypes.JSONB, allowNull: false },
      cancelUrl: DataTypes.TEXT,
      uploadedAt: { type: DataTypes.DATE, allowNull: false },
      joinedAt: { type: DataTypes.DATE, allowNull: false },
      polled: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
      accepted: { type: DataTypes.BOOLEAN, allowNull: false },
      records: { type: DataTypes.JSONB, allowNull: false },
      activeStates: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false },
      dependencyWaitSince: DataTypes.DATE,
      toldPhase: DataTypes.TEXT,
      askedAt: DataTypes.DATE,
      version: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
    },
    { sequelize, tableName: 'watched_build', underscored: true, timestamps: false },
  );
  return WatchedBuild;
}

function activeStatesOf(records: readonly BuildRecord[]): string[] {
  const active = records.filter(({ buildState }) => {
    const state = buildRecordState(buildState);
    return state !== 'completed' && state !== 'failed';
  });
  return [...new Set(active.map(({ buildState }) => buildState))];
}

export type WatchedBuildModel = ReturnType<typeof defineWatchedBuild>;
export type WatchedBuild = InstanceType<WatchedBuildModel>;

type Joined = { attempt: number; request: WatchRequest };

function isSame(one: Joined, other: Joined): boolean {
  return one.attempt === other.attempt && isDeepStrictEqual(one.request, other.request);
}

/** Whether a build has joined with more than this: attempts, levels of its order, and polls of its own only grow. */
function isLater({ attempt, request }: Joined, than: Joined): boolean {
  const more = [
    attempt - than.attempt,
    request.packages.length - than.request.packages.length,
    (request.polls ?? 0) - (than.request.polls ?? 0),
  ];
  return (more.find((difference) => difference !== 0) ?? 0) > 0;
}
