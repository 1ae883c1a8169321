import {
  DataTypes,
  Model,
  Op,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type NonAttribute,
  type Sequelize,
  type Transaction,
} from 'sequelize';
import { AirlineError } from '../../domain/errors.ts';
import { acceptedPpa, ppaReference, type Ppa } from '../../domain/packages/ppa.ts';
import { cleaningWorkflowId, MAX_POOL, type PoolPpaState } from '../../domain/landings/pool-ppa.ts';
import { errorText } from '../builds/last-error.ts';
import { usersOfPpas } from './ppa-users.ts';
import { ADVISORY_LOCKS } from '../sql/advisory-locks.ts';
import { query } from '../sql/query.ts';

/** A PPA that landings take turns in. The row is written before the workflow that cleans it is started. */
export function definePoolPpa(sequelize: Sequelize) {
  class PoolPpa extends Model<InferAttributes<PoolPpa>, InferCreationAttributes<PoolPpa>> {
    declare readonly id: CreationOptional<number>;
    /** `~owner/distribution/name`. */
    declare readonly ppa: string;
    declare readonly distribution: string;
    declare readonly state: CreationOptional<PoolPpaState>;
    declare readonly stateSince: Date;
    /** Why it is quarantined or retired, or why its cleaning cannot get on. */
    declare readonly reason: CreationOptional<string | null>;
    /** The landing that holds it. */
    declare readonly landingId: CreationOptional<number | null>;
    /** Which cleaning it is in, or was in last. */
    declare readonly cleaning: CreationOptional<number>;
    /** When the workflow of that cleaning was started. */
    declare readonly dispatchedAt: CreationOptional<Date | null>;
    /** All that it ever had is known. */
    declare readonly isPastKnown: CreationOptional<boolean>;
    declare readonly createdAt: CreationOptional<Date>;
    declare readonly updatedAt: CreationOptional<Date>;

    /** The id of the workflow that cleans it. */
    get workflowId(): NonAttribute<string> {
      return cleaningWorkflowId({ poolPpaId: this.id, cleaning: this.cleaning });
    }

    get reference(): NonAttribute<Ppa> {
      return acceptedPpa({ ppa: this.ppa, archive: this.distribution });
    }

    /**
     * Adds a PPA, or brings back one that was retired. Before anybody gets it, it is looked at: its past is read, and
     * it has to be empty.
     *
     * @throws AirlineError `conflict` where it is in the pool, the pool is as large as it may be, or a build or landing
     * that has not ended uses it
     */
    static async add(given: Ppa, transaction: Transaction): Promise<PoolPpa> {
      const ppa = ppaReference(given);
      if ((await PoolPpa.count({ transaction })) >= MAX_POOL)
        throw new AirlineError('conflict', `The pool already has ${MAX_POOL} PPAs, the maximum.`);
      await PoolPpa.lockAlone(ppa, transaction);
      const [row, isNew] = await PoolPpa.findOrCreate({
        where: { ppa },
        defaults: { ppa, distribution: given.distribution, stateSince: new Date() },
        transaction,
      });
      const known = isNew ? null : await PoolPpa.lock(row.id, transaction);
      if (known && known.state !== 'retired')
        throw new AirlineError('conflict', `${ppa} is in the pool already.`);
      const user = (await usersOfPpas(sequelize, transaction)).get(ppa);
      if (user !== undefined)
        throw new AirlineError('conflict', `${user} uses ${ppa}: add it when that has ended.`);
      return known ? known.toBeCleaned(transaction, { isPastKnown: false }) : row;
    }

    /**
     * Adds those PPAs that the pool never had. One that was retired stays so.
     *
     * @returns those that it has to get later: a build or landing that has not ended uses them
     */
    static async addMissing(given: readonly Ppa[]): Promise<Ppa[]> {
      const references = given.map(ppaReference);
      const known = await PoolPpa.findAll({ attributes: ['ppa'], where: { ppa: references } });
      const missing = given.filter((ppa) => !known.some((row) => row.ppa === ppaReference(ppa)));
      const users = await usersOfPpas(sequelize);
      const used: Ppa[] = [];
      for (const ppa of missing)
        if (users.has(ppaReference(ppa)) || !(await PoolPpa.addUnused(ppa))) used.push(ppa);
      return used;
    }

    /** Adds a PPA, unless it is in the pool. @returns false where something uses it: it is not added then */
    private static async addUnused(given: Ppa): Promise<boolean> {
      const ppa = ppaReference(given);
      return sequelize.transaction(async (transaction) => {
        await PoolPpa.lockAlone(ppa, transaction);
        if ((await usersOfPpas(sequelize, transaction)).has(ppa)) return false;
        const row = { ppa, distribution: given.distribution, stateSince: new Date() };
        await PoolPpa.bulkCreate([row], { ignoreDuplicates: true, transaction });
        return true;
      });
    }

    /** Whether the pool has a PPA of a distribution now, free or not. */
    static async hasAnyOf(distribution: string, transaction: Transaction): Promise<boolean> {
      const where = { distribution, state: { [Op.ne]: 'retired' } };
      return (await PoolPpa.findOne({ where, transaction })) !== null;
    }

    /**
     * The PPA if the pool has it now; nobody changes it until the transaction ends. Null where it has not; nobody adds
     * it until then.
     */
    static async lockShared(given: Ppa, transaction: Transaction): Promise<PoolPpa | null> {
      const ppa = ppaReference(given);
      // There may be no row to lock.
      const lock = `SELECT pg_advisory_xact_lock_shared(${ADVISORY_LOCKS.poolPpa}, hashtext($1))`;
      await query(sequelize, lock, [ppa], transaction);
      const row = await PoolPpa.findOne({
        where: { ppa },
        transaction,
        lock: transaction.LOCK.SHARE,
      });
      return row?.state === 'retired' ? null : row;
    }

    /**
     * Takes a PPA out of the pool. Airline does not touch it any more.
     *
     * @returns null where there is no such PPA
     * @throws AirlineError `conflict` where a landing holds it, or it is being cleaned
     */
    static async retire(
      id: number,
      reason: string,
      transaction: Transaction,
    ): Promise<PoolPpa | null> {
      const row = await PoolPpa.lock(id, transaction);
      if (!row || row.state === 'retired') return row;
      row.assertIdle('It can be retired when it is free or quarantined.');
      return row.update({ state: 'retired', stateSince: new Date(), reason }, { transaction });
    }

    /**
     * Has a PPA looked at and emptied again, such as one that is quarantined, once somebody has settled why.
     *
     * @returns null where there is no such PPA
     * @throws AirlineError `conflict` where it is retired, or a landing holds it
     */
    static async clean(id: number, transaction: Transaction): Promise<PoolPpa | null> {
      const row = await PoolPpa.lock(id, transaction);
      if (!row || row.state === 'cleaning') return row;
      if (row.state === 'retired')
        throw new AirlineError('conflict', `${row.ppa} is retired: add it again.`);
      row.assertIdle('It is cleaned when it is given back.');
      return row.toBeCleaned(transaction, { isPastKnown: false });
    }

    /** Gives it to a landing. The row is locked, and free. */
    async leaseTo(landingId: number, transaction: Transaction): Promise<void> {
      const change = { state: 'leased', stateSince: new Date(), landingId } as const;
      await this.update(change, { transaction });
    }

    /** Has it cleaned: the row is what starts the workflow. */
    async toBeCleaned(
      transaction: Transaction,
      more: { isPastKnown?: false } = {},
    ): Promise<PoolPpa> {
      return this.update(
        {
          ...more,
          state: 'cleaning',
          stateSince: new Date(),
          reason: null,
          landingId: null,
          cleaning: this.cleaning + 1,
          dispatchedAt: null,
        },
        { transaction },
      );
    }

    /** Whether a cleaning has not ended: no landing has the PPA, and it is in no later cleaning. */
    static async isInCleaning({
      poolPpaId,
      cleaning,
    }: {
      poolPpaId: number;
      cleaning: number;
    }): Promise<boolean> {
      return (await PoolPpa.count({ where: { id: poolPpaId, cleaning, state: 'cleaning' } })) > 0;
    }

    /**
     * Ends a cleaning, unless it has ended.
     *
     * @param problem why nobody may get the PPA now; null where it is clean
     */
    static async endCleaning(
      { poolPpaId, cleaning }: { poolPpaId: number; cleaning: number },
      problem: string | null,
    ): Promise<boolean> {
      const [changed] = await PoolPpa.update(
        {
          state: problem === null ? 'free' : 'quarantined',
          stateSince: new Date(),
          reason: problem,
          ...(problem === null ? { isPastKnown: true } : {}),
        },
        { where: { id: poolPpaId, cleaning, state: 'cleaning' } },
      );
      return changed > 0;
    }

    /** Those that are to be cleaned and have no workflow yet, oldest first. */
    static async undispatched(limit: number): Promise<PoolPpa[]> {
      return PoolPpa.findAll({
        where: { state: 'cleaning', dispatchedAt: null },
        order: ['stateSince', 'id'],
        limit,
      });
    }

    /**
     * Starts its cleaning, unless another dispatcher has, or does. The row is locked while `start` runs, which must be
     * idempotent, and reads the database in that transaction alone.
     */
    async dispatch(
      start: (current: PoolPpa, transaction: Transaction) => Promise<void>,
    ): Promise<void> {
      await sequelize.transaction(async (transaction) => {
        const current = await PoolPpa.findOne({
          where: { id: this.id, state: 'cleaning', dispatchedAt: null },
          transaction,
          lock: transaction.LOCK.UPDATE,
          skipLocked: true,
        });
        if (!current) return;
        await start(current, transaction);
        await current.update({ dispatchedAt: new Date() }, { transaction });
      });
    }

    /** Those whose cleaning was started and has said nothing since a time. */
    static async silentSince(since: Date, limit: number): Promise<PoolPpa[]> {
      return PoolPpa.findAll({
        where: {
          state: 'cleaning',
          dispatchedAt: { [Op.not]: null },
          updatedAt: { [Op.lt]: since },
        },
        order: ['updatedAt'],
        limit,
      });
    }

    /**
     * Marks that its cleaning has not ended: it is not asked after again for a while.
     *
     * @param problem why it cannot get on; null where it can
     */
    async markHeard(problem: string | null): Promise<void> {
      const { id, cleaning } = this;
      const reason = problem === null ? null : errorText(problem);
      await PoolPpa.update({ reason }, { where: { id, cleaning, state: 'cleaning' } });
    }

    /** How many cleanings have a workflow that cannot get on by itself. */
    static async countStuck(): Promise<number> {
      return PoolPpa.count({ where: { state: 'cleaning', reason: { [Op.not]: null } } });
    }

    /** Waits for those who are about to build in the PPA; who comes later waits until the transaction ends. */
    private static async lockAlone(ppa: string, transaction: Transaction): Promise<void> {
      const lock = `SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.poolPpa}, hashtext($1))`;
      await query(sequelize, lock, [ppa], transaction);
    }

    private static async lock(id: number, transaction: Transaction): Promise<PoolPpa | null> {
      return PoolPpa.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
    }

    /** @throws AirlineError `conflict` where it is leased or being cleaned */
    private assertIdle(hint: string): void {
      if (this.state === 'leased')
        throw new AirlineError('conflict', `Landing ${this.landingId} holds ${this.ppa}. ${hint}`);
      if (this.state === 'cleaning')
        throw new AirlineError('conflict', `${this.ppa} is being cleaned. ${hint}`);
    }
  }

  PoolPpa.init(
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      ppa: { type: DataTypes.TEXT, allowNull: false },
      distribution: { type: DataTypes.TEXT, allowNull: false },
      state: { type: DataTypes.TEXT, allowNull: false, defaultValue: 'cleaning' },
      stateSince: { type: DataTypes.DATE, allowNull: false },
      reason: DataTypes.TEXT,
      landingId: DataTypes.INTEGER,
      cleaning: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 1 },
      dispatchedAt: DataTypes.DATE,
      isPastKnown: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
      createdAt: DataTypes.DATE,
      updatedAt: DataTypes.DATE,
    },
    { sequelize, tableName: 'pool_ppa', underscored: true },
  );
  return PoolPpa;
}

export type PoolPpaModel = ReturnType<typeof definePoolPpa>;
export type PoolPpa = InstanceType<PoolPpaModel>;
