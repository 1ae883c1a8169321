import { randomBytes } from 'node:crypto';
import {
  DataTypes,
  Model,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
} from 'sequelize';
import { AirlineError } from '../../domain/errors.ts';
import type { WorkerMessage } from '../../domain/builds/progress.ts';
import type { InTransaction, MutationContext } from '../sql/mutation-context.ts';
import { removeDeliveries } from './remove-deliveries.ts';
import { tryDeliveriesAnew } from './try-deliveries-anew.ts';

/** Most webhooks: each may keep one connection of every sender busy. */
const MAX_WEBHOOKS = 100;
/** Most of one token, which leaves half to others. */
const MAX_OF_A_TOKEN = MAX_WEBHOOKS / 2;

const SECRET_BYTES = 32;

/** What a caller decides about a webhook. */
export type WebhookFields = {
  readonly url: string;
  readonly secret: string;
  readonly description: string;
  readonly ticketId: number | null;
  readonly messages: WorkerMessage[] | null;
  readonly isActive: boolean;
};

/** A new secret, as `WEBHOOK_SECRET` describes it. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/**
 * An address that is told of the events of builds and landings by signed HTTP requests. Its secret is read by the
 * sender alone.
 */
export function defineWebhook(sequelize: Sequelize) {
  class Webhook extends Model<InferAttributes<Webhook>, InferCreationAttributes<Webhook>> {
    declare readonly id: CreationOptional<number>;
    declare readonly url: string;
    declare readonly secret: string;
    declare readonly description: string;
    declare readonly ticketId: number | null;
    declare readonly messages: WorkerMessage[] | null;
    declare readonly isActive: boolean;
    /** Why Airline switched it off; null where it did not. */
    declare readonly inactiveReason: CreationOptional<string | null>;
    declare readonly failingSince: CreationOptional<Date | null>;
    declare readonly createdAt: Date;
    declare readonly createdBy: string;

    /**
     * Adds a webhook. It is told of the events that follow.
     *
     * @param options.isByToken actors are tokens; else all callers have one name
     * @throws AirlineError `conflict` where there are as many as there may be, of all or of this token
     */
    static async add(
      fields: WebhookFields,
      { actor, transaction = null }: Pick<MutationContext, 'actor'> & Transactional,
      { isByToken = false } = {},
    ): Promise<Webhook> {
      if ((await Webhook.count({ transaction })) >= MAX_WEBHOOKS)
        throw new AirlineError(
          'conflict',
          `There are already ${MAX_WEBHOOKS} webhooks, the maximum. Delete one that is not needed.`,
        );
      const own = isByToken ? await Webhook.count({ where: { createdBy: actor }, transaction }) : 0;
      if (own >= MAX_OF_A_TOKEN)
        throw new AirlineError(
          'conflict',
          `There are already ${own} webhooks that ${actor} has added, the maximum. Delete one of these that is not needed.`,
        );
      return Webhook.create(
        { ...fields, createdAt: new Date(), createdBy: actor },
        { transaction },
      );
    }

    /**
     * Changes what a caller decides about a webhook. One that is switched on, or gets another address or secret, starts
     * without the failures that it had: what waits for it is due at once, as if it had only just been asked for. Where
     * an active one is made active, what waits is due at once, with all its tries, but keeps its age. Where millions
     * wait, that takes minutes.
     *
     * @returns null where there is no such webhook
     */
    static async change(
      id: number,
      fields: Partial<WebhookFields>,
      { transaction }: Pick<InTransaction, 'transaction'>,
    ): Promise<Webhook | null> {
      const { isActive, url, secret } = fields;
      const before = await Webhook.unscoped().findByPk(id, { transaction });
      if (!before) return null;
      // A caller who repeats what it has said must not keep a receiver that is gone from being given up.
      const beginsAnew =
        (isActive === true && !before.isActive) ||
        (url !== undefined && url !== before.url) ||
        (secret !== undefined && secret !== before.secret);
      await Webhook.update(
        {
          ...fields,
          ...(isActive === undefined ? {} : { inactiveReason: null }),
          ...(beginsAnew ? { failingSince: null } : {}),
        },
        { where: { id }, transaction },
      );
      // After the webhook, as where a try has failed: else the two could wait for each other.
      // One that is switched off sends nothing of it; it begins anew when it is on again.
      if (isActive === true || (beginsAnew && isActive === undefined))
        await tryDeliveriesAnew(sequelize, id, { beginsAnew }, transaction);
      return Webhook.findByPk(id, { transaction });
    }

    /**
     * Deletes a webhook, with what waits for it and its log, which may take minutes. It is to be switched off before:
     * every event takes the row of each active one, and would wait.
     *
     * @returns false where there is no such webhook
     */
    static async remove(id: number, { transaction }: Transactional): Promise<boolean> {
      await removeDeliveries(sequelize, id, transaction ?? undefined);
      return (await Webhook.destroy({ where: { id }, transaction: transaction ?? null })) > 0;
    }
  }

  Webhook.init(
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      url: { type: DataTypes.TEXT, allowNull: false },
      secret: { type: DataTypes.TEXT, allowNull: false },
      description: { type: DataTypes.TEXT, allowNull: false },
      ticketId: DataTypes.INTEGER,
      messages: DataTypes.ARRAY(DataTypes.TEXT),
      isActive: { type: DataTypes.BOOLEAN, allowNull: false },
      inactiveReason: DataTypes.TEXT,
      failingSince: DataTypes.DATE,
      createdAt: { type: DataTypes.DATE, allowNull: false },
      createdBy: { type: DataTypes.TEXT, allowNull: false },
    },
    {
      sequelize,
      tableName: 'webhook',
      underscored: true,
      timestamps: false,
      defaultScope: { attributes: { exclude: ['secret'] } },
    },
  );
  return Webhook;
}

type Transactional = { readonly transaction?: MutationContext['transaction'] | null };

export type Webhook = InstanceType<ReturnType<typeof defineWebhook>>;
