import { randomBytes } from 'node:crypto';
import {
  DataTypes,
  Model,
  Op,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type NonAttribute,
  type Sequelize,
} from 'sequelize';
import {
  validToken,
  type AccessToken,
  type AccessTokenModel,
  type ValidToken,
} from './access-token.ts';
import { hashOf, USE_STEP_MS } from './secret-text.ts';
import { fromNow, NOW, readNow } from '../sql/database-time.ts';
import { query } from '../sql/query.ts';

const RANDOM_BYTES = 32;
const TEXT = /^[A-Za-z0-9_-]{43}$/;
/** Most sessions of one token: who signs in once more ends the one that was not used for longest. */
const MAX_OF_A_TOKEN = 50;
/** Of the idle time, the step after which a use is written: so that a short one is not over before a use counts. */
const USE_STEP_PART = 0.1;

/**
 * A browser that has signed in with a token. Only the hash of its text is kept. How long it lasts goes by the
 * database's clock.
 */
export function defineSession(
  sequelize: Sequelize,
  { AccessToken }: { AccessToken: AccessTokenModel },
) {
  class Session extends Model<InferAttributes<Session>, InferCreationAttributes<Session>> {
    declare readonly id: CreationOptional<number>;
    declare readonly hash: Buffer;
    declare readonly tokenId: number;
    declare readonly createdAt: Date;
    declare readonly lastUsedAt: Date;
    /** Where it was read with the session. */
    declare readonly token: NonAttribute<AccessToken>;

    /**
     * Begins a session of a token, and removes those that nobody can use any more, so that the table holds no more than
     * the sessions there are.
     *
     * @param idleMs a session ends when it has not been used for this long
     * @returns its text, which cannot be had again
     */
    static async begin(tokenId: number, idleMs: number): Promise<string> {
      const text = randomBytes(RANDOM_BYTES).toString('base64url');
      await sequelize.transaction(async (transaction) => {
        const now = await readNow(sequelize, transaction);
        const endedAt = new Date(now.getTime() - idleMs);
        await query(
          sequelize,
          `DELETE FROM session WHERE id IN (
            SELECT session.id FROM session JOIN access_token ON access_token.id = token_id
            WHERE session.last_used_at <= $1 OR revoked_at IS NOT NULL OR expires_at <= $2
            FOR UPDATE OF session SKIP LOCKED
          )`,
          [endedAt, now],
          transaction,
        );
        await Session.create(
          { hash: hashOf(text), tokenId, createdAt: now, lastUsedAt: now },
          { transaction },
        );
        await query(
          sequelize,
          `DELETE FROM session WHERE id IN (
            SELECT id FROM session WHERE token_id = $1
            ORDER BY last_used_at DESC, id DESC OFFSET $2 FOR UPDATE SKIP LOCKED
          )`,
          [tokenId, MAX_OF_A_TOKEN],
          transaction,
        );
      });
      return text;
    }

    /**
     * The token of the session that a text is, if both are valid now.
     *
     * @param idleMs a session ends when it has not been used for this long
     */
    static async findToken(text: string, idleMs: number): Promise<ValidToken | undefined> {
      if (!TEXT.test(text)) return undefined;
      const session = await Session.findOne({
        where: { hash: hashOf(text), lastUsedAt: { [Op.gt]: fromNow(-idleMs) } },
        attributes: ['id', 'tokenId', 'lastUsedAt', [NOW, 'readAt']],
        include: {
          association: 'token',
          required: true,
          where: { revokedAt: null, expiresAt: { [Op.gt]: NOW } },
        },
      });
      if (!session) return undefined;
      const readAt = session.get('readAt') as Date;
      const stepMs = Math.min(USE_STEP_MS, idleMs * USE_STEP_PART);
      if (readAt.getTime() - session.lastUsedAt.getTime() >= stepMs)
        await Session.used(session, readAt, stepMs);
      return validToken(session.token);
    }

    /** Ends the session that a text is; there need be none. */
    static async end(text: string): Promise<void> {
      if (!TEXT.test(text)) return;
      await Session.destroy({ where: { hash: hashOf(text) } });
    }

    /** Keeps when a session was used, and with it its token. Of several requests that come to it at once one writes. */
    private static async used(session: Session, now: Date, stepMs: number): Promise<void> {
      const earlier = new Date(now.getTime() - stepMs);
      await query(
        sequelize,
        `UPDATE session SET last_used_at = $2 WHERE id = (
          SELECT id FROM session WHERE id = $1 AND last_used_at <= $3 FOR UPDATE SKIP LOCKED
        )`,
        [session.id, now, earlier],
      );
      await AccessToken.keepUse(session.tokenId, now, stepMs);
    }
  }

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
  Session.belongsTo(AccessToken, { as: 'token', foreignKey: 'tokenId' });
  return Session;
}

export type Session = InstanceType<ReturnType<typeof defineSession>>;
