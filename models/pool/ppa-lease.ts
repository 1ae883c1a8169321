import {
  DataTypes,
  Model,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
  type Transaction,
} from 'sequelize';
import { landingActor } from '../../domain/access/requester.ts';
import type { LandingAttemptName, LeaseAnswer, PoolUpload } from '../../domain/landings/landing.ts';
import { listed } from '../../domain/text/listed.ts';
import type { Landing, LandingModel } from '../landings/landing.ts';
import type { PoolPpa, PoolPpaModel } from './pool-ppa.ts';
import { query } from '../sql/query.ts';
import type { TicketModel } from '../tickets/ticket.ts';
import type { defineTicketPpa } from '../tickets/ticket-links.ts';

/** Whether a PPA of the pool never had any of the packages of a landing. */
const FITS = `
  NOT EXISTS (
    SELECT FROM ppa_past past, jsonb_to_recordset(landing.packages) AS package(source text, version text)
    WHERE past.ppa = pool_ppa.ppa AND (past.source, past.version) = (package.source, package.version)
  )`;

/**
 * Whether a PPA of the pool had a source of a landing in another version. A PPA keeps the upstream tarballs that it
 * ever had, and refuses another one under such a name: it is the last to be tried.
 */
const HAD_ANOTHER = `
  EXISTS (
    SELECT FROM ppa_past past, jsonb_to_recordset(landing.packages) AS package(source text, version text)
    WHERE past.ppa = pool_ppa.ppa AND past.source = package.source
  )`;

/** The free PPAs that a landing may have, the likeliest to take all of it and free for longest first. */
const FITTING = `
  SELECT pool_ppa.id FROM landing
  JOIN pool_ppa ON pool_ppa.distribution = landing.archive AND pool_ppa.state = 'free' AND ${FITS}
  WHERE landing.id = $1
  ORDER BY ${HAD_ANOTHER}, pool_ppa.state_since, pool_ppa.id`;

/** Whether a landing, by its name in the query, waits for a PPA and would take one. */
const isWaiting = (landing: string) => `
  ${landing}.phase = 'leasing' AND ${landing}.finished_at IS NULL
    AND ${landing}.cancel_requested_at IS NULL AND ${landing}.paused_at IS NULL`;

/** How many landings that began to wait earlier may have one of the free PPAs, too. */
const WAITING_BEFORE = `
  SELECT count(*)::integer AS count FROM landing
  JOIN landing own ON own.id = $1 AND landing.archive = own.archive
    AND (landing.phase_since, landing.id) < (own.phase_since, own.id)
  WHERE ${isWaiting('landing')}
    AND EXISTS (
      SELECT FROM pool_ppa
      WHERE pool_ppa.distribution = landing.archive AND pool_ppa.state = 'free' AND ${FITS}
    )`;

/** Whether a landing waits for the PPA of a lease: what is free, or about to be, goes to those that wait longer. */
const IS_WANTED = `
  EXISTS (
    SELECT FROM landing
    JOIN pool_ppa ON pool_ppa.id = lease.pool_ppa_id AND pool_ppa.distribution = landing.archive AND ${FITS}
    WHERE ${isWaiting('landing')}
      AND (
        SELECT count(*) FROM landing longer
        WHERE longer.archive = landing.archive AND ${isWaiting('longer')}
          AND (longer.phase_since, longer.id) <= (landing.phase_since, landing.id)
      ) > (
        SELECT count(*) FROM pool_ppa
        WHERE pool_ppa.distribution = landing.archive AND pool_ppa.state IN ('free', 'cleaning') AND ${FITS}
      )
  )`;

/**
 * Landings that keep a PPA and need it no more: they are complete or cancelled, retrying cannot help, their ticket is
 * being landed anew, or nobody has retried them for some time; for less time, where another landing waits for the PPA.
 * None of their builds is under way.
 */
