import { setTimeout as sleep } from 'node:timers/promises';
import type { Sequelize } from 'sequelize';
import {
  markAnswered,
  markFailed,
  pauseCalls,
  takeTurn,
  type CallRate,
} from '../../models/builds/call-budget.ts';
import type { CallBudget } from '../../ppa/call-budget.ts';
import { PpaUnavailableError } from '../../ppa/web-service.ts';

/** The budget that all workers of a database share. */
export function openSharedBudget(sequelize: Sequelize, rate: CallRate): CallBudget {
  // Most answers come while nothing is wrong: there is nothing to keep then.
  let mayBeRecovering = false;
  return {
    async take() {
      const turn = await takeTurn(sequelize, rate);
      if ('refusedMs' in turn)
        throw new PpaUnavailableError(
          turn.why === 'closed'
            ? `Launchpad did not answer, or asked for a pause; the next call is in ${Math.ceil(turn.refusedMs / 1_000)} s`
            : `more calls of Launchpad wait than its budget of ${rate.perSecond} a second takes in ${rate.maxWaitMs / 1_000} s`,
          { retryAfterMs: turn.refusedMs, isOwnRate: turn.why === 'rate' },
        );
      mayBeRecovering = turn.isRecovering;
      if (turn.waitMs > 0) await sleep(turn.waitMs);
    },
    async answered() {
      if (mayBeRecovering) await markAnswered(sequelize);
      mayBeRecovering = false;
    },
    async failed(pauseMs) {
      mayBeRecovering = true;
      await (pauseMs === undefined ? markFailed(sequelize) : pauseCalls(sequelize, pauseMs));
    },
  };
}
