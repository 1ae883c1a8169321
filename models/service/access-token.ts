import { randomBytes } from 'node:crypto';
import {
  DataTypes,
  EmptyResultError,
  Model,
  Op,
  type CreateOptions,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
  type Transaction,
} from 'sequelize';
import type { Scope } from '../../domain/access/access.ts';
import { AirlineError } from '../../domain/errors.ts';
import type { TargetRule } from '../../domain/access/target-rule.ts';
import type { MutationContext } from '../sql/mutation-context.ts';
import { hashOf, USE_STEP_MS } from './secret-text.ts';
import { query } from '../sql/query.ts';

/** What a token may be called: the name is the actor in every history. */
export const TOKEN_NAME = /^[A-Za-z0-9._@-]{1,100}$/;
/** The name of callers while no token is asked for. No token has this name. */
export const ANONYMOUS = 'anonymous';

const PREFIX = 'airline_';
const RANDOM_BYTES = 32;
const TOKEN = /^airline_[A-Za-z0-9_-]{43}$/;

/** How long tokens are valid. */
export type TokenLifetimes = {
  /** The default. */
  readonly defaultMs: number;
  readonly maxMs: number;
};

/** What is asked for when a token is issued. */
export type TokenRequest = {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** What it may name; absent: all that the server allows. */
  readonly targets?: TargetRule | undefined;
  /** Absent: after the usual lifetime. */
  readonly expiresAt?: Date | undefined;
};

/** A token that is valid now. */
export type ValidToken = {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly targets: TargetRule;
  /** RFC 3339. */
  readonly expiresAt: string;
};

