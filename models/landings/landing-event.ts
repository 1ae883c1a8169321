import {
  DataTypes,
  Model,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Sequelize,
} from 'sequelize';
import { isOver, stepOfPhase } from '../../domain/landings/landing-phase.ts';
import type { LandingEventBody, LandingReport } from '../../domain/landings/landing.ts';
import { printableThroughout } from '../../domain/text/printable.ts';
import type { LandingModel } from './landing.ts';
import { moveTicket } from './move-landed-ticket.ts';
import { selectEvents } from '../sql/page-bytes.ts';
import {
  countWaiting,
  type Publish,
  publishNext,
  type Published,
  type PublishOptions,
} from '../events/publish-events.ts';
import type { SubticketModel } from '../tickets/subticket.ts';
import type { TestRunModel } from './test-run.ts';
import type { TicketModel } from '../tickets/ticket.ts';

/** One event of a landing. */
export function defineLandingEvent(
  sequelize: Sequelize,
  models: {
    Landing: LandingModel;
    Subticket: SubticketModel;
    TestRun: TestRunModel;
    Ticket: TicketModel;
  },
) {
  const { Landing } = models;
  class LandingEvent extends Model<
    InferAttributes<LandingEvent>,
    InferCreationAttributes<LandingEvent>
  > {
    declare readonly landingId: number;
    declare readonly seq: number;
    declare readonly attempt: number;
    declare readonly key: string;
    declare readonly body: LandingEventBody;
    declare readonly createdAt: Date;
    declare readonly publishedAt: CreationOptional<Date | null>;

    /**
     * Records a report as the landing's next event, and moves its row, its ticket and its subtickets with it, in one
     * transaction. A repeated key gives the event that it had, with the decision that came since, but once the attempt
     * has ended only that of an end does: what else is said then is said by a workflow that was reset, which is not to
     * go on. After its end, an attempt records nothing more. One that is paused, rejected or to be cancelled does not
     * go on to be published: a caller whose request was accepted can rely on it.
     *
     * @param isWanted whether it is to be recorded still, asked under the lock of the row
     * @returns null where the attempt had ended already, goes no further, or is another landing's
     */
    static async record(
      given: LandingReport,
      isWanted: (landing: InstanceType<LandingModel>) => boolean = () => true,
    ): Promise<LandingEventBody | null> {
      const report = printableThroughout(given);
      const { attempt, key, phase } = report;
      return sequelize.transaction(async (transaction) => {
        const landing = await Landing.findByPk(report.landingId, {
          transaction,
          lock: transaction.LOCK.UPDATE,
          rejectOnEmpty: true,
        });
        if (landing.isNotOf(report)) return null;
        const isUnderWay = !landing.finishedAt && landing.attempt === attempt;
        if (!isUnderWay && !isOver(phase)) return null;
        const earlier = await LandingEvent.findOne({
          where: { landingId: landing.id, attempt, key },
          transaction,
        });
        if (earlier)
          return landing.decision ? { ...earlier.body, decision: landing.decision } : earlier.body;
        if (!isUnderWay) return null;
        if (phase === 'publishing' && landing.isHeldBack) return null;
        if (!isWanted(landing)) return null;
        // Else who lands the ticket anew waits for the change of the row, with the ticket in hand.
        await models.Ticket.lock(landing.ticketId, transaction);
        const now = new Date();
        const { resumedBy } = landing;
        await landing.follow(report, { now, isOver: isOver(phase) }, transaction);
        await moveTicket(models, landing, transaction);
        // What is planned in images that are made anew is not run.
        if (isOver(phase) || (phase === 'imaging' && !report.keepsRuns))
          await models.TestRun.cancelOpen(landing, transaction);
        const { id: landingId, lastSeq: seq, ahead, waitsFor, decision, failure } = landing;
        const { pausedBy, targetMoved, tests, estimate } = landing;
        const body: LandingEventBody = {
          seq,
          landing_id: landingId,
          ticket_id: landing.ticketId,
          attempt,
          phase,
          step: stepOfPhase(phase),
          timestamp: now.toISOString(),
          parts: landing.parts,
          ...(ahead.length > 0 ? { ahead } : {}),
          ...(waitsFor === null ? {} : { waits_for: waitsFor }),
          ...(targetMoved ? { target_moved: targetMoved } : {}),
          ...(estimate ? { estimate } : {}),
          ...(pausedBy === null ? {} : { paused_by: pausedBy }),
          ...(resumedBy === null ? {} : { resumed_by: resumedBy }),
          ...(tests ? { tests } : {}),
          ...(decision ? { decision } : {}),
          ...(isOver(phase) ? { exit: true } : {}),
          ...(failure ? { failure } : {}),
        };
        await LandingEvent.create(
          {
            landingId,
            seq,
            attempt,
            key,
            body,
            createdAt: now,
            // Where no queue was named there is nothing to publish: the event does not wait for the broker.
            publishedAt: landing.isQueueNamed ? null : now,
          },
          { transaction },
        );
        return body;
      });
    }

    /** The events of a landing after a `seq`, in order; fewer than asked for where they would be too large together. */
    static async findAfter(
      landingId: number,
      seq: number,
      limit: number,
      { isBounded = true } = {},
    ): Promise<LandingEventBody[]> {
      return selectEvents(sequelize, 'landing', { id: landingId, after: seq, limit, isBounded });
    }

    /** Publishes what waits of one landing, as `publishNext` does. @returns null where nothing waits */
    static publishNextLanding(
      publish: Publish<LandingEventBody>,
      options: PublishOptions = {},
    ): Promise<Published | null> {
      return publishNext(sequelize, 'landing', publish, options);
    }

    /** How many events wait for the broker, as `countWaiting` counts them. */
    static async unpublished(limit?: number): Promise<number> {
      return countWaiting(sequelize, 'landing', limit);
    }
  }

  LandingEvent.init(
    {
      landingId: { type: DataTypes.INTEGER, primaryKey: true },
      seq: { type: DataTypes.INTEGER, primaryKey: true },
      attempt: { type: DataTypes.INTEGER, allowNull: false },
      key: { type: DataTypes.TEXT, allowNull: false },
      body: { type: DataTypes.JSONB, allowNull: false },
      createdAt: { type: DataTypes.DATE, allowNull: false },
      publishedAt: DataTypes.DATE,
    },
    { sequelize, tableName: 'landing_event', underscored: true, timestamps: false },
  );
  return LandingEvent;
}
