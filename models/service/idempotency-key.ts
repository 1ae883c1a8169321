import {
  DataTypes,
  Model,
  Op,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
  type Transaction,
} from 'sequelize';
import { fromNow, NOW } from '../sql/database-time.ts';
import { query } from '../sql/query.ts';

/** The answer of a key. */
export type KeptAnswer = InferCreationAttributes<IdempotencyKey>;
type Answer = Omit<KeptAnswer, 'createdAt' | 'expiresAt'>;

/**
 * A key of a request that must happen once, with the answer that it got. The row is written in the transaction of
 * what the request changes, so that a crash keeps both or none; while that transaction runs, a lock is all there is.
 */
export function defineIdempotencyKey(sequelize: Sequelize) {
  class IdempotencyKey extends Model<
    InferAttributes<IdempotencyKey>,
    InferCreationAttributes<IdempotencyKey>
  > {
    /** SHA-256 of the actor, the method, the path and the key. */
    declare readonly id: Buffer;
    declare readonly actor: string;
    declare readonly key: string;
    /** SHA-256 of what else makes the request: another one is not answered with this answer. */
    declare readonly fingerprint: Buffer;
    declare readonly status: number;
    declare readonly headers: Readonly<Record<string, string>>;
    /** Null where the answer has no body, or a secret in it. */
    declare readonly body: Buffer | null;
    /** Callers without the scope `read` do not get the body. */
    declare readonly needsRead: boolean;
    declare readonly createdAt: Date;
    declare readonly expiresAt: Date;

    /**
     * Takes a key until the transaction ends, however it ends. Nobody waits for it.
     *
     * @param inFlightMs PostgreSQL ends the transaction when it has had no statement for this long: its process may
     * be out of reach, and nobody else would free the key
     * @returns false where another transaction has it
     */
    static async claim(id: Buffer, inFlightMs: number, transaction: Transaction): Promise<boolean> {
      const [row] = await query<{ claimed: boolean }>(
        sequelize,
        `SELECT pg_try_advisory_xact_lock($1) AS claimed,
           set_config('idle_in_transaction_session_timeout', $2, true)`,
        [id.readBigInt64BE().toString(), String(inFlightMs)],
        transaction,
      );
      return row?.claimed === true;
    }

    /**
     * The answer that a claimed key has, unless it has expired. It is a statement of its own: that of the claim sees
     * the rows as they were before the lock was there.
     *
     * @param now absent: by the database's clock, here and below
     */
    static async answerOf(
      id: Buffer,
      transaction: Transaction,
      now?: Date,
    ): Promise<KeptAnswer | null> {
      const row = await IdempotencyKey.findOne({
        where: { id, expiresAt: { [Op.gt]: now ?? NOW } },
        raw: true,
        transaction,
      });
      return row;
    }

    /**
     * Keeps the answer of a claimed key, in place of one that has expired.
     *
     * @param lifetimeMs it expires after this
     */
    static async keep(
      answer: Answer,
      lifetimeMs: number,
      transaction: Transaction,
      now?: Date,
    ): Promise<void> {
      const times = now
        ? { createdAt: now, expiresAt: new Date(now.getTime() + lifetimeMs) }
        : { createdAt: NOW, expiresAt: fromNow(lifetimeMs) };
      // Sequelize takes SQL in place of a value, and its types do not say so.
      const values = { ...answer, ...times } as KeptAnswer;
      await IdempotencyKey.upsert(values, { transaction, returning: false });
    }

    /**
     * Removes keys that have expired, those first that expired first.
     *
     * @param limit most keys in one call
     * @returns how many were removed
     */
    static async removeExpired(limit: number, now?: Date): Promise<number> {
      const rows = await query(
        sequelize,
        `DELETE FROM idempotency_key WHERE id IN (
           SELECT id FROM idempotency_key WHERE expires_at <= (SELECT coalesce($1::timestamptz, clock_timestamp()))
           ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
         ) RETURNING 1`,
        [now ?? null, limit],
      );
      return rows.length;
    }
  }

  IdempotencyKey.init(
    {
      id: { type: DataTypes.BLOB, primaryKey: true },
      actor: { type: DataTypes.TEXT, allowNull: false },
      key: { type: DataTypes.TEXT, allowNull: false },
      fingerprint: { type: DataTypes.BLOB, allowNull: false },
      status: { type: DataTypes.INTEGER, allowNull: false },
      headers: { type: DataTypes.JSONB, allowNull: false },
      body: DataTypes.BLOB,
      needsRead: { type: DataTypes.BOOLEAN, allowNull: false },
      createdAt: { type: DataTypes.DATE, allowNull: false },
      expiresAt: { type: DataTypes.DATE, allowNull: false },
    },
    { sequelize, tableName: 'idempotency_key', underscored: true, timestamps: false },
  );
  return IdempotencyKey;
}

export type IdempotencyKey = InstanceType<ReturnType<typeof defineIdempotencyKey>>;
