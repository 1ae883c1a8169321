import {
  DataTypes,
  Model,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
  type Transaction,
} from 'sequelize';
import type { DeliveryState } from '../../domain/builds/webhook.ts';
import { query, type Row } from '../sql/query.ts';
import { selectPage } from '../sql/read-rows.ts';

/** One event, or one ping, for one webhook, with its latest try. A trigger makes those of events. */
export function defineWebhookDelivery(sequelize: Sequelize) {
  class WebhookDelivery extends Model<
    InferAttributes<WebhookDelivery>,
    InferCreationAttributes<WebhookDelivery>
  > {
    declare readonly id: CreationOptional<number>;
    declare readonly webhookId: number;
    /** The build or the landing of the event; both are null for a ping, as is `seq`. */
    declare readonly buildId: CreationOptional<number | null>;
    declare readonly landingId: CreationOptional<number | null>;
    declare readonly seq: CreationOptional<number | null>;
    declare readonly state: CreationOptional<DeliveryState>;
    declare readonly isResend: CreationOptional<boolean>;
    declare readonly requestedAt: CreationOptional<Date>;
    declare readonly tries: CreationOptional<number>;
    declare readonly nextTryAt: CreationOptional<Date>;
    declare readonly claimedUntil: CreationOptional<Date | null>;
    declare readonly triedAt: CreationOptional<Date | null>;
    declare readonly statusCode: CreationOptional<number | null>;
    declare readonly durationMs: CreationOptional<number | null>;
    declare readonly error: CreationOptional<string | null>;

    /** One page of the log of a webhook, the latest first, and how many deliveries it has, as `selectPage` counts. */
    static async list(
      webhookId: number,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<{ rows: WebhookDelivery[]; totalCount: number }> {
      const { rows, totalCount } = await selectPage(WebhookDelivery, {
        conditions: [{ attribute: 'webhookId', lookup: 'exact', value: webhookId }],
        order: [['id', 'DESC']],
        limit,
        offset,
      });
      type Fields = InferCreationAttributes<WebhookDelivery>;
      const deliveryOf = (row: Row) => WebhookDelivery.build(row as Fields, { isNewRecord: false });
      return { rows: rows.map(deliveryOf), totalCount };
    }

    /** Has a request sent that tells of no event. */
    static async ping(
      webhookId: number,
      transaction: Transaction | null,
    ): Promise<WebhookDelivery> {
      const { id } = await WebhookDelivery.create({ webhookId }, { transaction });
      // As it is with the table's defaults.
      return WebhookDelivery.findByPk(id, { transaction, rejectOnEmpty: true });
    }

    /**
     * Has a delivery sent again. One that has ended begins anew, at once. One that waits is tried without its wait, but
     * still after the earlier ones of its build or landing.
     *
     * @returns null where the webhook has no such delivery
     */
    static async resend(
      webhookId: number,
      id: number,
      transaction: Transaction | undefined,
    ): Promise<WebhookDelivery | null> {
      await query(
        sequelize,
        `UPDATE webhook_delivery SET next_try_at = clock_timestamp(),
           is_resend = is_resend OR state <> 'pending',
           tries = CASE state WHEN 'pending' THEN tries ELSE 0 END,
           requested_at = CASE state WHEN 'pending' THEN requested_at ELSE clock_timestamp() END,
           state = 'pending'
         WHERE webhook_id = $1 AND id = $2`,
        [webhookId, id],
        transaction,
      );
      return WebhookDelivery.findOne({
        where: { webhookId, id },
        transaction: transaction ?? null,
      });
    }
  }

  WebhookDelivery.init(
    {
      id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
      webhookId: { type: DataTypes.INTEGER, allowNull: false },
      buildId: DataTypes.INTEGER,
      landingId: DataTypes.INTEGER,
      seq: DataTypes.INTEGER,
      state: DataTypes.TEXT,
      isResend: DataTypes.BOOLEAN,
      requestedAt: DataTypes.DATE,
      tries: DataTypes.INTEGER,
      nextTryAt: DataTypes.DATE,
      claimedUntil: DataTypes.DATE,
      triedAt: DataTypes.DATE,
      statusCode: DataTypes.INTEGER,
      durationMs: DataTypes.INTEGER,
      error: DataTypes.TEXT,
    },
    { sequelize, tableName: 'webhook_delivery', underscored: true, timestamps: false },
  );
  return WebhookDelivery;
}

export type WebhookDelivery = InstanceType<ReturnType<typeof defineWebhookDelivery>>;