const DUE = `
  SELECT landing.id FROM ppa_lease lease
  JOIN landing ON landing.id = lease.landing_id
  WHERE lease.returned_at IS NULL AND landing.finished_at IS NOT NULL AND ($3::integer IS NULL OR landing.id = $3)
    AND (
      landing.phase IN ('complete', 'cancelled')
      OR NOT coalesce((landing.failure->>'retryable')::boolean, false)
      OR landing.finished_at < clock_timestamp() - $1::double precision * interval '1 ms'
      OR (landing.finished_at < clock_timestamp() - interval '1 hour' AND ${IS_WANTED})
      OR EXISTS (
        SELECT FROM landing other
        WHERE other.ticket_id = landing.ticket_id AND other.id <> landing.id AND other.finished_at IS NULL
      )
    )
    AND NOT EXISTS (SELECT FROM build WHERE build.landing_id = landing.id AND build.finished_at IS NULL)
  ORDER BY landing.finished_at
  LIMIT $2`;

/** What a landing has uploaded to the PPAs that it had. */
const UPLOADS = `
  SELECT DISTINCT past.ppa, past.source, past.version FROM ppa_lease lease
  JOIN pool_ppa ON pool_ppa.id = lease.pool_ppa_id
  JOIN ppa_past past ON past.ppa = pool_ppa.ppa AND past.landing_id = lease.landing_id
  WHERE lease.landing_id = $1
  ORDER BY past.ppa, past.source`;

