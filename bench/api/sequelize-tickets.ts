import { randomUUID } from 'node:crypto';
import { DataTypes, literal, Op, Sequelize, type Model, type ModelStatic } from 'sequelize';
import { createPreparedPg } from '../../models/sql/prepared-pg.ts';
import {
  DATABASE_CONNECTIONS,
  listJson,
  onlyRow,
  ticketJson,
  type TicketRow,
  type Tickets,
} from './tickets.ts';

type Attributes = TicketRow & {
  revision: number;
  changed_by: string;
  change_reason: string;
  change_request_id: string;
};
type TicketModel = ModelStatic<Model<Attributes, Partial<Attributes>>>;

/**
 * Tickets by Sequelize's public interface, as its manual shows it, on Airline's own tables: the trigger on `ticket`
 * writes the row of history.
 *
 * @param options.prepared whether statements with bound values are prepared
 */
export function openSequelizeTickets(
  databaseUrl: string,
  { prepared }: { prepared: boolean },
): Tickets {
  const sequelize = new Sequelize(databaseUrl, {
    dialect: 'postgres',
    logging: false,
    pool: { max: DATABASE_CONNECTIONS },
    ...(prepared ? { dialectModule: createPreparedPg({ maxPrepared: 500, comesAgain: 1 }) } : {}),
  });
  const ticket = defineTicket(sequelize);
  return {
    async list(limit, offset) {
      const { rows, count } = await ticket.findAndCountAll({
        where: { current_workflow_step: { [Op.lt]: 999 } },
        order: ['id'],
        limit,
        offset,
      });
      return listJson(
        rows.map((row) => row.get()),
        { limit, offset, count },
      );
    },
    async detail(id) {
      return ticketJson(onlyRow([await ticket.findByPk(id)]).get(), 'ticket');
    },
    async create({ owner, title, description, bug_id }) {
      const row = (await ticket.create({ owner, title, description, bug_id })).get();
      return { id: row.id, json: ticketJson(row, 'ticket') };
    },
    async move(id, { current_workflow_step, status }) {
      const changes = {
        current_workflow_step,
        status,
        revision: literal('revision + 1'),
        changed_by: 'anonymous',
        change_reason: '',
        change_request_id: randomUUID(),
      };
      const [, rows] = await ticket.update(changes, { where: { id }, returning: true });
      return ticketJson(onlyRow(rows).get(), 'updateticketstatus');
    },
    close: () => sequelize.close(),
  };
}

function defineTicket(sequelize: Sequelize): TicketModel {
  const { INTEGER, TEXT } = DataTypes;
  return sequelize.define(
    'ticket',
    {
      id: { type: INTEGER, primaryKey: true, autoIncrement: true },
      owner: { type: TEXT, allowNull: false },
      title: { type: TEXT, allowNull: false },
      description: { type: TEXT, allowNull: false },
      bug_id: { type: TEXT, allowNull: false },
      current_workflow_step: { type: INTEGER, defaultValue: 100 },
      status: { type: INTEGER, defaultValue: 100 },
      failed_at_step: INTEGER,
      failed_subticket_id: INTEGER,
      failure_reason: TEXT,
      revision: { type: INTEGER, defaultValue: 1 },
      changed_by: TEXT,
      change_reason: TEXT,
      change_request_id: TEXT,
    },
    { tableName: 'ticket', underscored: true, createdAt: 'created_at', updatedAt: 'updated_at' },
  );
}
