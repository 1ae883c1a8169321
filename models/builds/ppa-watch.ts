import {
  DataTypes,
  Model,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
} from 'sequelize';
import { OUTAGE_MS } from '../../domain/builds/ppa-watch.ts';
import { WATCH_STEP } from '../../domain/builds/step-words.ts';
import { errorText } from './last-error.ts';
import { NOW } from '../sql/database-time.ts';
import { query } from '../sql/query.ts';

/**
 * How much is watched; `oldestRoundAt`: when the PPA was polled that was polled longest ago, or its first build was
 * uploaded since, null where none is; `at`: when that was read, by the database's clock.
 */
export type WatchCounts = { builds: number; ppas: number; oldestRoundAt: Date | null; at: Date };

/** The watch of a PPA: when it polled last, and what it could not get past then. */
export function definePpaWatch(sequelize: Sequelize) {
  class PpaWatch extends Model<InferAttributes<PpaWatch>, InferCreationAttributes<PpaWatch>> {
    /** Launchpad's archive reference. */
    declare readonly ppa: string;
    /** When a round of it was seen to go on, or ended, last. */
    declare readonly roundAt: Date;
    declare readonly lastError: CreationOptional<string | null>;
    /** Since when it does not answer its watch: neither a list nor for one source. Null while it does. */
    declare readonly awaySince: CreationOptional<Date | null>;
    /** When its latest outage ended, or while it goes on, was seen last; null where there was none. */
    declare readonly answersSince: CreationOptional<Date | null>;

    /**
     * How many builds wait in how many PPAs, and which of these was polled longest ago. Before its first build was
     * uploaded, a PPA need not have been polled. A build that polls by itself joins again, with the same upload.
     */
    static async countWatched(): Promise<WatchCounts> {
      const [row] = await query<{ builds: number; ppas: number; oldest: Date | null; at: Date }>(
        sequelize,
        `SELECT coalesce(sum(builds), 0)::integer AS builds, count(*)::integer AS ppas,
         min(greatest(round_at, uploaded_at)) AS oldest, clock_timestamp() AS at
       FROM (SELECT ppa, count(*) AS builds, min(uploaded_at) AS uploaded_at FROM watched_build GROUP BY ppa) watched
       JOIN ppa_watch USING (ppa)`,
      );
      return {
        builds: row?.builds ?? 0,
        ppas: row?.ppas ?? 0,
        oldestRoundAt: row?.oldest ?? null,
        at: row?.at ?? new Date(),
      };
    }

    /** Marks that a PPA is polled now. */
    static async markPolled(ppa: string): Promise<void> {
      await PpaWatch.update({ roundAt: NOW }, { where: { ppa } });
    }

    /** Marks that a PPA does not answer. Where it did not `OUTAGE_MS` ago either, that is an outage. */
    static async markAway(ppa: string): Promise<void> {
      await query(
        sequelize,
        `UPDATE ppa_watch SET away_since = coalesce(away_since, clock_timestamp()),
           answers_since = CASE WHEN away_since <= clock_timestamp() - $2::double precision * interval '1 ms'
             THEN clock_timestamp() ELSE answers_since END
         WHERE ppa = $1`,
        [ppa, OUTAGE_MS],
      );
    }

    /** Marks that a PPA answers. @returns when its latest outage ended; null where there was none */
    static async markAnswering(ppa: string): Promise<Date | null> {
      const [row] = await query<{ answers_since: Date | null }>(
        sequelize,
        `UPDATE ppa_watch SET away_since = NULL,
           answers_since = CASE WHEN answers_since > away_since THEN clock_timestamp() ELSE answers_since END
         WHERE ppa = $1 RETURNING answers_since`,
        [ppa],
      );
      return row?.answers_since ?? null;
    }

    /**
     * Keeps how a round went, as the last error of all builds that are watched there, too.
     *
     * @param error null where it went well
     */
    static async endRound(ppa: string, error: string | null): Promise<void> {
      const before = await PpaWatch.findByPk(ppa);
      const lastError = error === null ? null : errorText(error);
      await PpaWatch.update({ roundAt: NOW, lastError }, { where: { ppa } });
      if (lastError !== null) await noteOnBuilds(ppa, lastError);
      else if (before?.lastError) await clearOnBuilds(ppa);
    }
  }

  /** The builds themselves have not got on: their time of update stays. */
  async function noteOnBuilds(ppa: string, message: string): Promise<void> {
    await query(
      sequelize,
      `UPDATE build SET trouble = jsonb_build_object(
         'step', $2::text, 'message', $3::text,
         'tries', CASE WHEN trouble->>'step' = $2 THEN (trouble->>'tries')::integer ELSE 0 END + 1,
         'since', CASE WHEN trouble->>'step' = $2 THEN trouble->>'since' ELSE $4::text END
       )
       FROM watched_build WHERE watched_build.ppa = $1 AND id = build_id AND finished_at IS NULL`,
      [ppa, WATCH_STEP, message, new Date().toISOString()],
    );
  }

  async function clearOnBuilds(ppa: string): Promise<void> {
    await query(
      sequelize,
      `UPDATE build SET trouble = NULL
       FROM watched_build WHERE watched_build.ppa = $1 AND id = build_id AND trouble->>'step' = $2`,
      [ppa, WATCH_STEP],
    );
  }

  PpaWatch.init(
    {
      ppa: { type: DataTypes.TEXT, primaryKey: true },
      roundAt: { type: DataTypes.DATE, allowNull: false },
      lastError: DataTypes.TEXT,
      awaySince: DataTypes.DATE,
      answersSince: DataTypes.DATE,
    },
    { sequelize, tableName: 'ppa_watch', underscored: true, timestamps: false },
  );
  return PpaWatch;
}

export type PpaWatchModel = ReturnType<typeof definePpaWatch>;