/** The time in which a landing holds a PPA of the pool. */
export function definePpaLease(
  sequelize: Sequelize,
  models: {
    Landing: LandingModel;
    PoolPpa: PoolPpaModel;
    Ticket: TicketModel;
    TicketPpa: ReturnType<typeof defineTicketPpa>;
  },
) {
  const { Landing: Landings, PoolPpa: PoolPpas, Ticket, TicketPpa } = models;
  class PpaLease extends Model<InferAttributes<PpaLease>, InferCreationAttributes<PpaLease>> {
    declare readonly id: CreationOptional<number>;
    declare readonly poolPpaId: number;
    declare readonly landingId: number;
    declare readonly since: Date;
    declare readonly returnedAt: CreationOptional<Date | null>;

    /**
     * Gives a landing a PPA of the pool, and puts it on the ticket; the one that it has, if it has one. Those that wait
     * longer come first. A landing that is paused gets none: it would keep the PPA from those that can go on. Safe to
     * repeat.
     *
     * @throws AirlineError `conflict` where the landing's attempt has ended
     */
    static async take(of: LandingAttemptName): Promise<LeaseAnswer> {
      const { landingId } = of;
      return sequelize.transaction(async (transaction) => {
        const landing = await Landings.lockAttempt(of, transaction);
        const held = await PoolPpas.findOne({ where: { landingId }, transaction });
        if (held) return { ppa: held.reference };
        if (landing.pausedBy !== null)
          return { ahead: [], waitsFor: `${landing.pausedBy}, who paused it` };
        // Who lands the ticket anew has it before it looks at the PPA that it names.
        await Ticket.lockKey(landing.ticketId, transaction);
        const free = await PpaLease.findFree(landingId, transaction);
        if (!free) return PpaLease.whatFor(landing, transaction);
        await free.leaseTo(landingId, transaction);
        const lease = { poolPpaId: free.id, landingId, since: new Date() };
        const { id: leaseId } = await PpaLease.create(lease, { transaction });
        const dedicated = { ticketId: landing.ticketId, ppa: free.ppa, leaseId };
        const context = { actor: landingActor(landingId), requestId: undefined, transaction };
        await TicketPpa.createOne(dedicated, context);
        await landing.update({ ppa: free.ppa }, { transaction });
        return { ppa: free.reference };
      });
    }

    /** A free PPA, locked, unless those that wait longer need all there are. */
    private static async findFree(
      landingId: number,
      transaction: Transaction,
    ): Promise<PoolPpa | undefined> {
      const fitting = await query<{ id: number }>(sequelize, FITTING, [landingId], transaction);
      const [before] = await query<{ count: number }>(
        sequelize,
        WAITING_BEFORE,
        [landingId],
        transaction,
      );
      if (fitting.length <= (before?.count ?? 0)) return undefined;
      for (const { id } of fitting) {
        const row = await PoolPpas.findOne({
          where: { id, state: 'free' },
          transaction,
          lock: transaction.LOCK.UPDATE,
          skipLocked: true,
        });
        if (row) return row;
      }
      return undefined;
    }

    /** Whom and what a landing waits for that gets none. */
    private static async whatFor(landing: Landing, transaction: Transaction): Promise<LeaseAnswer> {
      const { archive: distribution } = landing;
      const pool = await PoolPpas.findAll({ where: { distribution }, order: ['id'], transaction });
      const holders = await Landings.findAll({
        where: { id: pool.flatMap(({ landingId }) => landingId ?? []) },
        order: ['id'],
        transaction,
      });
      const current = pool.filter(({ state }) => state !== 'retired').map(stateText);
      return {
        ahead: holders.map(({ id, ticketId }) => ({ landing_id: id, ticket_id: ticketId })),
        waitsFor:
          current.length === 0
            ? `a PPA: the pool has none of ${distribution}`
            : `a PPA of the pool that never had its packages: ${listed(current, MAX_SHOWN)}`,
      };
    }

    /**
     * Takes back the PPAs of landings that need them no more, and has them cleaned.
     *
     * @param keepMs how long a landing that failed keeps its PPA for a retry, by the database's clock; an hour at most,
     * where another landing waits for it
     * @returns the ids of these landings
     */
    static async returnDue(keepMs: number, limit: number): Promise<number[]> {
      const due = await query<{ id: number }>(sequelize, DUE, [keepMs, limit, null]);
      const returned: number[] = [];
      for (const { id } of due) if (await PpaLease.giveBack(id, keepMs)) returned.push(id);
      return returned;
    }

    private static async giveBack(landingId: number, keepMs: number): Promise<boolean> {
      return sequelize.transaction(async (transaction) => {
        // A retry holds the landing's row, one of a build that of the PPA, too: it keeps its PPA, or comes too late.
        await Landings.findByPk(landingId, { transaction, lock: transaction.LOCK.UPDATE });
        const ppa = await PoolPpas.findOne({
          where: { landingId },
          transaction,
          lock: transaction.LOCK.UPDATE,
        });
        const due = await query<{ id: number }>(
          sequelize,
          DUE,
          [keepMs, 1, landingId],
          transaction,
        );
        if (due.length === 0 || !ppa) return false;
        const lease = await PpaLease.findOne({
          where: { landingId, returnedAt: null },
          transaction,
          rejectOnEmpty: true,
        });
        await lease.update({ returnedAt: new Date() }, { transaction });
        await TicketPpa.destroy({ where: { leaseId: lease.id }, transaction });
        await ppa.toBeCleaned(transaction);
        return true;
      });
    }

    /** What a landing has uploaded to the PPAs of the pool that it had, be it in earlier attempts. */
    static async uploadsOf(landingId: number): Promise<PoolUpload[]> {
      return query(sequelize, UPLOADS, [landingId]);
    }

    /** The landing that had a PPA of the pool last; null where none had. */
    static async lastHolder(poolPpaId: number, transaction: Transaction): Promise<Landing | null> {
      const lease = await PpaLease.findOne({
        where: { poolPpaId },
        order: [['id', 'DESC']],
        transaction,
      });
      return lease ? Landings.findByPk(lease.landingId, { transaction }) : null;
    }
  }

  PpaLease.init(
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      poolPpaId: { type: DataTypes.INTEGER, allowNull: false },
      landingId: { type: DataTypes.INTEGER, allowNull: false },
      since: { type: DataTypes.DATE, allowNull: false },
      returnedAt: DataTypes.DATE,
    },
    { sequelize, tableName: 'ppa_lease', underscored: true, timestamps: false },
  );
  return PpaLease;
}

const MAX_SHOWN = 20;

function stateText({ ppa, state, landingId }: PoolPpa): string {
  switch (state) {
    case 'leased':
      return `${ppa} is held by landing ${landingId}`;
    case 'cleaning':
      return `${ppa} is being cleaned`;
    case 'quarantined':
      return `${ppa} is quarantined`;
    default:
      return `${ppa} had one of them, or goes to a landing that waits longer`;
  }
}