/** What lets a caller in. Only the hash of its text is kept. */
export function defineAccessToken(sequelize: Sequelize) {
  class AccessToken extends Model<
    InferAttributes<AccessToken>,
    InferCreationAttributes<AccessToken>
  > {
    declare readonly id: CreationOptional<number>;
    declare readonly name: string;
    declare readonly hash: Buffer;
    declare readonly scopes: Scope[];
    declare readonly ppas: CreationOptional<string[]>;
    declare readonly queuePrefixes: CreationOptional<string[]>;
    declare readonly createdAt: Date;
    declare readonly createdBy: string;
    declare readonly expiresAt: Date;
    declare readonly revokedAt: CreationOptional<Date | null>;
    declare readonly revokedBy: CreationOptional<string | null>;
    declare readonly lastUsedAt: CreationOptional<Date | null>;

    /**
     * Makes a token. Its text is in the answer and nowhere else: it cannot be shown again.
     *
     * @throws AirlineError `invalid_field` for a reserved name, an expiry out of bounds, or lists of one who may do
     *   everything, with `fields`; `conflict`
     *   where a token of that name is not revoked
     */
    static async issue(
      request: TokenRequest,
      lifetimes: TokenLifetimes,
      context: MutationContext,
      now = new Date(),
    ): Promise<{ text: string; row: AccessToken }> {
      const { name } = request;
      if (name === ANONYMOUS)
        throw invalid(
          'name',
          `${ANONYMOUS} is the name of callers without a token; choose another.`,
        );
      const defaultMs = Math.min(lifetimes.defaultMs, lifetimes.maxMs);
      const expiresAt = request.expiresAt ?? new Date(now.getTime() + defaultMs);
      const validMs = expiresAt.getTime() - now.getTime();
      // Written so that an invalid date is refused, too.
      if (!(validMs > 0)) throw invalid('expires_at', 'Enter a time to come.');
      if (validMs > lifetimes.maxMs) {
        const latest = new Date(now.getTime() + lifetimes.maxMs).toISOString();
        throw invalid('expires_at', `Enter a time up to ${latest}.`);
      }
      const { ppas = [], queuePrefixes = [] } = request.targets ?? {};
      if (request.scopes.includes('admin') && ppas.length + queuePrefixes.length > 0)
        throw invalid(
          ppas.length > 0 ? 'ppas' : 'queue_prefixes',
          'A token with the scope admin has no such list: it could make itself a token without one.',
        );
      const text = PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');
      const scopes = [...new Set(request.scopes)];
      // A conflict that PostgreSQL passes over leaves the transaction usable, an error would not.
      const options: CreateOptions = { ...within(context), ignoreDuplicates: true };
      try {
        const row = await AccessToken.create(
          {
            name,
            hash: hashOf(text),
            scopes,
            ppas: [...new Set(ppas)],
            queuePrefixes: [...new Set(queuePrefixes)],
            createdAt: now,
            createdBy: context.actor,
            expiresAt,
          },
          options,
        );
        return { text, row };
      } catch (error) {
        if (!(error instanceof EmptyResultError)) throw error;
        const taken = await AccessToken.named(name, context.transaction);
        throw new AirlineError(
          'conflict',
          `There is a token ${JSON.stringify(name)}: /api/v1/token/${taken?.id ?? ''}/`,
          { cause: error },
        );
      }
    }

    /**
     * The token that a text is, if it is valid now. It is looked up by its hash, so that how long it takes tells
     * nothing about the tokens that there are.
     */
    static async findValid(text: string, now = new Date()): Promise<ValidToken | undefined> {
      if (!TOKEN.test(text)) return undefined;
      const token = await AccessToken.findOne({
        where: { hash: hashOf(text), revokedAt: null, expiresAt: { [Op.gt]: now } },
        attributes: ['id', 'name', 'scopes', 'ppas', 'queuePrefixes', 'expiresAt', 'lastUsedAt'],
        raw: true,
      });
      if (!token) return undefined;
      const { id, lastUsedAt } = token;
      if (now.getTime() - (lastUsedAt?.getTime() ?? 0) >= USE_STEP_MS)
        await AccessToken.keepUse(id, now, USE_STEP_MS);
      return validToken(token);
    }

    /** The token of a name that is not revoked. */
    static async named(name: string, transaction?: Transaction): Promise<AccessToken | null> {
      return AccessToken.findOne({
        where: { name, revokedAt: null },
        transaction: transaction ?? null,
      });
    }

    /** Every token that is not revoked, by name. */
    static async current(): Promise<AccessToken[]> {
      return AccessToken.findAll({ where: { revokedAt: null }, order: ['name'] });
    }

    /** One page of all tokens, revoked ones included, by id, and how many there are. */
    static async list(page: {
      limit: number;
      offset: number;
    }): Promise<{ rows: AccessToken[]; totalCount: number }> {
      const { limit, offset } = page;
      const [rows, totalCount] = await Promise.all([
        AccessToken.findAll({ order: ['id'], limit, offset }),
        AccessToken.count(),
      ]);
      return { rows, totalCount };
    }

    /**
     * Revokes a token: the next request with it is refused. A second time changes nothing.
     *
     * @returns null where there is no such token
     */
    static async revoke(
      id: number,
      context: MutationContext,
      now = new Date(),
    ): Promise<AccessToken | null> {
      await AccessToken.update(
        { revokedAt: now, revokedBy: context.actor },
        { where: { id, revokedAt: null }, ...within(context) },
      );
      return AccessToken.findByPk(id, within(context));
    }

    /**
     * Keeps when a token was used. Of several requests that come to it at once one writes, and no other waits for it.
     *
     * @param stepMs a use this soon after the one in the row is not written
     */
    static async keepUse(id: number, now: Date, stepMs: number): Promise<void> {
      await query(
        sequelize,
        `UPDATE access_token SET last_used_at = $2 WHERE id = (
          SELECT id FROM access_token
          WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3) FOR UPDATE SKIP LOCKED
        )`,
        [id, now, new Date(now.getTime() - stepMs)],
      );
    }
  }

  AccessToken.init(
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      name: { type: DataTypes.TEXT, allowNull: false },
      hash: { type: DataTypes.BLOB, allowNull: false },
      scopes: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false },
      ppas: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false },
      queuePrefixes: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false },
      createdAt: { type: DataTypes.DATE, allowNull: false },
      createdBy: { type: DataTypes.TEXT, allowNull: false },
      expiresAt: { type: DataTypes.DATE, allowNull: false },
      revokedAt: DataTypes.DATE,
      revokedBy: DataTypes.TEXT,
      lastUsedAt: DataTypes.DATE,
    },
    {
      sequelize,
      tableName: 'access_token',
      underscored: true,
      timestamps: false,
      defaultScope: { attributes: { exclude: ['hash'] } },
    },
  );
  return AccessToken;
}

export type AccessTokenModel = ReturnType<typeof defineAccessToken>;
export type AccessToken = InstanceType<AccessTokenModel>;

/** What a row lets its holder do. */
export function validToken(
  row: Pick<AccessToken, 'id' | 'name' | 'scopes' | 'ppas' | 'queuePrefixes' | 'expiresAt'>,
): ValidToken {
  const { id, name, scopes, ppas, queuePrefixes, expiresAt } = row;
  const targets = { ppas, queuePrefixes };
  return { id, name, scopes, targets, expiresAt: expiresAt.toISOString() };
}

function within({ transaction }: MutationContext): { transaction?: Transaction } {
  return transaction ? { transaction } : {};
}

function invalid(field: string, message: string): AirlineError {
  return new AirlineError('invalid_field', message, { fields: { [field]: [message] } });
}
