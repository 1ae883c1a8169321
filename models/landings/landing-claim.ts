import {
  DataTypes,
  Model,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
  type Transaction,
} from 'sequelize';
import type { LandingAhead } from '../../domain/landings/landing.ts';
import { ADVISORY_LOCKS } from '../sql/advisory-locks.ts';
import { query } from '../sql/query.ts';

/** The landings with a claim of a lower place on a package that the landing claims too. */
const AHEAD = `
  SELECT DISTINCT other.landing_id, landing.ticket_id
  FROM landing_claim own
  JOIN landing_claim other ON (other.target, other.package) = (own.target, own.package) AND other.place < own.place
  JOIN landing ON landing.id = other.landing_id
  WHERE own.landing_id = $1
  ORDER BY 1`;

/**
 * A source package of a target that a landing stands in line for. All packages of a landing have one place, and the
 * places of a target are given one after the other: so no two landings ever wait for each other.
 */
export function defineLandingClaim(sequelize: Sequelize) {
  class LandingClaim extends Model<
    InferAttributes<LandingClaim>,
    InferCreationAttributes<LandingClaim>
  > {
    declare readonly target: string;
    declare readonly package: string;
    declare readonly place: number;
    declare readonly landingId: number;

    /** Puts a landing behind all that claim packages of its target now. */
    static async standInLine(
      { id: landingId, target }: { id: number; target: string },
      packages: readonly string[],
      transaction: Transaction,
    ): Promise<void> {
      // Until the transaction ends: a place is seen by all that get a later one.
      await query(
        sequelize,
        'SELECT pg_advisory_xact_lock($1, hashtext($2))',
        [ADVISORY_LOCKS.landingClaim, target],
        transaction,
      );
      const [row] = await query<{ place: number }>(
        sequelize,
        `SELECT nextval('landing_place') AS place`,
        [],
        transaction,
      );
      const place = row?.place ?? 0;
      await LandingClaim.bulkCreate(
        packages.map((name) => ({ target, package: name, place, landingId })),
        { transaction },
      );
    }

    /** Leaves the line, or gives back what the landing held. */
    static async release(landingId: number, transaction: Transaction): Promise<void> {
      await LandingClaim.destroy({ where: { landingId }, transaction });
    }

    /** The landings that a landing waits for; none where it holds all its packages. */
    static async ahead(landingId: number): Promise<LandingAhead[]> {
      return query<LandingAhead>(sequelize, AHEAD, [landingId]);
    }
  }

  LandingClaim.init(
    {
      target: { type: DataTypes.TEXT, primaryKey: true },
      package: { type: DataTypes.TEXT, primaryKey: true },
      place: { type: DataTypes.BIGINT, primaryKey: true },
      landingId: { type: DataTypes.INTEGER, allowNull: false },
    },
    { sequelize, tableName: 'landing_claim', underscored: true, timestamps: false },
  );
  return LandingClaim;
}

export type LandingClaimModel = ReturnType<typeof defineLandingClaim>;
