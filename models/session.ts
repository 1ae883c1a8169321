import { createHash, randomBytes } from 'node:crypto';
import {
  DataTypes,
  Model,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
} from 'sequelize';
import type { Scope } from '../domain/access.ts';
import type { ValidToken } from './access-token.ts';
import { execute } from './statement.ts';

const RANDOM_BYTES = 32;
const TEXT = /^[A-Za-z0-9_-]{43}$/;
/** Most sessions of one token: who signs in once more ends the one that was not used for longest. */
const MAX_OF_A_TOKEN = 50;
/** A use within so long after the one on the row is not written: else every read would be a write. */
const USE_STEP_MS = 60_000;
/** Of the idle time: so that a short one is not over before a use counts. */
const USE_STEP_PART = 0.1;

/** A browser that has signed in with a token. Only the hash of its text is kept. */
export class Session extends Model<InferAttributes<Session>, InferCreationAttributes<Session>> {
  declare readonly id: CreationOptional<number>;
  declare readonly hash: Buffer;
  declare readonly tokenId: number;
  declare readonly createdAt: Date;
  declare readonly lastUsedAt: Date;

  static initOn(sequelize: Sequelize): void {
    Session.init(
      {
        id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
        hash: { type: DataTypes.BLOB, allowNull: false },
        tokenId: { type: DataTypes.INTEGER, allowNull: false },
        createdAt: { type: DataTypes.DATE, allowNull: false },
        lastUsedAt: { type: DataTypes.DATE, allowNull: false },
      },
      {
        sequelize,
        tableName: 'session',
        underscored: true,
        timestamps: false,
        defaultScope: { attributes: { exclude: ['hash'] } },
      },
    );
  }

  /**
   * Begins a session of a token, and removes those that nobody can use any more, so that the table holds no more than
   * the sessions there are.
   *
   * @param idleMs a session that was not used for so long is over
   * @returns its text, which cannot be had again
   */
  static async begin(tokenId: number, idleMs: number, now = new Date()): Promise<string> {
    const text = randomBytes(RANDOM_BYTES).toString('base64url');
    await Session.database.transaction(async (transaction) => {
      const run = (statement: Parameters<typeof execute>[1]) =>
        execute(Session.database, statement, transaction);
      await run({
        text: `DELETE FROM session WHERE id IN (
            SELECT session.id FROM session JOIN access_token ON access_token.id = token_id
            WHERE session.last_used_at <= $1 OR revoked_at IS NOT NULL OR expires_at <= $2
            FOR UPDATE OF session SKIP LOCKED
          )`,
        values: [new Date(now.getTime() - idleMs), now],
      });
      await run({
        text: 'INSERT INTO session (hash, token_id, created_at, last_used_at) VALUES ($1, $2, $3, $3)',
        values: [hashOf(text), tokenId, now],
      });
      await run({
        text: `DELETE FROM session WHERE id IN (
            SELECT id FROM session WHERE token_id = $1
            ORDER BY last_used_at DESC, id DESC OFFSET $2 FOR UPDATE SKIP LOCKED
          )`,
        values: [tokenId, MAX_OF_A_TOKEN],
      });
    });
    return text;
  }

  /**
   * The token of the session that a text is, if both are valid now.
   *
   * @param idleMs a session that was not used for so long is over
   */
  static async findToken(
    text: string,
    idleMs: number,
    now = new Date(),
  ): Promise<ValidToken | undefined> {
    if (!TEXT.test(text)) return undefined;
    const [row] = await execute(Session.database, {
      text: `SELECT session.id AS session_id, session.last_used_at, token.id, name, scopes, expires_at
        FROM session JOIN access_token token ON token.id = token_id
        WHERE session.hash = $1 AND session.last_used_at > $2 AND revoked_at IS NULL AND expires_at > $3`,
      values: [hashOf(text), new Date(now.getTime() - idleMs), now],
    });
    if (!row) return undefined;
    const found = row as FoundSession;
    const stepMs = Math.min(USE_STEP_MS, idleMs * USE_STEP_PART);
    if (now.getTime() - Date.parse(found.last_used_at) >= stepMs)
      await Session.used(found, now, stepMs);
    const { id, name, scopes, expires_at: expiresAt } = found;
    return { id, name, scopes, expiresAt };
  }

  /** Ends the session that a text is; there need be none. */
  static async end(text: string): Promise<void> {
    if (!TEXT.test(text)) return;
    await execute(Session.database, {
      text: 'DELETE FROM session WHERE hash = $1',
      values: [hashOf(text)],
    });
  }

  /** Keeps when a session was used, and with it its token. Of several requests that come to it at once one writes. */
  private static async used(
    { session_id: sessionId, id }: FoundSession,
    now: Date,
    stepMs: number,
  ): Promise<void> {
    const earlier = new Date(now.getTime() - stepMs);
    await execute(Session.database, {
      text: `UPDATE session SET last_used_at = $2 WHERE id = (
          SELECT id FROM session WHERE id = $1 AND last_used_at <= $3 FOR UPDATE SKIP LOCKED
        )`,
      values: [sessionId, now, earlier],
    });
    await execute(Session.database, {
      text: `UPDATE access_token SET last_used_at = $2 WHERE id = (
          SELECT id FROM access_token
          WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3) FOR UPDATE SKIP LOCKED
        )`,
      values: [id, now, earlier],
    });
  }

  private static get database(): Sequelize {
    if (!Session.sequelize) throw new Error('Session.initOn was not called');
    return Session.sequelize;
  }
}

type FoundSession = {
  readonly session_id: number;
  readonly last_used_at: string;
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expires_at: string;
};

// 256 random bits cannot be guessed from their hash, so it needs neither a salt nor to be slow.
function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
